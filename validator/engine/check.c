#include "validator/engine/check.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/describe.h"
#include "common/filter.h"
#include "common/source.h"
#include "execution/execution.h"
#include "validator/engine/ahead.h"
#include "validator/engine/collect.h"

enum { MAX_CATALOGUES = 16, PROGRESS_BYTES = 16 << 20, PROBE_BYTES = 64 };

struct assay_check {
    const struct assay_check_options *options;
    struct assay_collection *collection;
    /* The next two let threads add their results in the order of the inputs. */
    pthread_mutex_t lock;
    pthread_cond_t turn;
    const char *const *paths;
    size_t path_count, next_path, next_result;
    enum assay_error error;
};

static const struct assay_format *probe_formats(struct assay_source *source, bool compressed)
{
    const uint8_t *data;
    size_t have;
    assay_source_peek(source, PROBE_BYTES, &data, &have);
    for (size_t i = 0; assay_formats[i] != NULL; i++) {
        if ((assay_formats[i]->stored_compressed || !compressed) &&
            assay_formats[i]->probe(data, have)) {
            return assay_formats[i];
        }
    }
    return NULL;
}

/* What a compressed input holds, from what can be decompressed of its beginning. */
static const struct assay_format *probe_compressed(struct assay_source *source)
{
    const enum assay_container container = assay_container_probe(source);
    const struct assay_format *format = NULL;
    struct assay_source *beginning = NULL;
    const uint8_t *data;
    size_t have;
    if (container == ASSAY_CONTAINER_UNKNOWN) {
        return NULL;
    }
    assay_source_peek(source, ASSAY_PEEK_MAX, &data, &have);
    if (assay_source_memory(data, have, &beginning) == ASSAY_OK &&
        assay_filter_open(beginning, container, false, &beginning, NULL) == ASSAY_OK) {
        format = probe_formats(beginning, true);
        assay_source_close(beginning);
    }
    return format;
}

const struct assay_format *assay_detect_format(struct assay_source *source)
{
    const struct assay_format *format = probe_formats(source, false);
    return format != NULL ? format : probe_compressed(source);
}

/* One input while it is being judged. */
struct session {
    const struct assay_check_options *options;
    struct assay_input_result *result;
    struct assay_decoder *decoder;
    struct assay_judge *judges[MAX_CATALOGUES];
    size_t judge_count;
    bool spare; /* there are more jobs than inputs: this one may use several threads */
    uint64_t size;
};

static enum assay_error unreadable(struct session *s, enum assay_error error)
{
    s->result->conclusion = ASSAY_UNREADABLE;
    s->result->diag.error = error;
    if (s->result->diag.message[0] == '\0') {
        assay_fail(&s->result->diag, error, ASSAY_NO_OFFSET, "%s", assay_error_text(error));
    }
    return error;
}

static enum assay_error find_format(struct session *s, struct assay_source *source)
{
    const uint8_t *data;
    size_t have;
    s->result->format =
        s->options->format != NULL ? s->options->format : assay_detect_format(source);
    if (s->result->format != NULL) {
        return ASSAY_OK;
    }
    const enum assay_error error = assay_source_peek(source, PROBE_BYTES, &data, &have);
    if (have == 0 && error != ASSAY_OK) {
        struct assay_source_status status;
        assay_source_status(source, &status);
        return assay_fail(&s->result->diag, error, 0, "%s", status.detail);
    }
    if (have == 0) {
        assay_fail(&s->result->diag, ASSAY_UNKNOWN_FORMAT, 0, "the input is empty");
    } else {
        char first[16] = "";
        for (size_t i = 0; i < have && i < 4; i++) {
            assay_append(first, sizeof first, "%s%02x", i > 0 ? " " : "", data[i]);
        }
        assay_fail(&s->result->diag, ASSAY_UNKNOWN_FORMAT, 0,
                   "the input begins with %s, which is no format's magic", first);
    }
    assay_diag_hint(&s->result->diag, "--format says what it is meant to be");
    return ASSAY_UNKNOWN_FORMAT;
}

static enum assay_error open_execution(struct session *s, struct assay_source *source,
                                       struct assay_execution **execution)
{
    *execution = NULL;
    if (source == NULL && s->options->execution != NULL) {
        const enum assay_error error =
            assay_source_open(s->options->execution, &source, &s->result->diag);
        if (error != ASSAY_OK) {
            return error;
        }
    }
    if (source == NULL) {
        return ASSAY_OK;
    }
    const enum assay_error error = assay_execution_open(source, execution, &s->result->diag);
    if (error != ASSAY_OK && s->options->execution != NULL) {
        assay_diag_path(&s->result->diag, s->options->execution);
    }
    return error;
}

