#include "validator/engine/ahead.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    BLOCKS = 64,                  /* that may wait to be judged */
    ENOUGH = 8,                   /* blocks for which it is worth to wake the judge ... */
    PATIENCE_NANOSECONDS = 500000 /* ... or when it has waited for so long */
};

/* What the decoder gave. */
struct given {
    struct assay_block block; /* empty: the last one */
    enum assay_error error;
    struct assay_lead_mark mark; /* before it was made */
};

/* A number that one thread increases and the other waits for. The one that waits says from what
 * value on it is to be woken, so that the other seldom needs to. */
struct counter {
    _Atomic uint64_t value;
    _Atomic uint64_t awaited; /* UINT64_MAX: nobody waits */
    atomic_bool ended;        /* it is not increased any more: who waits for it is to stop */
    pthread_mutex_t mutex;
    pthread_cond_t reached;
};

struct assay_ahead {
    struct assay_lead lead; /* first: settle() finds the rest by it */
    const struct assay_decoder_ops *ops;
    struct assay_decoder *decoder;
    struct given blocks[BLOCKS]; /* the n-th at n % BLOCKS */
    struct counter made;         /* by the decoder */
    struct counter judged;
    uint64_t requests; /* for a block, with or without the thread */
    uint64_t taken;    /* of the thread's, for judging: one more than are judged, or as many */
    struct assay_diag diag;
    bool running;
    pthread_t thread;
};

/* --- counters --- */

