/* The options of a support packet: which bit is which is the encoder's own (6.5, table 6.4). */
#ifndef ASSAY_ETRACE_OPTIONS_H
#define ASSAY_ETRACE_OPTIONS_H

#include "etrace/etrace.h"

/* What changed in the options: any of them, one that layouts of packets depend on. */
struct etrace_change {
    bool any, of_layout;
};

/* Takes the options of a support packet, by its cells, over into a layout (6.5). */
struct etrace_change etrace_options_follow(const uint64_t *cells,
                                           uint64_t layout[ETRACE_PARAMETER_COUNT]);

/* The field `options` for those in effect, or `doptions`, which version 2.0 has those of data in.
 */
uint64_t etrace_options_of(const uint64_t layout[ETRACE_PARAMETER_COUNT], bool doptions);

#endif