static enum assay_error open_judges(struct session *s, bool executed)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < s->options->catalogue_count && error == ASSAY_OK; i++) {
        const struct assay_catalogue *catalogue = s->options->catalogues[i];
        if (catalogue->format != s->result->format || s->judge_count == MAX_CATALOGUES) {
            continue;
        }
        const struct assay_judge_settings settings = {
            .catalogue = catalogue,
            .facts = s->options->facts,
            .readings = s->options->readings != NULL ? s->options->readings[i] : NULL,
            .deselected = s->options->deselected != NULL ? s->options->deselected[i] : NULL,
            .given = (uint8_t)(ASSAY_NEED_ISA | (executed ? ASSAY_NEED_EXECUTION : 0)),
            .max_findings = s->options->max_findings,
            .evaluate = s->options->evaluate,
        };
        error = assay_judge_open(&settings, &s->judges[s->judge_count], &s->result->diag);
        s->judge_count += error == ASSAY_OK;
    }
    return error;
}

static enum assay_error judge_block(struct session *s, const struct assay_block *block)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < s->judge_count && error == ASSAY_OK; i++) {
        error = assay_judge_events(s->judges[i], block->events, block->count);
    }
    return error;
}

static enum assay_error judge_all(struct session *s, bool kept)
{
    const struct assay_decoder_ops *ops = s->result->format->decoder;
    struct assay_block block = {0};
    struct assay_ahead *ahead = NULL;
    uint64_t told = 0;
    enum assay_error error = assay_ahead_open(ops, s->decoder, kept, &ahead);
    if (error != ASSAY_OK) {
        return error;
    }
    while ((error = assay_ahead_next(ahead, &block, &s->result->diag)) == ASSAY_OK &&
           block.count > 0 && (error = judge_block(s, &block)) == ASSAY_OK) {
        const uint64_t at = block.events[block.count - 1].offset;
        s->result->bytes = at;
        if (s->options->progress != NULL && at - told >= PROGRESS_BYTES) {
            told = at;
            s->options->progress(s->options->progress_context, s->result->path, at, s->size);
        }
    }
    assay_ahead_close(ahead);
    if (error != ASSAY_OK) {
        return error;
    }
    s->result->complete = ops->complete(s->decoder);
    s->result->profile = ops->profile(s->decoder);
    s->result->profile_reason =
        ops->profile_reason != NULL ? ops->profile_reason(s->decoder) : NULL;
    for (size_t i = 0; i < s->judge_count; i++) {
        assay_judge_profile(s->judges[i], s->result->profile);
    }
    s->result->bytes = s->size > 0 ? s->size : s->result->bytes;
    return error;
}

/* How many events of each kind there were. Without rules nobody has looked. */
static const uint64_t *count_events(const struct session *s)
{
    static const uint64_t none[64];
    return s->judge_count > 0 ? assay_judge_counts(s->judges[0]) : none;
}

static void conclude(struct session *s)
{
    bool violated = false;
    for (size_t i = 0; i < s->judge_count; i++) {
        const struct assay_catalogue *catalogue = assay_judge_catalogue(s->judges[i]);
        for (size_t r = 0; r < catalogue->rule_count; r++) {
            const struct assay_rule_result result = assay_judge_result(s->judges[i], r);
            s->result->exercised += result.exercised;
            s->result->violations += result.violated;
            violated = violated || (result.violated > 0 && !s->options->never_fail &&
                                    catalogue->rules[r].level >= s->options->fail_on);
        }
    }
    s->result->conclusion = violated                                          ? ASSAY_VIOLATES
                            : s->result->complete && s->result->exercised > 0 ? ASSAY_CONFORMS
                                                                              : ASSAY_INCOMPLETE;
}

/* Judges what a source gives; afterwards the session holds the result and the judges. */
static void run_session(struct session *s, struct assay_source *source,
                        struct assay_source *execution_source)
{
    struct assay_execution *execution = NULL;
    struct assay_source_status status;
    assay_source_status(source, &status);
    s->size = status.stored_size;
    enum assay_error error = find_format(s, source);
    if (error != ASSAY_OK) {
        assay_source_close(execution_source);
    } else {
        error = open_execution(s, execution_source, &execution);
    }
    if (error != ASSAY_OK) {
        assay_source_close(source);
        unreadable(s, error);
        return;
    }
    const bool kept = s->spare && execution == NULL && s->result->format->decoder->can_keep;
    const struct assay_decode_input input = {.source = source,
                                             .execution = execution,
                                             .execution_thread = s->options->execution_thread,
                                             .facts = s->options->facts,
                                             .profile = s->options->profile,
                                             .threaded =
                                                 (s->options->jobs <= 1 || s->spare) && !kept,
                                             .kept = kept};
    const bool executed = execution != NULL;
    error = s->result->format->decoder->open(&input, &s->decoder, &s->result->diag);
    error = error != ASSAY_OK ? error : open_judges(s, executed);
    error = error != ASSAY_OK ? error : judge_all(s, input.kept);
    if (error != ASSAY_OK) {
        unreadable(s, error);
    } else {
        conclude(s);
    }
}