static void open_counter(struct counter *c)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    atomic_init(&c->value, 0);
    atomic_init(&c->awaited, UINT64_MAX);
    atomic_init(&c->ended, false);
    pthread_mutex_init(&c->mutex, NULL);
    pthread_cond_init(&c->reached, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void close_counter(struct counter *c)
{
    pthread_cond_destroy(&c->reached);
    pthread_mutex_destroy(&c->mutex);
}

/* Wakes the other thread, for it to take what there is, or because it will get no more. */
static void wake(struct counter *c)
{
    pthread_mutex_lock(&c->mutex);
    atomic_store(&c->awaited, UINT64_MAX);
    pthread_cond_signal(&c->reached);
    pthread_mutex_unlock(&c->mutex);
}

static void end(struct counter *c)
{
    atomic_store(&c->ended, true);
    wake(c);
}

static void increase(struct counter *c)
{
    const uint64_t value = atomic_fetch_add(&c->value, 1) + 1;
    if (value >= atomic_load(&c->awaited)) {
        wake(c);
    }
}

static void set_deadline(struct timespec *at, long nanoseconds)
{
    clock_gettime(CLOCK_MONOTONIC, at);
    at->tv_nsec += nanoseconds;
    at->tv_sec += at->tv_nsec / 1000000000;
    at->tv_nsec %= 1000000000;
}

/* Waits until the counter is at least `value`, has ended, was woken, or, unless `nanoseconds` is 0,
 * so much time has passed. Either the other thread sees what is awaited, or this one what was
 * added; and the end is seen here, or wakes. */
static void await(struct counter *c, uint64_t value, long nanoseconds)
{
    struct timespec until;
    int error = 0;
    set_deadline(&until, nanoseconds);
    pthread_mutex_lock(&c->mutex);
    atomic_store(&c->awaited, value);
    while (atomic_load(&c->value) < value && !atomic_load(&c->ended) &&
           atomic_load(&c->awaited) == value && error == 0) {
        error = nanoseconds > 0 ? pthread_cond_timedwait(&c->reached, &c->mutex, &until)
                                : pthread_cond_wait(&c->reached, &c->mutex);
    }
    atomic_store(&c->awaited, UINT64_MAX);
    pthread_mutex_unlock(&c->mutex);
}

/* --- the decoder's thread --- */

static uint64_t unjudged(struct assay_ahead *a)
{
    return atomic_load(&a->made.value) - atomic_load(&a->judged.value);
}

static void settle(struct assay_lead *lead)
{
    struct assay_ahead *a = (struct assay_ahead *)lead;
    while (unjudged(a) > 0 && !atomic_load(&a->judged.ended)) {
        wake(&a->made);
        await(&a->judged, atomic_load(&a->made.value), 0);
    }
}

static bool has_room(struct assay_ahead *a)
{
    const uint64_t judged = atomic_load(&a->judged.value);
    const uint64_t made = atomic_load(&a->made.value);
    return made == judged || (made - judged < BLOCKS &&
                              assay_lead_has_room(&a->lead, &a->blocks[judged % BLOCKS].mark));
}

/* Waits for half of what there is to be judged, not for each block. False when it is to stop. */
static bool wait_for_room(struct assay_ahead *a)
{
    while (!has_room(a) && !atomic_load(&a->judged.ended)) {
        wake(&a->made);
        await(&a->judged, atomic_load(&a->made.value) - unjudged(a) / 2, 0);
    }
    return !atomic_load(&a->judged.ended);
}

static void *decode(void *argument)
{
    struct assay_ahead *a = argument;
    bool last = false;
    while (!last && wait_for_room(a)) {
        struct given *given = &a->blocks[atomic_load(&a->made.value) % BLOCKS];
        assay_lead_mark(&a->lead, &given->mark);
        given->error = a->ops->next(a->decoder, &given->block, &a->diag);
        last = given->error != ASSAY_OK || given->block.count == 0;
        increase(&a->made);
    }
    wake(&a->made);
    return NULL;
}

/* --- the judge's --- */

struct assay_ahead *assay_ahead_open(void)
{
    struct assay_ahead *a = calloc(1, sizeof *a);
    if (a != NULL) {
        a->lead.settle = settle;
        a->diag.offset = ASSAY_NO_OFFSET;
        open_counter(&a->made);
        open_counter(&a->judged);
    }
    return a;
}

struct assay_lead *assay_ahead_lead(struct assay_ahead *a)
{
    return &a->lead;
}

bool assay_ahead_begin(struct assay_ahead *a, const struct assay_decoder_ops *ops,
                       struct assay_decoder *decoder)
{
    a->ops = ops;
    a->decoder = decoder;
    return a->lead.count > 0;
}

bool assay_ahead_running(const struct assay_ahead *a)
{
    return a->running;
}

/* Signals are for the program's own threads. */
static void start(struct assay_ahead *a)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    a->running = pthread_create(&a->thread, NULL, decode, a) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void join(struct assay_ahead *a)
{
    if (a->running) {
        pthread_join(a->thread, NULL);
        a->running = false;
    }
}

/* When there is none, many are awaited for a short time, and then any. */
static void wait_for_block(struct assay_ahead *a)
{
    if (atomic_load(&a->made.value) <= a->taken) {
        await(&a->made, a->taken + ENOUGH, PATIENCE_NANOSECONDS);
    }
    while (atomic_load(&a->made.value) <= a->taken) {
        await(&a->made, a->taken + 1, 0);
    }
}

/* The next block of the thread, once the last one is judged. */
static enum assay_error take(struct assay_ahead *a, struct assay_block *block,
                             struct assay_diag *diag)
{
    if (a->taken > 0) {
        increase(&a->judged);
    }
    wait_for_block(a);
    const struct given *given = &a->blocks[a->taken++ % BLOCKS];
    *block = given->block;
    if (given->error != ASSAY_OK || block->count == 0) {
        join(a);
        *diag = given->error != ASSAY_OK ? a->diag : *diag;
    }
    return given->error;
}

/* All blocks are judged when the thread is started, and it is tried once. */
enum assay_error assay_ahead_next(struct assay_ahead *a, struct assay_block *block,
                                  struct assay_diag *diag)
{
    if (a->requests++ == ASSAY_AHEAD_AFTER) {
        start(a);
    }
    return a->running ? take(a, block, diag) : a->ops->next(a->decoder, block, diag);
}

void assay_ahead_close(struct assay_ahead *a)
{
    if (a != NULL) {
        end(&a->judged);
        join(a);
        close_counter(&a->made);
        close_counter(&a->judged);
        free(a);
    }
}
