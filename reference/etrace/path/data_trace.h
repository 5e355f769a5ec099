/* What data packets say of accesses, compared with the path and with a recorded execution
 * (data_trace.c): a part of the second stage, where the encoder traces data. */
#ifndef ASSAY_ETRACE_DATA_TRACE_H
#define ASSAY_ETRACE_DATA_TRACE_H

#include "etrace/etrace.h"

struct etrace_data_trace;
struct etrace_path;

/* For an input; `layout` outlives it. Null, and *failed is as it was, where no data are traced. */
struct etrace_data_trace *etrace_data_trace_open(const struct assay_decode_input *input,
                                                 const uint64_t *layout, bool *failed);
void etrace_data_trace_close(struct etrace_data_trace *accessed);

/* The path begins; has a run with these cells; a trap is taken, with a
 * handler that is known or not; it ends, or is lost. Nothing is done
 * for null. */
void etrace_data_trace_begin(struct etrace_data_trace *accessed);
void etrace_data_trace_run(struct etrace_path *path, const uint64_t *cells);
void etrace_data_trace_trap(struct etrace_path *path, bool known);
void etrace_data_trace_gap(struct etrace_data_trace *accessed);

/* The path ends by a support packet, by which the encoder is disabled or not. */
void etrace_data_trace_end(struct etrace_data_trace *accessed, bool disabled);

/* A packet of any kind. */
void etrace_data_trace_packet(struct etrace_data_trace *accessed, const struct assay_event *packet);

/* Adds the event of the end of data trace, once all of its packets have one. */
void etrace_data_trace_finish(struct etrace_path *path);

/* Adds events of packets of which all is known, while the next event is before `room`; `ends`: no
 * packet follows. False: there are more. */
bool etrace_data_trace_add(struct etrace_path *path, uint64_t room, bool ends);

#endif
