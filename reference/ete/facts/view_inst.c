#include "ete/facts/view_inst.h"

#include "ete/ete.h"

enum { RANGE_MASK = 0xff, EXCLUDE_BIT = 16, STOP_BIT = 16, WORD = 4 };

static void open_ranges(struct ete_view *v, const struct assay_parameter_values *values)
{
    const uint64_t control = values->value[ETE_TRCVIIECTLR];
    const uint64_t include = control & RANGE_MASK;
    const uint64_t exclude = control >> EXCLUDE_BIT & RANGE_MASK;
    v->filters = (include | exclude) != 0;
    v->known = true;
    v->includes = include != 0;
    for (unsigned pair = 0; pair < ETE_RANGES_MOST; pair++) {
        const bool always = ete_pair_matches_all(values, pair);
        if ((include >> pair & 1) != 0) {
            /* What else a comparator looks at can only keep it from including. */
            v->includes = ete_ranges_add(&v->included, values, pair) && v->includes;
            v->known = v->known && v->includes && always;
        }
        if ((exclude >> pair & 1) != 0) {
            v->known = always && ete_ranges_add(&v->excluded, values, pair) && v->known;
        }
    }
}

/* The address of a start point has to be known. A stop point has to be one in each context, too. */
static void open_points(struct ete_view *v, const struct assay_parameter_values *values)
{
    const uint32_t control = (uint32_t)values->value[ETE_TRCVISSCTLR];
    v->points = control;
    v->has_points = control >> STOP_BIT != 0;
    for (unsigned n = 0; n < ETE_COMPARATORS_MOST; n++) {
        const bool known = ete_comparator_address(values, n, &v->address[n]);
        if ((control >> n & 1) != 0 && !known) {
            v->has_points = false;
        } else if (!known || !ete_comparator_matches_all(values, n)) {
            v->points &= ~(UINT32_C(1) << STOP_BIT << n);
        }
    }
}

void ete_view_open(struct ete_view *v, const struct assay_parameter_values *values)
{
    *v = (struct ete_view){.filters = false};
    open_ranges(v, values);
    open_points(v, values);
}

enum ete_view_of ete_view_of(const struct ete_view *v, uint64_t first, uint64_t at_last,
                             uint64_t last)
{
    if (!v->filters || first > last) {
        return ETE_VIEW_UNKNOWN;
    }
    if (ete_ranges_hold(&v->excluded, first, at_last) ||
        (v->includes && !ete_ranges_touch(&v->included, first, last))) {
        return ETE_VIEW_FILTERED;
    }
    return v->known ? ETE_VIEW_TRACED : ETE_VIEW_UNKNOWN;
}

enum ete_points ete_view_points(const struct ete_view *v, uint64_t first, uint64_t last, bool exact)
{
    enum ete_points points = ETE_POINTS_NONE;
    uint64_t latest = first;
    for (unsigned n = 0; v->has_points && n < ETE_COMPARATORS_MOST; n++) {
        const bool starts = (v->points >> n & 1) != 0;
        const uint64_t address = v->address[n];
        const bool stops = exact && address % WORD == 0 && (v->points >> STOP_BIT >> n & 1) != 0;
        if (!(starts || stops) || address < latest || address > last) {
            continue;
        }
        if (address > latest || points != ETE_POINTS_START) {
            points = starts ? ETE_POINTS_START : ETE_POINTS_STOP;
        }
        latest = address;
    }
    return points;
}
