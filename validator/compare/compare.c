#include "validator/compare/compare.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "validator/compare/server.h"

const char *assay_compare_outcome_name(enum assay_compare_outcome outcome)
{
    static const char *const names[ASSAY_COMPARE_OUTCOMES] = {"agrees",  "differs", "refuses",
                                                              "accepts", "crash",   "hang"};
    return names[outcome];
}

/* --- one vector --- */

static enum assay_compare_outcome of_difference(const struct assay_corpus_vector *vector,
                                                const struct assay_comparison *c)
{
    switch (c->difference) {
    case ASSAY_FAULT_MISSED:
        return ASSAY_ACCEPTS;
    case ASSAY_NO_EVENTS:
        return ASSAY_DIFFERS;
    case ASSAY_DIFFERENT:
        /* What a decoder makes of values that must not be there is open. */
        return vector->shows == ASSAY_SHOWS_VIOLATES ? ASSAY_AGREES : ASSAY_DIFFERS;
    default:
        return vector->shows == ASSAY_SHOWS_REFUSES && !c->malformed ? ASSAY_ACCEPTS : ASSAY_AGREES;
    }
}

static enum assay_error open_events(const struct assay_corpus_vector *vector, FILE **file,
                                    struct assay_diag *diag)
{
    const enum assay_error error = assay_file_open(vector->files[ASSAY_VECTOR_EVENTS], file, diag);
    if (error != ASSAY_OK) {
        assay_diag_path(diag, vector->files[ASSAY_VECTOR_EVENTS]);
    }
    return error;
}

/* Whether the reference decoder has a malformed event, in any layer: what the decoder refuses is
 * then rightly refused. */
