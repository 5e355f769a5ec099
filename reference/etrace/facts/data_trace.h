/* Data packets against the path, and against what was recorded of the accesses: a stage above that
 * of the path, where the encoder traces data. It passes the events of the path on, and has events
 * of data packets among them as soon as it is known of which accesses these are; the decoder only
 * says where the packets are. */
#ifndef ASSAY_ETRACE_FACTS_DATA_TRACE_H
#define ASSAY_ETRACE_FACTS_DATA_TRACE_H

#include "etrace/etrace.h"

struct etrace_data_trace;

/* Null: out of memory. */
struct assay_stage *etrace_data_trace_open(const struct assay_decode_input *input,
                                           struct assay_history *packets);

struct etrace_data_trace *etrace_data_trace_of(struct assay_stage *stage);

/* Passes the packets before the one with this index, of which the path has no events. */
void etrace_data_trace_pass(struct etrace_data_trace *a, uint64_t end);

#endif
