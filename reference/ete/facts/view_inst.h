/* Which instructions ViewInst filters out by their addresses (K10.5.7.3 to K10.5.7.5). An
 * instruction that one of its parts filters out is not traced, whatever the others say: Exception
 * levels and resources can only filter out more. */
#ifndef ASSAY_ETE_VIEW_INST_H
#define ASSAY_ETE_VIEW_INST_H

#include "ete/ranges.h"

/* Values of the fields `view` and `points` (elements.def). */
enum ete_view_of { ETE_VIEW_UNKNOWN, ETE_VIEW_TRACED, ETE_VIEW_FILTERED };
enum ete_points { ETE_POINTS_NONE, ETE_POINTS_START, ETE_POINTS_STOP };

/* What the registers tell for certain. */
struct ete_view {
    bool filters;  /* by address ranges */
    bool known;    /* it is known of each range where it is, and that it always counts */
    bool includes; /* only what is in `included` is traced, of which all are known */
    struct ete_ranges included;
    struct ete_ranges excluded; /* those that always count */
    bool has_points;            /* there are stop points, and all start points are known */
    uint32_t points;            /* START and STOP, as TRCVISSCTLR has them */
    uint64_t address[ETE_COMPARATORS_MOST]; /* of the points */
};

/* By TRCVIIECTLR, TRCVISSCTLR, TRCVIPCSSCTLR and the comparators. */
void ete_view_open(struct ete_view *v, const struct assay_parameter_values *values);

/* Where consecutive instructions are, by the addresses of the first and the last one, and the last
 * byte of it. */
enum ete_view_of ete_view_of(const struct ete_view *v, uint64_t first, uint64_t at_last,
                             uint64_t last);

/* The last of the start points and stop points among them; an instruction that is both starts.
 * Where instructions need not begin at multiples of 4 bytes (`exact` is false) a stop point can be
 * inside of one, and is none. */
enum ete_points ete_view_points(const struct ete_view *v, uint64_t first, uint64_t last,
                                bool exact);

#endif
