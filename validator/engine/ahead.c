/* A ring of blocks between the thread that decodes and the one that judges. Blocks follow each
 * other within microseconds, so that each side looks for a while before it sleeps. */
#include "validator/engine/ahead.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Of the blocks that the decoder keeps one is being judged; the others may be ahead of it. */
enum { BLOCKS = ASSAY_KEPT_BLOCKS, LOOKS = 200 };

struct made {
    struct assay_block block;
    enum assay_error error;
    struct assay_diag diag;
};

struct assay_ahead {
    const struct assay_decoder_ops *ops;
    struct assay_decoder *decoder;
    bool threaded, taken; /* `taken`: the block before is still in use */
    struct made made[BLOCKS];
    unsigned next;
    sem_t vacant; /* blocks that the decoder may make */
    sem_t filled; /* blocks that may be taken */
    atomic_bool stop;
    pthread_t thread;
};

static void wait_for(sem_t *semaphore)
{
    for (unsigned i = 0; i < LOOKS; i++) {
        if (sem_trywait(semaphore) == 0) {
            return;
        }
    }
    while (sem_wait(semaphore) != 0 && errno == EINTR) {
    }
}

static void *decode(void *argument)
{
    struct assay_ahead *a = argument;
    bool last = false;
    for (unsigned i = 0; !last; i = (i + 1) % BLOCKS) {
        struct made *made = &a->made[i];
        wait_for(&a->vacant);
        if (atomic_load(&a->stop)) {
            break;
        }
        made->diag = (struct assay_diag){0};
        made->error = a->ops->next(a->decoder, &made->block, &made->diag);
        last = made->error != ASSAY_OK || made->block.count == 0;
        sem_post(&a->filled);
    }
    return NULL;
}

/* Signals are for the program's own threads. */
static bool start(struct assay_ahead *a)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&a->thread, NULL, decode, a);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0;
}

enum assay_error assay_ahead_open(const struct assay_decoder_ops *ops,
                                  struct assay_decoder *decoder, bool threaded,
                                  struct assay_ahead **ahead)
{
    struct assay_ahead *a = calloc(1, sizeof *a);
    if (a == NULL) {
        return ASSAY_NO_MEMORY;
    }
    a->ops = ops;
    a->decoder = decoder;
    atomic_init(&a->stop, false);
    if (threaded) {
        sem_init(&a->vacant, 0, BLOCKS);
        sem_init(&a->filled, 0, 0);
        a->threaded = start(a);
        if (!a->threaded) {
            sem_destroy(&a->vacant);
            sem_destroy(&a->filled);
        }
    }
    *ahead = a;
    return ASSAY_OK;
}

enum assay_error assay_ahead_next(struct assay_ahead *a, struct assay_block *block,
                                  struct assay_diag *diag)
{
    if (!a->threaded) {
        return a->ops->next(a->decoder, block, diag);
    }
    if (a->taken) {
        sem_post(&a->vacant);
    }
    wait_for(&a->filled);
    const struct made *made = &a->made[a->next];
    a->next = (a->next + 1) % BLOCKS;
    a->taken = true;
    *block = made->block;
    if (made->error != ASSAY_OK) {
        *diag = made->diag;
    }
    return made->error;
}

void assay_ahead_close(struct assay_ahead *a)
{
    if (a == NULL) {
        return;
    }
    if (a->threaded) {
        atomic_store(&a->stop, true);
        sem_post(&a->vacant);
        pthread_join(a->thread, NULL);
        sem_destroy(&a->vacant);
        sem_destroy(&a->filled);
    }
    free(a);
}
