#include "validator/engine/input.h"

#include <string.h>
#include <sys/stat.h>

#include "common/source_concat.h"
#include "execution/execution.h"

/* An error that nobody has told of in words. */
static void explain(enum assay_error error, struct assay_diag *diag)
{
    diag->error = error;
    if (diag->message[0] == '\0') {
        assay_fail(diag, error, ASSAY_NO_OFFSET, "%s", assay_error_text(error));
    }
}

static enum assay_error unreadable(struct assay_input_run *run, enum assay_error error)
{
    struct assay_input_result *result = &run->result;
    result->conclusion = ASSAY_UNREADABLE;
    result->streams = NULL;
    result->stream_count = 0;
    result->exercised = result->violations = 0;
    explain(error, &result->diag);
    /* Memory that could not be had is no fault of the input. */
    return error == ASSAY_NO_MEMORY ? error : ASSAY_OK;
}

enum assay_conclusion assay_most_severe(enum assay_conclusion a, enum assay_conclusion b)
{
    static const int weight[ASSAY_CONCLUSION_COUNT] = {
        [ASSAY_CONFORMS] = 0, [ASSAY_INCOMPLETE] = 1, [ASSAY_VIOLATES] = 2, [ASSAY_UNREADABLE] = 3};
    return weight[a] >= weight[b] ? a : b;
}

/* --- one stream --- */

static void show_progress(void *context, uint64_t offset)
{
    const struct assay_input_run *run = context;
    run->options->progress(run->options->progress_context, run->input->path, offset, run->size);
}

static struct assay_session session_of(struct assay_input_run *run,
                                       const struct assay_stream_setup *setup)
{
    return (struct assay_session){.options = run->options,
                                  .setup = setup,
                                  .arena = &run->arena,
                                  .threaded = run->options->jobs <= 1 || run->spare,
                                  .progress = run->options->progress != NULL ? show_progress : NULL,
                                  .progress_context = run,
                                  .result = {.has_id = setup->has_id,
                                             .id = setup->id,
                                             .format = setup->format,
                                             .conclusion = ASSAY_INCOMPLETE}};
}

/* The carrier's bytes once more; null when they come only once. */
static struct assay_source *again(const struct assay_input_run *run)
{
    struct assay_source *source = NULL;
    return run->carrier != NULL && assay_source_again(run->carrier, &source) == ASSAY_OK ? source
                                                                                         : NULL;
}

/* Adds what the judges say to the tally. */
static enum assay_error tally(struct assay_input_run *run, struct assay_session *session,
                              struct assay_diag *diag)
{
    const bool own = !session->result.has_id;
    struct assay_places places = {0};
    enum assay_error error =
        own ? ASSAY_OK
            : assay_places_read(&places, session, run->format->carrier, again(run), diag);
    places.parts = run->filtered ? NULL : run->input->parts;
    if (error == ASSAY_OK && session->judges != NULL) {
        error = assay_tally_stream(&run->tally, session->judges, session->judge_count, &places,
                                   run->result.stream_count, &session->result);
    }
    assay_places_free(&places);
    return error;
}

