/* What rules ask of the path beyond what chapter 11 says of it: two stages above the decoder, which
 * write cells of its events and pass them on. The decoder does not know of them.
 *
 *     packets --> facts of packets --> path --> facts of the path --> comparison, interface
 *
 * What they know of the decoder is in its events (path/events.h), and in the parameters and the
 * program, which they read themselves. The fields that they write are marked in path.def
 * (ASSAY_OF_FACTS). Most runs of the path have none of them, so that little is done for each.
 *
 * The stage on the packets changes none. It is there because not every packet has an event of the
 * path, and the state of the stream depends on each: a packet is passed at the latest when the
 * block after it comes. */
#ifndef ASSAY_ETRACE_FACTS_H
#define ASSAY_ETRACE_FACTS_H

#include "etrace/etrace.h"
#include "etrace/path/events.h"
#include "model/stage.h"

/* How else an address that no image has can be read; values of the field `misread`. */
enum etrace_misread {
    ETRACE_MISREAD_NONE,
    ETRACE_MISREAD_HALF,
    ETRACE_MISREAD_TWICE,
    ETRACE_MISREAD_ZEROS,
    ETRACE_MISREAD_FULL,
    ETRACE_MISREAD_ONES,
    ETRACE_MISREAD_CUT
};

/* Bits of what is annotated (path.def), in the cells that events have of the decoder. */
enum {
    RETURNED_BIT = ETRACE_BIT_run_returned,
    BRANCHED_BIT = ETRACE_BIT_run_branched,
    FULL_MAP_BIT = ETRACE_BIT_run_full_map,
    AS_PREDICTED_BIT = ETRACE_BIT_run_as_predicted,
    NEEDS_DEPTH_BIT = ETRACE_BIT_run_needs_depth,
    ANNOUNCED_BIT = ETRACE_BIT_run_announced,
    INDEX_BYTES_BIT = ETRACE_BIT_run_index_bytes,
    BETWEEN_BIT = ETRACE_BIT_run_between_returns,
    AFTER_TRAP_BIT = ETRACE_BIT_path_start_after_trap,
    RESYNCHRONISED_BIT = ETRACE_BIT_path_start_resynchronised,
    RAISED_BIT = ETRACE_BIT_trap_raised_known,
    CALLED_BIT = ETRACE_BIT_trap_called,
    AFTER_JUMP_BIT = ETRACE_BIT_trap_after_jump,
    EPC_FLOW_BIT = ETRACE_BIT_trap_epc_flow,
    EPC_KNOWN_BIT = ETRACE_BIT_trap_epc_known,
    EPC_CALLED_BIT = ETRACE_BIT_trap_epc_called,
    SECOND_TRAP_BIT = ETRACE_BIT_trap_after_trap,
    MISREAD_BIT = ETRACE_BIT_path_lost_misread,
    PRECEDED_BIT = ETRACE_BIT_path_lost_preceded,
};

/* The stage above that of packets. It owns what both have in common. Null: out of memory. */
struct assay_stage *etrace_facts_open(const struct assay_decode_input *input,
                                      struct assay_history *packets);

/* The stage above that of the path, whose events are in `path`; closed before the one above. */
struct assay_stage *etrace_facts_of_path(struct assay_stage *facts, struct assay_history *path);

/* What the path is compared with says where another hart begins. Otherwise the path is not complete
 * where it goes on in a new context at an address to which no instruction leads (table 4.4, ctype
 * 3): its packet is that of another hart, or wrong. */
void etrace_facts_decide_harts(struct assay_stage *facts);

/* Adds the stage of data trace above that of the path, if the encoder traces data (data_trace.c):
 * the events of the path are in the history of this stage then. */
enum assay_error etrace_data_trace_add(struct assay_chain *chain, struct assay_stage *facts,
                                       const struct assay_decode_input *input);

/* Adds the comparison with the recorded execution, if the input has one (compare.c); after the
 * stage on the path. */
enum assay_error etrace_compare_add(struct assay_chain *chain, struct assay_stage *facts,
                                    const struct assay_decode_input *input,
                                    struct assay_diag *diag);

#endif