/* Adds the result of an input. Memory that could not be had is no fault of the input. */
static enum assay_error collect(struct assay_check *check, const struct session *s)
{
    return s->result->conclusion == ASSAY_UNREADABLE && s->result->diag.error == ASSAY_NO_MEMORY
               ? ASSAY_NO_MEMORY
               : assay_collect(check->collection, s->result, s->judges, s->judge_count);
}

static void close_session(struct session *s)
{
    for (size_t i = 0; i < s->judge_count; i++) {
        assay_judge_close(s->judges[i]);
    }
    if (s->decoder != NULL) {
        s->result->format->decoder->close(s->decoder);
    }
}

static void digest_path(struct assay_input_result *result, const char *path)
{
    struct stat file;
    struct assay_digest digest;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode)) {
        return;
    }
    assay_digest_begin(&digest);
    const enum assay_error error = assay_digest_file(&digest, path, NULL);
    assay_digest_end(&digest, result->sha256);
    if (error != ASSAY_OK) {
        result->sha256[0] = '\0';
    }
}

static void open_and_run(struct session *s, const char *path)
{
    struct assay_source *source = NULL;
    const enum assay_error error = assay_source_open(path, &source, &s->result->diag);
    if (error != ASSAY_OK) {
        unreadable(s, error);
        return;
    }
    if (s->options->digest && strcmp(path, "-") != 0) {
        digest_path(s->result, path);
    }
    run_session(s, source, NULL);
}

/* Takes inputs until none is left. Results are added in the order of the inputs, whichever thread
 * is ready first. */
static void *work(void *argument)
{
    struct assay_check *check = argument;
    pthread_mutex_lock(&check->lock);
    while (check->next_path < check->path_count && check->error == ASSAY_OK) {
        const size_t number = check->next_path++;
        struct assay_input_result result = {.path = check->paths[number]};
        struct session session = {.options = check->options,
                                  .result = &result,
                                  .spare = check->options->jobs > check->path_count};
        pthread_mutex_unlock(&check->lock);
        open_and_run(&session, check->paths[number]);
        result.events = count_events(&session);
        pthread_mutex_lock(&check->lock);
        while (check->next_result != number) {
            pthread_cond_wait(&check->turn, &check->lock);
        }
        const enum assay_error error = collect(check, &session);
        check->error = check->error != ASSAY_OK ? check->error : error;
        check->next_result++;
        pthread_cond_broadcast(&check->turn);
        pthread_mutex_unlock(&check->lock);
        close_session(&session);
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

enum assay_error assay_check_paths(struct assay_check *check, const char *const *paths,
                                   size_t count, struct assay_diag *diag)
{
    enum { MAX_JOBS = 256 };
    pthread_t threads[MAX_JOBS];
    unsigned jobs = check->options->jobs < MAX_JOBS ? check->options->jobs : MAX_JOBS;
    unsigned started = 0;
    check->paths = paths;
    check->path_count = count;
    check->next_path = 0;
    check->next_result = 0;
    jobs = jobs < count ? jobs : (unsigned)count;
    while (started + 1 < jobs && pthread_create(&threads[started], NULL, work, check) == 0) {
        started++;
    }
    work(check);
    for (unsigned i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    return check->error == ASSAY_OK ? ASSAY_OK
                                    : assay_fail(diag, check->error, ASSAY_NO_OFFSET, "%s",
                                                 assay_error_text(check->error));
}

enum assay_error assay_check_source(struct assay_check *check, const char *name,
                                    struct assay_source *source, struct assay_source *execution,
                                    struct assay_diag *diag)
{
    struct assay_input_result result = {.path = name};
    struct session session = {.options = check->options, .result = &result};
    run_session(&session, source, execution);
    result.events = count_events(&session);
    const enum assay_error error = collect(check, &session);
    close_session(&session);
    return error == ASSAY_OK
               ? ASSAY_OK
               : assay_fail(diag, error, ASSAY_NO_OFFSET, "%s", assay_error_text(error));
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
