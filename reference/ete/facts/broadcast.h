/* Where branches are broadcast, by address ranges (K10.5.7.3). */
#ifndef ASSAY_ETE_BROADCAST_H
#define ASSAY_ETE_BROADCAST_H

#include "ete/ranges.h"

/* Values of the field `broadcast` (elements.def). */
enum ete_broadcasts { ETE_BROADCASTS_UNKNOWN, ETE_BROADCASTS, ETE_BROADCASTS_NOT };

/* What the registers tell for certain. */
struct ete_broadcast {
    bool known;   /* there are ranges, and it is known where */
    bool exact;   /* of all of them, and they look at nothing else than the address */
    bool include; /* branches are broadcast in the ranges; else everywhere but there */
    struct ete_ranges ranges;
};

/* By TRCBBCTLR and the comparators. Ranges that are excluded have to be known all; one is included
 * only if its comparators look at nothing else than the address. */
void ete_broadcast_open(struct ete_broadcast *b, const struct assay_parameter_values *values);

/* Where an instruction is: `first` and `last` are the addresses of its first and its last byte. */
enum ete_broadcasts ete_broadcasts(const struct ete_broadcast *b, uint64_t first, uint64_t last);

#endif