static enum assay_error find_fault(const struct assay_corpus_vector *vector, bool *found,
                                   struct assay_diag *diag)
{
    static const char mark[] = "\"kind\": \"malformed\"";
    FILE *file = NULL;
    char *line = NULL;
    size_t room = 0;
    enum assay_error error = open_events(vector, &file, diag);
    *found = false;
    if (error != ASSAY_OK) {
        return error;
    }
    while (!*found && getline(&line, &room, file) > 0) {
        *found = strstr(line, mark) != NULL;
    }
    if (!*found && !feof(file)) {
        error = assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    free(line);
    fclose(file);
    return error;
}

/* `words` are the decoder's own. */
static enum assay_error judge_refused(const struct assay_corpus_vector *vector, const char *words,
                                      enum assay_compare_outcome *outcome,
                                      struct assay_failure *failure, struct assay_diag *diag)
{
    bool fault = false;
    const enum assay_error error = find_fault(vector, &fault, diag);
    const int size = (int)strcspn(words, "\n");
    *outcome = vector->shows == ASSAY_SHOWS_CONFORMS && !fault ? ASSAY_REFUSES : ASSAY_AGREES;
    snprintf(failure->what, sizeof failure->what, "a trace that conforms is refused%s%.*s",
             size > 0 ? ": " : "", size, words);
    return error;
}

/* What a decoder that writes events gives. */
static enum assay_error judge_events(const struct assay_comparisons *all,
                                     const struct assay_corpus_vector *vector,
                                     const struct assay_decoder_run *run,
                                     enum assay_compare_outcome *outcome,
                                     struct assay_failure *failure, struct assay_diag *diag)
{
    FILE *expected = NULL;
    struct assay_comparison *c = &failure->comparison;
    enum assay_error error = open_events(vector, &expected, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    error = assay_events_compare(expected, run->output, vector->format, all->layer, c, diag);
    fclose(expected);
    if (error == ASSAY_OK && c->refused) {
        return judge_refused(vector, c->why, outcome, failure, diag);
    }
    *outcome = of_difference(vector, c);
    snprintf(failure->what, sizeof failure->what, "%s",
             c->what[0] != '\0' ? c->what : "no fault is reported");
    return error;
}

/* The decoder ended by itself with a status that says nothing of the trace. */
static enum assay_error judge_status(const struct assay_decoder_command *decoder,
                                     const struct assay_decoder_run *run,
                                     enum assay_compare_outcome *outcome,
                                     struct assay_failure *failure, struct assay_diag *diag)
{
    if (run->status == 126 || run->status == 127) {
        assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET,
                   "the decoder cannot be run: exit status %d%s%.*s", run->status,
                   run->said[0] != '\0' ? ", " : "", (int)strcspn(run->said, "\n"), run->said);
        assay_diag_hint(diag, decoder->isolation == ASSAY_ISOLATION_BWRAP
                                  ? "it is run in a folder of its own, isolated: give its whole "
                                    "path, which cannot be below /dev"
                                  : "it is run in a folder of its own: give its whole path");
        return ASSAY_NOT_READABLE;
    }
    *outcome = ASSAY_CRASH;
    snprintf(failure->what, sizeof failure->what,
             decoder->persistent
                 ? "it ends with status %d in place of the line of the end (it refuses a trace by "
                   "{\"kind\": \"end\", \"refused\": \"why\"})"
                 : "exit status %d, which is neither 0 (accepted) nor 1 (refused)",
             run->status);
    return ASSAY_OK;
}

static void judge_hang(const struct assay_decoder_command *decoder,
                       const struct assay_decoder_run *run, struct assay_failure *failure)
{
    if (!decoder->persistent) {
        snprintf(failure->what, sizeof failure->what, "no answer in %u seconds", decoder->seconds);
    } else {
        snprintf(failure->what, sizeof failure->what,
                 "%s in %u seconds%s (does it flush standard output after the line of the end?)",
                 run->written == 0 ? "no answer" : "no whole answer", decoder->seconds,
                 run->written == 0 ? "" : ": the line of the end is missing");
    }
}

static enum assay_error judge(const struct assay_comparisons *all,
                              const struct assay_corpus_vector *vector,
                              const struct assay_decoder_run *run,
                              enum assay_compare_outcome *outcome, struct assay_failure *failure,
                              struct assay_diag *diag)
{
    const struct assay_decoder_command *decoder = all->decoder;
    snprintf(failure->said, sizeof failure->said, "%s", run->said);
    switch (run->end) {
    case ASSAY_DECODER_HANG:
        *outcome = ASSAY_HANG;
        judge_hang(decoder, run, failure);
        return ASSAY_OK;
    case ASSAY_DECODER_FLOOD:
        *outcome = ASSAY_DIFFERS;
        snprintf(failure->what, sizeof failure->what, "it writes more than %llu bytes",
                 (unsigned long long)decoder->output);
        return ASSAY_OK;
    case ASSAY_DECODER_SURPLUS:
        *outcome = ASSAY_DIFFERS;
        snprintf(failure->what, sizeof failure->what,
                 "it goes on after the line of the end, or answers before it has read the path");
        return ASSAY_OK;
    case ASSAY_DECODER_SIGNAL:
        *outcome = ASSAY_CRASH;
        snprintf(failure->what, sizeof failure->what, "ended by signal %d (%s)", run->status,
                 strsignal(run->status));
        return ASSAY_OK;
    case ASSAY_DECODER_ANSWERED:
        return judge_events(all, vector, run, outcome, failure, diag);
    default:
        break;
    }
    if (run->status == 0 && !decoder->persistent) {
        return judge_events(all, vector, run, outcome, failure, diag);
    }
    return run->status == 1 && !decoder->persistent
               ? judge_refused(vector, run->said, outcome, failure, diag)
               : judge_status(decoder, run, outcome, failure, diag);
}

/* Runs the decoder, or asks the one that stays, and judges what it answers. */
static enum assay_error run_and_judge(const struct assay_comparisons *all,
                                      struct assay_server *server, struct assay_compared *compared,
                                      struct assay_failure *failure, struct assay_diag *diag)
{
    const struct assay_corpus_vector *vector = compared->vector;
    const char *trace = vector->files[ASSAY_VECTOR_TRACE];
    const char *manifest = vector->files[ASSAY_VECTOR_MANIFEST];
    struct assay_decoder_run run;
    manifest = manifest != NULL ? manifest : "";
    enum assay_error error = server != NULL
                                 ? assay_server_ask(server, trace, manifest, &run, diag)
                                 : assay_decoder_run(all->decoder, trace, manifest, &run, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    compared->run = run.end != ASSAY_DECODER_STOPPED;
    error = compared->run ? judge(all, vector, &run, &compared->outcome, failure, diag) : ASSAY_OK;
    if (server == NULL) {
        fclose(run.output);
    }
    return error;
}

static enum assay_error compare_one(const struct assay_comparisons *all,
                                    struct assay_server *server, struct assay_compared *compared,
                                    struct assay_diag *diag)
{
    struct assay_failure *failure = calloc(1, sizeof *failure);
    if (failure == NULL) {
        return ASSAY_NO_MEMORY;
    }
    enum assay_error error = assay_corpus_check(compared->vector, diag);
    error = error == ASSAY_OK ? run_and_judge(all, server, compared, failure, diag) : error;
    /* What it was compared with is still what was exported. */
    error = error == ASSAY_OK ? assay_corpus_check(compared->vector, diag) : error;
    compared->events = failure->comparison.events;
    if (error == ASSAY_OK && compared->run && compared->outcome != ASSAY_AGREES) {
        compared->failure = failure;
    } else {
        free(failure);
    }
    return error;
}

/* --- all of them --- */

struct work {
    struct assay_comparisons *comparisons;
    atomic_size_t next;
    atomic_bool stopped;
    pthread_mutex_t lock; /* of the two below, and the counts of the comparisons */
    enum assay_error error;
    struct assay_diag *diag;
};

static void stop(struct work *work, enum assay_error error, const struct assay_diag *diag)
{
    pthread_mutex_lock(&work->lock);
    if (work->error == ASSAY_OK) {
        work->error = error;
        *work->diag = *diag;
    }
    pthread_mutex_unlock(&work->lock);
    atomic_store(&work->stopped, true);
}

/* What a thread has: its decoder, if that stays, and the vector that was the last for it. */
struct worker {
    struct work *work;
    struct assay_server *server;
    struct assay_compared *last;
};

static void count(struct work *work, const struct assay_compared *compared)
{
    struct assay_comparisons *all = work->comparisons;
    pthread_mutex_lock(&work->lock);
    all->run += compared->run;
    all->failed += compared->failure != NULL;
    if (all->progress != NULL) {
        all->progress(all->progress_context, all->run, all->failed);
    }
    pthread_mutex_unlock(&work->lock);
}

/* What the decoder does after its last answer, before it reads the next question, fails that
 * vector. */
static enum assay_error charge(struct worker *worker, const struct assay_decoder_run *run)
{
    struct assay_compared *last = worker->last;
    if (run->end == ASSAY_DECODER_ANSWERED || last == NULL || !last->run || last->failure != NULL) {
        return ASSAY_OK;
    }
    last->failure = calloc(1, sizeof *last->failure);
    if (last->failure == NULL) {
        return ASSAY_NO_MEMORY;
    }
    last->outcome = run->end == ASSAY_DECODER_SURPLUS ? ASSAY_DIFFERS : ASSAY_CRASH;
    snprintf(last->failure->what, sizeof last->failure->what,
             run->end == ASSAY_DECODER_SURPLUS  ? "it goes on after the line of the end"
             : run->end == ASSAY_DECODER_SIGNAL ? "after its answer ended by signal %d"
                                                : "after its answer it ends with status %d",
             run->status);
    pthread_mutex_lock(&worker->work->lock);
    worker->work->comparisons->failed++;
    pthread_mutex_unlock(&worker->work->lock);
    return ASSAY_OK;
}

static enum assay_error check_last(struct worker *worker, bool at_end, struct assay_diag *diag)
{
    struct assay_decoder_run run;
    if (worker->server == NULL) {
        return ASSAY_OK;
    }
    const enum assay_error error = assay_server_check(worker->server, at_end, &run, diag);
    return error == ASSAY_OK ? charge(worker, &run) : error;
}

static void run_one(struct worker *worker, struct assay_compared *compared)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    enum assay_error error = check_last(worker, false, &diag);
    if (error == ASSAY_OK) {
        error = compare_one(worker->work->comparisons, worker->server, compared, &diag);
    }
    if (error == ASSAY_OK && worker->server != NULL) {
        const struct assay_decoder_run late = assay_server_late(worker->server);
        error = charge(worker, &late);
    }
    if (error != ASSAY_OK) {
        stop(worker->work, error, &diag);
    }
    worker->last = compared;
    count(worker->work, compared);
}

static void *run_some(void *pointer)
{
    struct worker worker = {.work = pointer};
    struct assay_comparisons *all = worker.work->comparisons;
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    enum assay_error error = all->decoder->persistent
                                 ? assay_server_open(all->decoder, &worker.server, &diag)
                                 : ASSAY_OK;
    while (error == ASSAY_OK && !atomic_load(&worker.work->stopped) &&
           !assay_stop_requested(all->decoder->stop)) {
        const size_t i = atomic_fetch_add(&worker.work->next, 1);
        if (i >= all->corpus->count) {
            break;
        }
        run_one(&worker, &all->list[i]);
    }
    if (error == ASSAY_OK && !assay_stop_requested(all->decoder->stop)) {
        error = check_last(&worker, true, &diag);
    }
    if (error != ASSAY_OK) {
        stop(worker.work, error, &diag);
    }
    assay_server_close(worker.server);
    return NULL;
}

enum { JOBS_MOST = 256 };

enum assay_error assay_compare(struct assay_comparisons *comparisons, struct assay_diag *diag)
{
    pthread_t threads[JOBS_MOST];
    unsigned begun = 0;
    struct work work = {
        .comparisons = comparisons, .lock = PTHREAD_MUTEX_INITIALIZER, .diag = diag};
    comparisons->list = calloc(comparisons->corpus->count, sizeof *comparisons->list);
    if (comparisons->list == NULL) {
        return ASSAY_NO_MEMORY;
    }
    for (size_t i = 0; i < comparisons->corpus->count; i++) {
        comparisons->list[i].vector = &comparisons->corpus->vectors[i];
    }
    while (begun + 1 < comparisons->jobs && begun < JOBS_MOST &&
           pthread_create(&threads[begun], NULL, run_some, &work) == 0) {
        begun++;
    }
    (void)run_some(&work);
    while (begun > 0) {
        (void)pthread_join(threads[--begun], NULL);
    }
    return work.error;
}

void assay_comparisons_free(struct assay_comparisons *comparisons)
{
    for (size_t i = 0; comparisons->list != NULL && i < comparisons->corpus->count; i++) {
        free(comparisons->list[i].failure);
    }
    free(comparisons->list);
    comparisons->list = NULL;
}
