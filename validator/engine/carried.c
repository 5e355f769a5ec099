#include "validator/engine/carried.h"

#include <pthread.h>

#include "common/stop.h"
#include "validator/engine/stream_run.h"

enum { MOST_THREADS = 256 };

/* The streams while they are judged. The lock is held by whoever takes or adds one. */
struct carried {
    struct assay_input_run *input;
    const uint32_t *ids;
    size_t count, next, next_result;
    pthread_mutex_t lock;
    pthread_cond_t turn; /* next_result has changed */
    enum assay_error error;
};

static enum assay_error add(struct carried *carried, struct assay_stream_run *stream)
{
    return carried->error != ASSAY_OK ? carried->error : assay_stream_add(stream);
}

/* Takes streams until none is left. */
static void *work(void *argument)
{
    struct carried *c = argument;
    pthread_mutex_lock(&c->lock);
    while (c->next < c->count && c->error == ASSAY_OK) {
        const size_t number = c->next++;
        const struct assay_stream_setup setup =
            assay_stream_setup_of(c->input->input, c->ids[number]);
        struct assay_stream_run stream;
        pthread_mutex_unlock(&c->lock);
        assay_stream_begin(&stream, c->input, &setup);
        assay_stream_judge_carried(&stream);
        pthread_mutex_lock(&c->lock);
        while (c->next_result != number) {
            pthread_cond_wait(&c->turn, &c->lock);
        }
        c->error = add(c, &stream);
        assay_stream_close(&stream);
        c->next_result++;
        pthread_cond_broadcast(&c->turn);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* What is shown of events is in the order of the streams. */
static size_t threads_of(const struct assay_input_run *input, size_t count)
{
    const size_t allowed = input->threads < MOST_THREADS ? input->threads : MOST_THREADS;
    return input->options->show != NULL ? 1 : allowed < count ? allowed : count;
}

static enum assay_error run(struct carried *carried)
{
    pthread_t threads[MOST_THREADS];
    const size_t wanted = threads_of(carried->input, carried->count);
    size_t started = 0;
    while (started + 1 < wanted && pthread_create(&threads[started], NULL, work, carried) == 0) {
        started++;
    }
    work(carried);
    for (size_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    return carried->error;
}

/* The streams that were announced and are not there. One that may be idle is no loss, if there are
 * others. */
static enum assay_error add_missing(struct assay_input_run *input, const uint32_t *ids,
                                    size_t count)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < input->input->stream_count && error == ASSAY_OK; i++) {
        const struct assay_stream_setup setup = {.has_id = true, .id = input->input->streams[i].id};
        size_t at = 0;
        while (at < count && ids[at] != setup.id) {
            at++;
        }
        if (at == count) {
            struct assay_diag why = {0};
            assay_fail(&why, ASSAY_NOT_FOUND, ASSAY_NO_OFFSET, "it is not in the capture");
            error = assay_stream_add_unjudged(input, &setup, &why,
                                              input->input->streams[i].may_be_idle && count > 0);
        }
    }
    return error;
}

enum assay_error assay_carried_run(struct assay_input_run *input, const uint32_t *ids, size_t count)
{
    struct carried carried = {.input = input,
                              .ids = ids,
                              .count = count,
                              .lock = PTHREAD_MUTEX_INITIALIZER,
                              .turn = PTHREAD_COND_INITIALIZER};
    const enum assay_error error = run(&carried);
    pthread_mutex_destroy(&carried.lock);
    pthread_cond_destroy(&carried.turn);
    return error != ASSAY_OK ? error : add_missing(input, ids, count);
}
