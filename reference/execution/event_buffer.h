/* A queue of copies of events and of what these came from, which stay valid while their decoder
 * continues. Its memory is fixed. */
#ifndef ASSAY_EXECUTION_EVENT_BUFFER_H
#define ASSAY_EXECUTION_EVENT_BUFFER_H

#include "model/history.h"

struct assay_event_buffer;

/* The most bytes that one event may have. */
enum { ASSAY_BUFFER_SHOWN = 96 << 10 };

/* A buffer for events of the format, whose copies have at least `cells` cells; null when out of
 * memory. `origins` is the history that their `from` refers to; null for events that have none. */
struct assay_event_buffer *assay_buffer_new(const struct assay_format *format, size_t cells,
                                            struct assay_history *origins);
void assay_buffer_free(struct assay_event_buffer *buffer);

/* Appends copies of events and returns how many fit. The cells of the copies may be written; all
 * have the number of cells of the kind that has most. */
size_t assay_buffer_put(struct assay_event_buffer *buffer, const struct assay_event *events,
                        size_t count);

/* The oldest contiguous events; *count is 0 when there are none. Frees the events that were taken
 * before. */
struct assay_event *assay_buffer_first(struct assay_event_buffer *buffer, size_t *count);

/* Piece number n, counted from that of the oldest event; null and a count of 0 if there is none. */
const struct assay_event *assay_buffer_piece(const struct assay_event_buffer *buffer, size_t n,
                                             size_t *count);

/* Removes the first n events of the oldest piece. They, and the copies of their origins, stay valid
 * until the next call of assay_buffer_first. */
void assay_buffer_take(struct assay_event_buffer *buffer, size_t n);

#endif