/* Adds the result of a session to that of the input. */
static enum assay_error add_stream(struct assay_input_run *run, struct assay_session *session,
                                   struct assay_diag *diag)
{
    struct assay_input_result *result = &run->result;
    const struct assay_stream_result *stream = &session->result;
    const enum assay_error error = tally(run, session, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    struct assay_stream_result *list = assay_arena_grow(
        &run->arena, run->streams, result->stream_count, &run->stream_room, sizeof *list);
    if (list == NULL) {
        return ASSAY_NO_MEMORY;
    }
    run->streams = list;
    list[result->stream_count++] = *stream;
    result->streams = list;
    result->complete = result->complete && stream->complete;
    result->exercised += stream->exercised;
    result->violations += stream->violations;
    result->conclusion = assay_most_severe(result->conclusion, stream->conclusion);
    return ASSAY_OK;
}

/* --- the streams that a capture carries --- */

struct assay_stream_setup assay_stream_setup_of(const struct assay_input *input, uint32_t id)
{
    for (size_t i = 0; i < input->stream_count; i++) {
        if (input->streams[i].id == id) {
            return input->streams[i];
        }
    }
    struct assay_stream_setup setup = {0};
    if (input->others != NULL) {
        setup = *input->others;
    }
    setup.has_id = true;
    setup.id = id;
    return setup;
}

/* `source` wins over `path`; either may be null. */
static enum assay_error open_execution(const char *path, struct assay_source *source,
                                       struct assay_execution **execution, struct assay_diag *diag)
{
    *execution = NULL;
    if (source == NULL && path != NULL) {
        const enum assay_error error = assay_source_open(path, &source, diag);
        if (error != ASSAY_OK) {
            return error;
        }
    }
    if (source == NULL) {
        return ASSAY_OK;
    }
    const enum assay_error error = assay_execution_open(source, execution, diag);
    if (error != ASSAY_OK && path != NULL) {
        assay_diag_path(diag, path);
    }
    return error;
}

/* A stream that cannot be judged: its result says why. */
static enum assay_error add_unjudged(struct assay_input_run *run, uint32_t id, const char *why)
{
    const struct assay_stream_setup setup = {.has_id = true, .id = id};
    struct assay_session session = session_of(run, &setup);
    session.result.unjudged = why;
    return add_stream(run, &session, &run->result.diag);
}

/* Runs a session of the input or of a stream of it; the sources become the session's. */
static enum assay_error run_session(struct assay_input_run *run, struct assay_session *session,
                                    struct assay_source *source,
                                    struct assay_source *execution_source, struct assay_diag *diag)
{
    const char *path = session->setup->execution;
    struct assay_execution *execution = NULL;
    enum assay_error error = open_execution(path, execution_source, &execution, diag);
    if (error != ASSAY_OK) {
        assay_source_close(source);
        return error;
    }
    const bool compared = execution != NULL && path != NULL;
    error = assay_session_run(session, source, execution, diag);
    if (error == ASSAY_USAGE && compared && diag->path[0] == '\0') {
        assay_diag_path(diag, path);
    }
    run->filtered = session->result.has_id ? run->filtered : session->filtered;
    return error != ASSAY_OK ? error : add_stream(run, session, diag);
}

/* Whether an error is of something that was given for the whole input, not for one stream. */
static bool is_of_input(const struct assay_input_run *run, const struct assay_stream_setup *setup,
                        enum assay_error error, const struct assay_diag *diag)
{
    const struct assay_stream_setup *given = &run->given->setup;
    return error == ASSAY_NO_MEMORY ||
           (given->config_file != NULL && strcmp(diag->path, given->config_file) == 0) ||
           (given->execution != NULL && strcmp(diag->path, given->execution) == 0) ||
           (given->images != NULL && setup->images == given->images && error == ASSAY_UNSUPPORTED);
}

/* A stream that could not be judged to its end: why. */
static enum assay_error add_failed(struct assay_input_run *run,
                                   const struct assay_stream_setup *setup, enum assay_error error,
                                   const struct assay_diag *diag)
{
    char text[1024];
    if (is_of_input(run, setup, error, diag)) {
        run->result.diag = *diag;
        return error;
    }
    assay_diag_format(diag, text, sizeof text);
    const char *why = assay_arena_text(&run->arena, text, strlen(text));
    return why != NULL ? add_unjudged(run, setup->id, why) : ASSAY_NO_MEMORY;
}

static enum assay_error run_carried(struct assay_input_run *run, uint32_t id)
{
    const struct assay_stream_setup setup = assay_stream_setup_of(run->input, id);
    if (setup.unjudged != NULL) {
        return add_unjudged(run, id, setup.unjudged);
    }
    if (setup.format == NULL) {
        return add_unjudged(run, id, "its format is not known");
    }
    struct assay_source *bytes = again(run);
    if (bytes == NULL) {
        return add_unjudged(run, id, "the input can be read only once");
    }
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_source *stream = NULL;
    struct assay_session session = session_of(run, &setup);
    enum assay_error error = run->format->carrier->open(bytes, id, &stream, &diag);
    error = error != ASSAY_OK ? error : run_session(run, &session, stream, NULL, &diag);
    assay_session_close(&session);
    if (error == ASSAY_OK) {
        return ASSAY_OK;
    }
    explain(error, &diag);
    return add_failed(run, &setup, error, &diag);
}

/* The streams that were announced and are not there. */
static enum assay_error add_missing(struct assay_input_run *run, const uint32_t *ids, size_t count)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < run->input->stream_count && error == ASSAY_OK; i++) {
        const uint32_t id = run->input->streams[i].id;
        size_t at = 0;
        while (at < count && ids[at] != id) {
            at++;
        }
        if (at == count) {
            error = add_unjudged(run, id, "it is not in the capture");
        }
    }
    return error;
}

/* The ids of the streams that a decoder has seen, in memory of the run; null when there is none. */
static uint32_t *list_carried(struct assay_input_run *run, const struct assay_session *session,
                              size_t *count)
{
    const struct assay_carried *list = NULL;
    *count = run->format->carrier->list(session->decoder, &list);
    uint32_t *ids = assay_arena_take(&run->arena, (*count + 1) * sizeof *ids);
    for (size_t i = 0; ids != NULL && i < *count; i++) {
        ids[i] = list[i].id;
    }
    return ids;
}

/* --- the input --- */

static enum assay_error find_format(struct assay_input_run *run, struct assay_source *source,
                                    struct assay_stream_setup *setup)
{
    *setup = run->input->setup;
    setup->format = setup->format != NULL ? setup->format : assay_detect_format(source);
    return setup->format != NULL ? assay_check_carrier(run->input, setup->format, &run->result.diag)
                                 : assay_explain_unknown(source, &run->result.diag);
}

/* Once the format is known; the sources become the run's. A session is closed before the next one
 * begins, so that memory does not grow with the number of streams. */
