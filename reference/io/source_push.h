/* A source whose bytes another thread writes: a bounded queue between one writer and one reader.
 *
 * The writer waits while the queue is full, the reader while it is empty, so that memory is bounded
 * even if the writer is faster.
 */
#ifndef ASSAY_COMMON_SOURCE_PUSH_H
#define ASSAY_COMMON_SOURCE_PUSH_H

#include "io/source.h"

/* The writer's end of the queue. */
struct assay_push;

/* Opens a queue of `capacity` bytes (at least 1) and the source that reads it. Both ends are to be
 * closed, in any order and by any thread. When the stop of the source (assay_source_stop) is
 * requested, a waiting thread notices it within 50 ms. */
enum assay_error assay_push_open(size_t capacity, struct assay_push **push,
                                 struct assay_source **source);

/* Writes all of the bytes. ASSAY_BROKEN_PIPE: the source is closed or interrupted, and what it has
 * not read is lost. */
enum assay_error assay_push_write(struct assay_push *push, const void *data, size_t size);

/* Waits until the reader has dealt with what was written: it asks for more, or reads no more. A
 * reader that looks further ahead than it needs, and does not know assay_source_pauses, asks for
 * more before it has decoded everything. */
void assay_push_flush(struct assay_push *push);

/* Marks the end of the bytes: the source ends after what was written. */
void assay_push_end(struct assay_push *push);

/* Marks the end of the bytes and closes the writer's end. Null is allowed. */
void assay_push_close(struct assay_push *push);

#endif
