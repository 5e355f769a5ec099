#include "ete/facts/broadcast.h"

#include "ete/ete.h"

enum { RANGE_MASK = 0xff, MODE_BIT = 8 };

void ete_broadcast_open(struct ete_broadcast *b, const struct assay_parameter_values *values)
{
    const uint64_t control = values->value[ETE_TRCBBCTLR];
    *b = (struct ete_broadcast){.include = (control >> MODE_BIT & 1) != 0};
    b->known = (control & RANGE_MASK) != 0;
    b->exact = b->known;
    for (unsigned pair = 0; pair < ETE_RANGES_MOST; pair++) {
        if ((control >> pair & 1) == 0) {
            continue;
        }
        const bool certain = ete_pair_matches_all(values, pair);
        const bool added = (certain || !b->include) && ete_ranges_add(&b->ranges, values, pair);
        b->exact = b->exact && certain && added;
        b->known = b->known && (added || b->include); /* what is excluded has to be known */
    }
}

enum ete_broadcasts ete_broadcasts(const struct ete_broadcast *b, uint64_t first, uint64_t last)
{
    const bool holds = ete_ranges_hold(&b->ranges, first, first);
    const bool leaves_out = !ete_ranges_touch(&b->ranges, first, last);
    if (b->known && (b->include ? holds : leaves_out)) {
        return ETE_BROADCASTS;
    }
    return b->exact && (b->include ? leaves_out : holds) ? ETE_BROADCASTS_NOT
                                                         : ETE_BROADCASTS_UNKNOWN;
}
