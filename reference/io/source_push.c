/* Semaphores rather than condition variables: a signal handler may post them. They only signal that
 * something may have changed; the two positions say how much there is to read. */
#include "io/source_push.h"

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/source_private.h"

struct push_source {
    struct assay_source base;
    struct assay_source_buffer buffer;
    struct assay_push *push;
};

struct assay_push {
    uint8_t *bytes; /* a ring */
    size_t capacity;
    atomic_uint_fast64_t written, read; /* bytes since it was opened */
    atomic_bool ended;                  /* the writer writes no more */
    atomic_bool flushing;               /* the writer waits until the reader wants more */
    atomic_bool closed;                 /* the reader reads no more */
    atomic_uint ends;                   /* that are open: the last one frees the queue */
    sem_t may_read, may_write;
};

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0 && errno == EINTR) {
    }
}

/* At most for a while, as nobody wakes the reader when a stop is requested. */
static void wait_shortly(sem_t *semaphore)
{
    enum { WHILE = 50 * 1000 * 1000, SECOND = 1000 * 1000 * 1000 };
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += WHILE;
    until.tv_sec += until.tv_nsec / SECOND;
    until.tv_nsec %= SECOND;
    (void)sem_clockwait(semaphore, CLOCK_MONOTONIC, &until);
}

static size_t smaller(uint64_t a, size_t b)
{
    return a < b ? (size_t)a : b;
}

static void release(struct assay_push *push)
{
    if (atomic_fetch_sub(&push->ends, 1) == 1) {
        sem_destroy(&push->may_read);
        sem_destroy(&push->may_write);
        free(push->bytes);
        free(push);
    }
}

/* --- the writer --- */

/* Copies to the ring what there is space for; its size. */
static size_t put(struct assay_push *push, const uint8_t *data, size_t size)
{
    const uint64_t written = atomic_load(&push->written);
    const size_t at = (size_t)(written % push->capacity);
    const size_t vacant = push->capacity - (size_t)(written - atomic_load(&push->read));
    const size_t n = smaller(size, vacant);
    const size_t first = smaller(n, push->capacity - at);
    memcpy(push->bytes + at, data, first);
    memcpy(push->bytes, data + first, n - first);
    atomic_store(&push->written, written + n);
    return n;
}

enum assay_error assay_push_write(struct assay_push *push, const void *data, size_t size)
{
    const uint8_t *at = data;
    while (size > 0 && !atomic_load(&push->closed)) {
        const size_t n = put(push, at, size);
        if (n == 0) {
            wait_for(&push->may_write);
            continue;
        }
        sem_post(&push->may_read);
        at += n;
        size -= n;
    }
    return atomic_load(&push->closed) ? ASSAY_BROKEN_PIPE : ASSAY_OK;
}

void assay_push_flush(struct assay_push *push)
{
    atomic_store(&push->flushing, true);
    sem_post(&push->may_read);
    while (atomic_load(&push->flushing) && !atomic_load(&push->closed)) {
        wait_for(&push->may_write);
    }
}

void assay_push_end(struct assay_push *push)
{
    atomic_store(&push->ended, true);
    sem_post(&push->may_read);
}

void assay_push_close(struct assay_push *push)
{
    if (push != NULL) {
        assay_push_end(push);
        release(push);
    }
}

/* --- the reader --- */

/* Copies from the ring what it holds, at most `room`; its size. */
static size_t take(struct assay_push *push, uint8_t *out, size_t room)
{
    const uint64_t read = atomic_load(&push->read);
    const size_t at = (size_t)(read % push->capacity);
    const size_t n = smaller(atomic_load(&push->written) - read, room);
    const size_t first = smaller(n, push->capacity - at);
    memcpy(out, push->bytes + at, first);
    memcpy(out + first, push->bytes, n - first);
    atomic_store(&push->read, read + n);
    return n;
}

enum taken { TAKEN, AT_END, PAUSED };

/* Waits for bytes: what came, and how many; none at the end, and when interrupted. A flush for
 * which everything was taken is a pause if one is wanted, and is over otherwise. */
