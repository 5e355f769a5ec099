/* Semaphores rather than condition variables: a signal handler may post them. */
#include "io/filter_thread.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>

enum { BLOCKS = 4, BODY = 1 << 18 };

struct assay_ring {
    struct assay_decoding *decoding;
    struct assay_block blocks[BLOCKS];
    uint8_t *memory;
    sem_t vacant; /* counts the blocks that the producer may fill */
    sem_t filled; /* counts those that the consumer may take */
    unsigned next_taken;
    pthread_t thread;
};

/* False when stopped; a post that only wakes comes after the flag. */
static bool wait_for(struct assay_ring *ring, sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0 && errno == EINTR) {
    }
    return !atomic_load(ring->decoding->stop);
}

static void *produce(void *argument)
{
    struct assay_ring *ring = argument;
    struct assay_decoding *decoding = ring->decoding;
    bool last = false;
    for (unsigned i = 0; !last && wait_for(ring, &ring->vacant); i = (i + 1) % BLOCKS) {
        struct assay_block *block = &ring->blocks[i];
        block->size = assay_decoding_read(decoding, block->data, BODY, BODY);
        block->streams = decoding->streams;
        block->stored_offset = decoding->stored_offset;
        last = block->last = decoding->place == ASSAY_AFTER_STREAMS;
        sem_post(&ring->filled);
    }
    return NULL;
}

/* Signals are for the program's own threads. */
static bool start(struct assay_ring *ring)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&ring->thread, NULL, produce, ring);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0;
}

static void free_ring(struct assay_ring *ring)
{
    sem_destroy(&ring->vacant);
    sem_destroy(&ring->filled);
    free(ring->memory);
    free(ring);
}

enum assay_error assay_ring_open(struct assay_decoding *decoding, struct assay_ring **result)
{
    const size_t stride = ASSAY_PEEK_MAX + BODY;
    struct assay_ring *ring = calloc(1, sizeof *ring);
    if (ring == NULL) {
        return ASSAY_NO_MEMORY;
    }
    ring->decoding = decoding;
    ring->memory = assay_source_allocate(BLOCKS * stride);
    sem_init(&ring->vacant, 0, BLOCKS);
    sem_init(&ring->filled, 0, 0);
    if (ring->memory == NULL) {
        free_ring(ring);
        return ASSAY_NO_MEMORY;
    }
    for (unsigned i = 0; i < BLOCKS; i++) {
        ring->blocks[i].data = ring->memory + i * stride + ASSAY_PEEK_MAX;
    }
    if (!start(ring)) {
        free_ring(ring);
        return ASSAY_NO_MEMORY;
    }
    *result = ring;
    return ASSAY_OK;
}

struct assay_block *assay_ring_take(struct assay_ring *ring)
{
    if (!wait_for(ring, &ring->filled)) {
        return NULL;
    }
    struct assay_block *block = &ring->blocks[ring->next_taken];
    ring->next_taken = (ring->next_taken + 1) % BLOCKS;
    return block;
}

void assay_ring_release(struct assay_ring *ring)
{
    sem_post(&ring->vacant);
}

void assay_ring_wake(struct assay_ring *ring)
{
    const int saved = errno;
    sem_post(&ring->vacant);
    sem_post(&ring->filled);
    errno = saved;
}

void assay_ring_close(struct assay_ring *ring)
{
    if (ring != NULL) {
        assay_ring_wake(ring);
        pthread_join(ring->thread, NULL);
        free_ring(ring);
    }
}
