#include "ete/broadcast.h"

#include "ete/ete.h"

enum { RANGE_MASK = 0xff, MODE_BIT = 8 };

void ete_broadcast_open(struct ete_broadcast *b, const struct assay_parameter_values *values)
{
    const uint64_t control = values->value[ETE_TRCBBCTLR];
    *b = (struct ete_broadcast){.include = (control >> MODE_BIT & 1) != 0};
    b->known = (control & RANGE_MASK) != 0;
    for (unsigned pair = 0; pair < ETE_RANGES_MOST; pair++) {
        if ((control >> pair & 1) == 0 || (b->include && !ete_pair_matches_all(values, pair))) {
            continue;
        }
        if (!ete_ranges_add(&b->ranges, values, pair) && !b->include) {
            b->known = false; /* what is excluded is not known */
        }
    }
}

bool ete_broadcasts(const struct ete_broadcast *b, uint64_t first, uint64_t last)
{
    return b->include ? ete_ranges_hold(&b->ranges, first, last)
                      : b->known && !ete_ranges_touch(&b->ranges, first, last);
}