static enum assay_error run_streams(struct assay_input_run *run, struct assay_source *source,
                                    const struct assay_stream_setup *setup,
                                    struct assay_source *execution_source)
{
    struct assay_session session = session_of(run, setup);
    struct assay_input_result *result = &run->result;
    const bool carries = setup->format->carrier != NULL;
    uint32_t *ids = NULL;
    size_t count = 0;
    run->format = setup->format;
    result->complete = true;
    result->conclusion = ASSAY_CONFORMS;
    if (carries && assay_source_again(source, &run->carrier) != ASSAY_OK) {
        run->carrier = NULL;
    }
    enum assay_error error = run_session(run, &session, source, execution_source, &result->diag);
    if (error == ASSAY_OK && carries) {
        ids = list_carried(run, &session, &count);
        error = ids != NULL ? ASSAY_OK : ASSAY_NO_MEMORY;
    }
    result->bytes = run->size > 0 ? run->size : session.last_offset;
    assay_session_close(&session);
    for (size_t i = 0; i < count && error == ASSAY_OK; i++) {
        error = run_carried(run, ids[i]);
    }
    return error == ASSAY_OK && carries ? add_missing(run, ids, count) : error;
}

enum assay_error assay_input_run_source(struct assay_input_run *run, struct assay_source *source,
                                        struct assay_source *execution_source)
{
    struct assay_source_status status;
    struct assay_stream_setup setup;
    run->given = run->given != NULL ? run->given : run->input;
    run->result.path = run->input->path;
    assay_source_status(source, &status);
    run->size = status.stored_size;
    enum assay_error error = assay_tally_open(&run->tally, run->options);
    error = error != ASSAY_OK ? error : find_format(run, source, &setup);
    if (error != ASSAY_OK) {
        assay_source_close(execution_source);
        assay_source_close(source);
    } else {
        error = run_streams(run, source, &setup, execution_source);
    }
    return error != ASSAY_OK ? unreadable(run, error) : ASSAY_OK;
}

/* --- files --- */

static void add_file(struct assay_digest *digest, const char *path, enum assay_error *error)
{
    *error = *error != ASSAY_OK ? *error : assay_digest_file(digest, path, NULL);
}

static void end_digest(struct assay_digest *digest, enum assay_error error,
                       char text[ASSAY_DIGEST_TEXT])
{
    assay_digest_end(digest, text);
    if (error != ASSAY_OK) {
        text[0] = '\0';
    }
}

static void digest_path(const char *path, char text[ASSAY_DIGEST_TEXT])
{
    struct stat file;
    struct assay_digest digest;
    enum assay_error error = ASSAY_OK;
    if (stat(path, &file) == 0 && S_ISREG(file.st_mode)) {
        assay_digest_begin(&digest);
        add_file(&digest, path, &error);
        end_digest(&digest, error, text);
    }
}

/* The files that the input consists of, each with its digest if that is wanted; that of the input
 * is of their bytes one after the other. */
static enum assay_error list_files(struct assay_input_run *run)
{
    const struct assay_source_parts *parts = run->input->parts;
    struct assay_file_result *files = assay_arena_take(&run->arena, parts->count * sizeof *files);
    struct assay_digest all;
    enum assay_error error = ASSAY_OK;
    if (files == NULL) {
        return ASSAY_NO_MEMORY;
    }
    for (size_t i = 0; i < parts->count; i++) {
        files[i].path =
            run->input->part_names != NULL ? run->input->part_names[i] : parts->list[i].path;
        files[i].bytes = parts->list[i].size;
    }
    run->result.files = files;
    run->result.file_count = parts->count;
    if (run->options->digest) {
        assay_digest_begin(&all);
        for (size_t i = 0; i < parts->count; i++) {
            digest_path(parts->list[i].path, files[i].sha256);
            add_file(&all, parts->list[i].path, &error);
        }
        end_digest(&all, error, run->result.sha256);
    }
    return ASSAY_OK;
}

/* The bytes of the input, and what results tell of its files. */
static enum assay_error open_source(struct assay_input_run *run, struct assay_source **source)
{
    const char *path = run->input->path;
    enum assay_error error = assay_bundle_open(run->input, &run->bundle, &run->result.diag);
    run->input = &run->bundle.input;
    if (error == ASSAY_OK && run->input->parts != NULL) {
        error = list_files(run);
        return error != ASSAY_OK ? error : assay_source_concat(run->input->parts, source);
    }
    error = error != ASSAY_OK ? error : assay_source_open(path, source, &run->result.diag);
    if (error == ASSAY_OK && run->options->digest && strcmp(path, "-") != 0) {
        digest_path(path, run->result.sha256);
    }
    return error;
}

enum assay_error assay_input_run(struct assay_input_run *run)
{
    struct assay_source *source = NULL;
    run->given = run->input;
    run->result.path = run->input->path;
    const enum assay_error error = open_source(run, &source);
    return error != ASSAY_OK ? unreadable(run, error) : assay_input_run_source(run, source, NULL);
}

void assay_input_close(struct assay_input_run *run)
{
    assay_source_close(run->carrier);
    assay_tally_close(&run->tally);
    assay_arena_free(&run->arena);
    assay_bundle_close(&run->bundle);
}
