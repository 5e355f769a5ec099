#include "ete/ranges.h"

#include "ete/ete.h"

/* The registers of comparator n stand side by side in the table of parameters (layout.def). */
static unsigned value_of(unsigned n)
{
    return (unsigned)ETE_TRCACVR0 + 2 * n;
}

static unsigned type_of(unsigned n)
{
    return value_of(n) + 1;
}

bool ete_comparator_address(const struct assay_parameter_values *values, unsigned n,
                            uint64_t *address)
{
    *address = values->value[value_of(n)];
    return values->known[value_of(n)];
}

bool ete_comparator_matches_all(const struct assay_parameter_values *values, unsigned n)
{
    return values->known[type_of(n)] && values->value[type_of(n)] == 0;
}

bool ete_ranges_add(struct ete_ranges *ranges, const struct assay_parameter_values *values,
                    unsigned pair)
{
    uint64_t first = 0;
    uint64_t last = 0;
    if (!ete_comparator_address(values, 2 * pair, &first) ||
        !ete_comparator_address(values, 2 * pair + 1, &last) || first > last) {
        return false;
    }
    ranges->range[ranges->count].first = first;
    ranges->range[ranges->count].last = last;
    ranges->count++;
    return true;
}

uint64_t ete_ranges_known(const struct assay_parameter_values *values, uint64_t *reversed)
{
    uint64_t known = 0;
    *reversed = 0;
    for (unsigned pair = 0; pair < ETE_RANGES_MOST; pair++) {
        uint64_t first = 0;
        uint64_t last = 0;
        if (ete_comparator_address(values, 2 * pair, &first) &&
            ete_comparator_address(values, 2 * pair + 1, &last)) {
            known |= UINT64_C(1) << pair;
            *reversed |= (uint64_t)(first > last) << pair;
        }
    }
    return known;
}

bool ete_pair_matches_all(const struct assay_parameter_values *values, unsigned pair)
{
    return ete_comparator_matches_all(values, 2 * pair) &&
           ete_comparator_matches_all(values, 2 * pair + 1);
}

bool ete_ranges_hold(const struct ete_ranges *ranges, uint64_t first, uint64_t last)
{
    for (unsigned i = 0; i < ranges->count; i++) {
        if (ranges->range[i].first <= first && last <= ranges->range[i].last) {
            return true;
        }
    }
    return false;
}

bool ete_ranges_touch(const struct ete_ranges *ranges, uint64_t first, uint64_t last)
{
    for (unsigned i = 0; i < ranges->count; i++) {
        if (first <= ranges->range[i].last && last >= ranges->range[i].first) {
            return true;
        }
    }
    return false;
}
