/* What data packets say of accesses, compared with the path and with a recorded execution
 * (accessed.c): a part of the second stage, where the encoder traces data. */
#ifndef ASSAY_ETRACE_ACCESSED_H
#define ASSAY_ETRACE_ACCESSED_H

#include "etrace/etrace.h"

struct etrace_accessed;
struct etrace_path;

/* For an input; `layout` outlives it. Null, and *failed is as it was, where no data are traced. */
struct etrace_accessed *etrace_accessed_open(const struct assay_decode_input *input,
                                             const uint64_t *layout, bool *failed);
void etrace_accessed_close(struct etrace_accessed *accessed);

/* The path begins; has a run with these cells; a trap is taken, with a
 * handler that is known or not; it ends, or is lost. Nothing is done
 * for null. */
void etrace_accessed_begin(struct etrace_accessed *accessed);
void etrace_accessed_run(struct etrace_path *path, const uint64_t *cells);
void etrace_accessed_trap(struct etrace_path *path, bool known);
void etrace_accessed_gap(struct etrace_accessed *accessed);

/* The path ends by a support packet, by which the encoder is disabled or not. */
void etrace_accessed_end(struct etrace_accessed *accessed, bool disabled);

/* A packet of any kind. */
void etrace_accessed_packet(struct etrace_accessed *accessed, const struct assay_event *packet);

/* Adds the event of the end of data trace, once all of its packets have one. */
void etrace_accessed_finish(struct etrace_path *path);

/* Adds events of packets of which all is known, while the next event is before `room`; `ends`: no
 * packet follows. False: there are more. */
bool etrace_accessed_add(struct etrace_path *path, uint64_t room, bool ends);

#endif
