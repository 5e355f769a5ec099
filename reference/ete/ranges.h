/* Address comparators of a trace unit, and the ranges that pairs of them make (K10.5.7.3). */
#ifndef ASSAY_ETE_RANGES_H
#define ASSAY_ETE_RANGES_H

#include "model/parameters.h"

enum { ETE_COMPARATORS_MOST = 16, ETE_RANGES_MOST = ETE_COMPARATORS_MOST / 2 };

/* A range holds both its addresses. */
struct ete_ranges {
    unsigned count;
    struct {
        uint64_t first, last;
    } range[ETE_RANGES_MOST];
};

/* The address of comparator n, TRCACVRn. */
bool ete_comparator_address(const struct assay_parameter_values *values, unsigned n,
                            uint64_t *address);

/* Whether a comparator certainly looks at nothing but the address: TRCACATRn is 0, so that neither
 * a context nor an Exception level keeps it from matching. */
bool ete_comparator_matches_all(const struct assay_parameter_values *values, unsigned n);

/* Adds the range of a pair of comparators: the first of them has its first address, the second its
 * last one. False where it is not known, or none. */
bool ete_ranges_add(struct ete_ranges *ranges, const struct assay_parameter_values *values,
                    unsigned pair);

/* Whether both comparators of a pair look at nothing but the address. */
bool ete_pair_matches_all(const struct assay_parameter_values *values, unsigned pair);

/* Whether one of the ranges certainly has all instructions from that at `first` to that at `last`:
 * comparators match instructions by their addresses, wherever they end (K10.5.7.4, TRCACATR). */
bool ete_ranges_hold(const struct ete_ranges *ranges, uint64_t first, uint64_t last);

/* Whether one of the ranges has any of the bytes from address `first` to `last`. */
bool ete_ranges_touch(const struct ete_ranges *ranges, uint64_t first, uint64_t last);

#endif
