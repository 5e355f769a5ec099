/* Copies of events, which stay while the decoder that they came from goes on: first in, first out.
 * Memory is fixed. */
#ifndef ASSAY_EXECUTION_EVENT_BUFFER_H
#define ASSAY_EXECUTION_EVENT_BUFFER_H

#include "common/model.h"

struct assay_event_buffer;

/* The most bytes that one event may show. */
enum { ASSAY_BUFFER_SHOWN = 96 << 10 };

/* For events of the format, whose copies have at least so many words; null when memory cannot be
 * had. */
struct assay_event_buffer *assay_buffer_new(const struct assay_format *format, size_t words);
void assay_buffer_free(struct assay_event_buffer *buffer);

/* Copies events behind those that are there and gives how many it had room for. The words of the
 * copies may be written, as many as any has. */
size_t assay_buffer_put(struct assay_event_buffer *buffer, const struct assay_event *events,
                        size_t count);

/* The oldest events, as many as lie in one piece; *count is 0 when there are none. What was taken
 * before is forgotten. */
struct assay_event *assay_buffer_first(struct assay_event_buffer *buffer, size_t *count);

/* The piece that is n behind that of the oldest event; null and a count of 0 when there is none. */
const struct assay_event *assay_buffer_piece(const struct assay_event_buffer *buffer, size_t n,
                                             size_t *count);

/* Takes the first n events of the oldest piece out. They stay as they are until assay_buffer_first
 * is called next. */
void assay_buffer_take(struct assay_event_buffer *buffer, size_t n);

#endif
