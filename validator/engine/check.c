/* A run: inputs judged on several threads, their results added in the order of the inputs. */
#include "validator/engine/check.h"

#include <pthread.h>
#include <stdlib.h>

#include "common/stop.h"
#include "io/source.h"
#include "validator/engine/collect.h"
#include "validator/engine/input.h"

struct assay_check {
    const struct assay_check_options *options;
    struct assay_collection *collection;
    /* The next two let threads add their results in the order of the inputs. */
    pthread_mutex_t lock;
    pthread_cond_t turn;
    const struct assay_input *inputs;
    size_t input_count, next_input, next_result;
    size_t before; /* inputs whose results are there already */
    enum assay_error error;
};

static void wait_turn(struct assay_check *check, size_t number)
{
    while (check->next_result != number) {
        pthread_cond_wait(&check->turn, &check->lock);
    }
}

/* Judges an input, unless its result is known. */
static enum assay_error judge(const struct assay_check_options *options,
                              struct assay_input_run *run)
{
    const struct assay_recorder *recorder = options->recorder;
    bool known = false;
    enum assay_error error = ASSAY_OK;
    if (assay_stop_requested(options->stop)) {
        assay_input_not_reached(run);
        return ASSAY_OK;
    }
    if (recorder != NULL && recorder->recall != NULL) {
        error = recorder->recall(recorder->context, run, &known);
    }
    if (error != ASSAY_OK || known) {
        return error;
    }
    error = assay_input_run(run);
    if (error == ASSAY_OK && recorder != NULL && recorder->judged != NULL) {
        recorder->judged(recorder->context, run);
    }
    return error;
}

/* Adds what judging an input gave. */
static enum assay_error add(struct assay_check *check, const struct assay_input_run *run)
{
    const struct assay_recorder *recorder = check->options->recorder;
    const enum assay_error error = assay_collect(check->collection, run);
    return error == ASSAY_OK && recorder != NULL && recorder->added != NULL
               ? recorder->added(recorder->context, run)
               : error;
}

/* How many threads are an input's: the jobs are divided among the inputs. */
static unsigned threads_of(const struct assay_check *check, size_t number)
{
    const unsigned jobs = check->options->jobs;
    return jobs > check->input_count
               ? (unsigned)(jobs / check->input_count + (number < jobs % check->input_count))
               : 1;
}

/* Takes inputs until none is left. Results are added in the order of the inputs, whichever thread
 * is ready first. */
static void *work(void *argument)
{
    struct assay_check *check = argument;
    pthread_mutex_lock(&check->lock);
    while (check->next_input < check->input_count && check->error == ASSAY_OK) {
        const size_t number = check->next_input++;
        struct assay_input_run run = {.options = check->options,
                                      .input = &check->inputs[number],
                                      .number = check->before + number,
                                      .threads = threads_of(check, number)};
        if (check->options->begun != NULL) {
            check->options->begun(check->options->found_context, run.number, run.input->path);
        }
        pthread_mutex_unlock(&check->lock);
        enum assay_error error = judge(check->options, &run);
        if (check->options->progress != NULL) {
            const uint64_t bytes = run.result.bytes;
            check->options->progress(check->options->progress_context, check->inputs[number].path,
                                     bytes, bytes);
        }
        pthread_mutex_lock(&check->lock);
        wait_turn(check, number);
        error = error != ASSAY_OK ? error : add(check, &run);
        if (error == ASSAY_OK && check->options->judged != NULL) {
            check->options->judged(check->options->found_context,
                                   assay_collection_so_far(check->collection), run.number);
        }
        check->error = check->error != ASSAY_OK ? check->error : error;
        check->next_result++;
        pthread_cond_broadcast(&check->turn);
        pthread_mutex_unlock(&check->lock);
        assay_input_close(&run);
        pthread_mutex_lock(&check->lock);
    }
    pthread_mutex_unlock(&check->lock);
    return NULL;
}

enum assay_error assay_check_open(const struct assay_check_options *options,
                                  struct assay_check **check, struct assay_diag *diag)
{
    struct assay_check *c = calloc(1, sizeof *c);
    if (c != NULL) {
        c->options = options;
        c->collection = assay_collection_open(options);
    }
    if (c == NULL || c->collection == NULL) {
        free(c);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->turn, NULL);
    *check = c;
    return ASSAY_OK;
}

static enum assay_error explain(enum assay_error error, struct assay_diag *diag)
{
    return error == ASSAY_OK
               ? ASSAY_OK
               : assay_fail(diag, error, ASSAY_NO_OFFSET, "%s", assay_error_text(error));
}

enum assay_error assay_check_inputs(struct assay_check *check, const struct assay_input *inputs,
                                    size_t count, struct assay_diag *diag)
{
    enum { MAX_JOBS = 256 };
    pthread_t threads[MAX_JOBS];
    unsigned jobs = check->options->jobs < MAX_JOBS ? check->options->jobs : MAX_JOBS;
    unsigned started = 0;
    check->inputs = inputs;
    check->input_count = count;
    check->before = assay_collection_so_far(check->collection)->input_count;
    check->next_input = 0;
    check->next_result = 0;
    jobs = jobs < count ? jobs : (unsigned)count;
    while (started + 1 < jobs && pthread_create(&threads[started], NULL, work, check) == 0) {
        started++;
    }
    work(check);
    for (unsigned i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    return explain(check->error, diag);
}

enum assay_error assay_check_source(struct assay_check *check, const struct assay_input *input,
                                    struct assay_source *source, struct assay_source *execution,
                                    struct assay_diag *diag)
{
    struct assay_input_run run = {.options = check->options,
                                  .input = input,
                                  .threads = check->options->jobs,
                                  .number =
                                      assay_collection_so_far(check->collection)->input_count};
    enum assay_error error = assay_input_run_source(&run, source, execution);
    error = error != ASSAY_OK ? error : assay_collect(check->collection, &run);
    assay_input_close(&run);
    return explain(error, diag);
}

const struct assay_results *assay_check_begun(const struct assay_check *check)
{
    return assay_collection_so_far(check->collection);
}

const struct assay_results *assay_check_results(struct assay_check *check)
{
    return assay_collection_results(check->collection);
}

void assay_check_close(struct assay_check *check)
{
    if (check != NULL) {
        assay_collection_close(check->collection);
        pthread_mutex_destroy(&check->lock);
        pthread_cond_destroy(&check->turn);
        free(check);
    }
}