static enum taken take_some(struct push_source *source, uint8_t *out, size_t room, bool pause,
                            size_t *size)
{
    struct assay_push *push = source->push;
    *size = 0;
    while (!assay_source_is_interrupted(&source->base)) {
        /* Looked at first: what was written before the end, or the flush, is there afterwards. */
        const bool ended = atomic_load(&push->ended);
        const bool flushing = atomic_load(&push->flushing);
        *size = take(push, out, room);
        if (*size > 0 || ended) {
            sem_post(&push->may_write);
            return *size > 0 ? TAKEN : AT_END;
        }
        if (flushing && pause) {
            return PAUSED;
        }
        if (flushing) {
            atomic_store(&push->flushing, false);
            sem_post(&push->may_write);
        }
        wait_shortly(&push->may_read);
    }
    atomic_store(&push->closed, true);
    sem_post(&push->may_write);
    return AT_END;
}

/* Lengthens the window to `want` bytes; false when it pauses before. */
static bool lengthen(struct assay_source *source, size_t want, bool pause)
{
    struct push_source *s = (struct push_source *)source;
    while (!source->ended && assay_source_left(source) < want) {
        size_t room;
        size_t n;
        if (source->witness != NULL) {
            assay_witness_wait(source->witness);
        }
        uint8_t *out = assay_source_make_room(source, &s->buffer, want, &room);
        if (take_some(s, out, room, pause, &n) == PAUSED) {
            return false;
        }
        assay_source_lengthen(source, n);
        if (n > 0 && source->witness != NULL) {
            assay_witness_add(source->witness, out, n);
        } else if (n == 0 && assay_source_is_interrupted(source)) {
            assay_source_end(source, ASSAY_READ_FAILED, ASSAY_INTERRUPTED_DETAIL);
        } else if (n == 0) {
            if (source->witness != NULL) {
                assay_witness_at_end(source->witness);
            }
            assay_source_end(source, ASSAY_OK, NULL);
        }
    }
    return true;
}

static void fill(struct assay_source *source, size_t want)
{
    (void)lengthen(source, want, false);
}

static bool pauses(struct assay_source *source, size_t want)
{
    return !lengthen(source, want, true);
}

static void status_of(const struct assay_source *source, struct assay_source_status *status)
{
    status->stored_offset = assay_source_offset(source);
}

static void interrupt(struct assay_source *source)
{
    const int saved = errno;
    sem_post(&((struct push_source *)source)->push->may_read);
    errno = saved;
}

/* As a pipe: it comes only once. */
static void witness(struct assay_source *source)
{
    assay_witness_begin(source->witness, -1, -1);
}

static void close_source(struct assay_source *source)
{
    struct push_source *s = (struct push_source *)source;
    atomic_store(&s->push->closed, true);
    sem_post(&s->push->may_write);
    release(s->push);
    free(s->buffer.memory);
    free(s);
}

enum assay_error assay_push_open(size_t capacity, struct assay_push **result,
                                 struct assay_source **source)
{
    static const struct assay_source_kind kind = {.fill = fill,
                                                  .pauses = pauses,
                                                  .status = status_of,
                                                  .interrupt = interrupt,
                                                  .witness = witness,
                                                  .close = close_source};
    struct assay_push *push = calloc(1, sizeof *push);
    struct push_source *s = calloc(1, sizeof *s);
    uint8_t *bytes = malloc(capacity);
    *result = NULL;
    *source = NULL;
    if (push == NULL || s == NULL || bytes == NULL ||
        !assay_source_buffer_open(&s->buffer, 2 * ASSAY_PEEK_MAX, &s->base)) {
        free(push);
        free(s);
        free(bytes);
        return ASSAY_NO_MEMORY;
    }
    push->bytes = bytes;
    push->capacity = capacity;
    atomic_init(&push->ends, 2);
    sem_init(&push->may_read, 0, 0);
    sem_init(&push->may_write, 0, 0);
    s->base.kind = &kind;
    s->push = push;
    *result = push;
    *source = &s->base;
    return ASSAY_OK;
}
