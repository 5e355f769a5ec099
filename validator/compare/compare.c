#include "validator/compare/compare.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"

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

/* What a decoder that accepts the trace gives. */
static enum assay_error judge_accepted(const struct assay_corpus_vector *vector,
                                       const struct assay_decoder_run *run,
                                       enum assay_compare_outcome *outcome,
                                       struct assay_failure *failure, struct assay_diag *diag)
{
    FILE *expected = NULL;
    enum assay_error error = open_events(vector, &expected, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    error = assay_events_compare(expected, run->output, vector->format, &failure->comparison, diag);
    fclose(expected);
    *outcome = of_difference(vector, &failure->comparison);
    snprintf(failure->what, sizeof failure->what, "%s",
             failure->comparison.what[0] != '\0' ? failure->comparison.what
                                                 : "no fault is reported");
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

static enum assay_error judge_refused(const struct assay_corpus_vector *vector,
                                      enum assay_compare_outcome *outcome,
                                      struct assay_failure *failure, struct assay_diag *diag)
{
    bool fault = false;
    const enum assay_error error = find_fault(vector, &fault, diag);
    *outcome = vector->shows == ASSAY_SHOWS_CONFORMS && !fault ? ASSAY_REFUSES : ASSAY_AGREES;
    snprintf(failure->what, sizeof failure->what, "exit status 1 for a trace that conforms");
    return error;
}

static enum assay_error judge(const struct assay_decoder_command *decoder,
                              const struct assay_corpus_vector *vector,
                              const struct assay_decoder_run *run,
                              enum assay_compare_outcome *outcome, struct assay_failure *failure,
                              struct assay_diag *diag)
{
    snprintf(failure->said, sizeof failure->said, "%s", run->said);
    if (run->end == ASSAY_DECODER_HANG) {
        *outcome = ASSAY_HANG;
        snprintf(failure->what, sizeof failure->what, "no answer in %u seconds", decoder->seconds);
    } else if (run->end == ASSAY_DECODER_FLOOD) {
        *outcome = ASSAY_DIFFERS;
        snprintf(failure->what, sizeof failure->what, "it writes more than %llu bytes",
                 (unsigned long long)decoder->output);
    } else if (run->end == ASSAY_DECODER_SIGNAL) {
        *outcome = ASSAY_CRASH;
        snprintf(failure->what, sizeof failure->what, "ended by signal %d (%s)", run->status,
                 strsignal(run->status));
    } else if (run->status == 0) {
        return judge_accepted(vector, run, outcome, failure, diag);
    } else if (run->status == 1) {
        return judge_refused(vector, outcome, failure, diag);
    } else if (run->status == 126 || run->status == 127) {
        assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET,
                   "the decoder cannot be run: exit status %d%s%.*s", run->status,
                   run->said[0] != '\0' ? ", " : "", (int)strcspn(run->said, "\n"), run->said);
        assay_diag_hint(diag, "it is run in a folder of its own: give its whole path");
        return ASSAY_NOT_READABLE;
    } else {
        *outcome = ASSAY_CRASH;
        snprintf(failure->what, sizeof failure->what,
                 "exit status %d, which is neither 0 (accepted) nor 1 (refused)", run->status);
    }
    return ASSAY_OK;
}

static enum assay_error compare_one(const struct assay_decoder_command *decoder,
                                    struct assay_compared *compared, struct assay_diag *diag)
{
    const struct assay_corpus_vector *vector = compared->vector;
    const char *manifest = vector->files[ASSAY_VECTOR_MANIFEST];
    struct assay_decoder_run run;
    struct assay_failure *failure = calloc(1, sizeof *failure);
    if (failure == NULL) {
        return ASSAY_NO_MEMORY;
    }
    enum assay_error error = assay_corpus_check(vector, diag);
    error = error == ASSAY_OK ? assay_decoder_run(decoder, vector->files[ASSAY_VECTOR_TRACE],
                                                  manifest != NULL ? manifest : "", &run, diag)
                              : error;
    if (error == ASSAY_OK) {
        compared->run = run.end != ASSAY_DECODER_STOPPED;
        error = compared->run ? judge(decoder, vector, &run, &compared->outcome, failure, diag)
                              : ASSAY_OK;
        fclose(run.output);
    }
    /* What it was compared with is still what was exported. */
    error = error == ASSAY_OK ? assay_corpus_check(vector, diag) : error;
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

static void *run_some(void *pointer)
{
    struct work *work = pointer;
    struct assay_comparisons *all = work->comparisons;
    while (!atomic_load(&work->stopped) && !assay_stop_requested(all->decoder->stop)) {
        struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
        const size_t i = atomic_fetch_add(&work->next, 1);
        if (i >= all->corpus->count) {
            break;
        }
        const enum assay_error error = compare_one(all->decoder, &all->list[i], &diag);
        if (error != ASSAY_OK) {
            stop(work, error, &diag);
        }
        count(work, &all->list[i]);
    }
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
