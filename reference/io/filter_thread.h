/* Decompression on its own thread: a ring of blocks between one producer and one consumer. */
#ifndef ASSAY_COMMON_FILTER_THREAD_H
#define ASSAY_COMMON_FILTER_THREAD_H

#include "io/filter_decode.h"

/* A block of decompressed bytes, from the producer to the consumer. */
struct assay_block {
    uint8_t *data; /* the consumer may write to the ASSAY_PEEK_MAX bytes before it: unread bytes of
                      the block before */
    size_t size;
    uint64_t streams;       /* at the end of the block, as is ... */
    uint64_t stored_offset; /* ... this */
    bool last; /* the last block: decoding has stopped, and the consumer may read how it ended */
};

struct assay_ring;

/* Starts the thread. `decoding` and its stop flag are borrowed, and only the thread may use them
 * until the last block was taken or the ring is closed. */
enum assay_error assay_ring_open(struct assay_decoding *decoding, struct assay_ring **ring);

/* Waits for the next block; null when stopped. It stays valid until it is released. A consumer may
 * hold at most two blocks. */
struct assay_block *assay_ring_take(struct assay_ring *ring);

void assay_ring_release(struct assay_ring *ring);

/* Wakes both sides, after the stop flag was set; may be called by a signal handler. */
void assay_ring_wake(struct assay_ring *ring);

/* Waits for the thread, whose stop flag was set and whose source was interrupted. Null allowed. */
void assay_ring_close(struct assay_ring *ring);

#endif
