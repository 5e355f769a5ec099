#include "ete/broadcast.h"

#include "ete/ete.h"

enum { RANGE_MASK = 0xff, MODE_BIT = 8 };

/* The registers of comparator n stand side by side in the table of parameters (layout.def). */
static unsigned value_of(unsigned comparator)
{
    return (unsigned)ETE_TRCACVR0 + 2 * comparator;
}

/* The range of a pair; false where there is none. */
static bool add_range(struct ete_broadcast *b, const struct assay_parameter_values *values,
                      unsigned pair)
{
    const unsigned first = value_of(2 * pair);
    const unsigned last = value_of(2 * pair + 1);
    b->ranges[b->count].first = values->value[first];
    b->ranges[b->count].last = values->value[last];
    if (!values->known[first] || !values->known[last] ||
        values->value[first] > values->value[last]) {
        return false;
    }
    b->count++;
    return true;
}

/* Neither a context nor an Exception level keeps the comparators of a pair from matching. */
static bool matches_all(const struct assay_parameter_values *values, unsigned pair)
{
    const unsigned first = value_of(2 * pair) + 1;
    const unsigned last = value_of(2 * pair + 1) + 1;
    return values->known[first] && values->value[first] == 0 && values->known[last] &&
           values->value[last] == 0;
}

void ete_broadcast_open(struct ete_broadcast *b, const struct assay_parameter_values *values)
{
    const uint64_t control = values->value[ETE_TRCBBCTLR];
    *b = (struct ete_broadcast){.include = (control >> MODE_BIT & 1) != 0};
    b->known = (control & RANGE_MASK) != 0;
    for (unsigned pair = 0; pair < ETE_BROADCAST_RANGES; pair++) {
        if ((control >> pair & 1) == 0 || (b->include && !matches_all(values, pair))) {
            continue;
        }
        if (!add_range(b, values, pair) && !b->include) {
            b->known = false; /* what is excluded is not known */
        }
    }
}

bool ete_broadcasts(const struct ete_broadcast *b, uint64_t first, uint64_t last)
{
    for (unsigned i = 0; i < b->count; i++) {
        const bool inside = b->ranges[i].first <= first && last <= b->ranges[i].last;
        const bool outside = last < b->ranges[i].first || first > b->ranges[i].last;
        if (b->include ? inside : !outside) {
            return b->include;
        }
    }
    return b->known && !b->include;
}
