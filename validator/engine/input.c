#include "validator/engine/input.h"

#include <string.h>

#include "common/source_concat.h"
#include "execution/execution.h"
#include "validator/engine/listener.h"

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
    result->exercised = result->violations = result->waived = 0;
    if (error != ASSAY_NO_MEMORY && assay_stop_requested(run->options->stop)) {
        assay_input_not_reached(run);
        return ASSAY_OK;
    }
    explain(error, &result->diag);
    /* Memory that could not be had is no fault of the input. */
    return error == ASSAY_NO_MEMORY ? error : ASSAY_OK;
}

void assay_input_not_reached(struct assay_input_run *run)
{
    run->result.path = run->input->path;
    run->result.conclusion = ASSAY_INCOMPLETE;
    run->result.interrupted = true;
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

/* Whether threads may help with this input. */
static bool threaded(const struct assay_input_run *run)
{
    return run->options->jobs <= 1 || run->spare;
}

static struct assay_session session_of(struct assay_input_run *run,
                                       const struct assay_stream_setup *setup)
{
    return (struct assay_session){
        .options = run->options,
        .setup = setup,
        .arena = &run->arena,
        .threaded = threaded(run),
        .progress = run->options->progress != NULL ? show_progress : NULL,
        .progress_context = run,
        .found = run->options->found != NULL && !setup->has_id ? assay_listener_found : NULL,
        .found_context = run,
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

/* A copy in memory of the run; null when memory is out. */
static const struct assay_diag *keep_diag(struct assay_input_run *run,
                                          const struct assay_diag *diag)
{
    struct assay_diag *copy = assay_arena_take(&run->arena, sizeof *copy);
    if (copy != NULL) {
        *copy = *diag;
    }
    return copy;
}

/* Where findings of a carried stream are in the input. That they cannot be found there is told with
 * the stream, whose findings stay. */
static enum assay_error find_places(struct assay_input_run *run, struct assay_session *session,
                                    struct assay_places *places)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const enum assay_error error =
        assay_places_read(places, session, run->format->carrier, again(run), &diag);
    if (error == ASSAY_OK || error == ASSAY_NO_MEMORY) {
        return error;
    }
    explain(error, &diag);
    session->result.unlocated = keep_diag(run, &diag);
    return session->result.unlocated != NULL ? ASSAY_OK : ASSAY_NO_MEMORY;
}

/* Adds what the judges say to the tally. */
static enum assay_error tally(struct assay_input_run *run, struct assay_session *session)
{
    struct assay_places places = {0};
    enum assay_error error = session->result.has_id ? find_places(run, session, &places) : ASSAY_OK;
    places.parts = run->result.filtered ? NULL : run->input->parts;
    if (error == ASSAY_OK && session->result.has_id && run->options->found != NULL) {
        assay_listener_carried(run, session, &places);
    }
    if (error == ASSAY_OK && session->judges != NULL) {
        error = assay_tally_stream(&run->tally, session->judges, session->judge_count, &places,
                                   run->result.stream_count, &session->result);
    }
    assay_places_free(&places);
    return error;
}

/* Adds the result of a session to that of the input. */
static enum assay_error add_stream(struct assay_input_run *run, struct assay_session *session)
{
    struct assay_input_result *result = &run->result;
    const struct assay_stream_result *stream = &session->result;
    const enum assay_error error = tally(run, session);
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
    result->interrupted = result->interrupted || session->interrupted;
    result->exercised += stream->exercised;
    result->violations += stream->violations;
    result->waived += stream->waived;
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

/* Has what is read of a source witnessed, unless it makes its bytes of another's. */
static enum assay_error observe(const struct assay_input_run *run, struct assay_source *source,
                                size_t files, struct assay_witness **witness)
{
    const struct assay_witness_options options = {.files = files,
                                                  .digest = run->options->digest,
                                                  .threaded = threaded(run),
                                                  .stop = run->options->stop};
    assay_source_stop(source, run->options->stop);
    *witness = assay_witness_open(&options);
    if (*witness == NULL) {
        return ASSAY_NO_MEMORY;
    }
    if (assay_source_witness(source, *witness) != ASSAY_OK) {
        assay_witness_close(*witness);
        *witness = NULL;
    }
    return ASSAY_OK;
}

/* `source` wins over `path`; either may be null. */
static enum assay_error open_execution(struct assay_input_run *run, const char *path,
                                       struct assay_source *source,
                                       struct assay_execution **execution, struct assay_diag *diag)
{
    *execution = NULL;
    if (source == NULL && path != NULL) {
        enum assay_error error = assay_source_open(path, &source, diag);
        error = error != ASSAY_OK ? error : observe(run, source, 1, &run->recording);
        run->recording_path = path;
        if (error != ASSAY_OK) {
            assay_source_close(source);
            return error;
        }
    }
    if (source == NULL) {
        return ASSAY_OK;
    }
    const enum assay_error error = assay_execution_open_any(source, execution, diag);
    if (error != ASSAY_OK && path != NULL) {
        assay_diag_path(diag, path);
    }
    return error;
}

/* A stream that cannot be judged, the input's own or one that it carries: its result says why. */
static enum assay_error add_unjudged_stream(struct assay_input_run *run, bool carried, uint32_t id,
                                            const struct assay_diag *why)
{
    const struct assay_stream_setup setup = {.has_id = carried, .id = id};
    struct assay_session session = session_of(run, &setup);
    char text[1024];
    assay_diag_format(why, text, sizeof text);
    session.result.unjudged = assay_arena_text(&run->arena, text, strlen(text));
    session.result.error = keep_diag(run, why);
    return session.result.unjudged != NULL && session.result.error != NULL
               ? add_stream(run, &session)
               : ASSAY_NO_MEMORY;
}

static enum assay_error add_unjudged(struct assay_input_run *run, uint32_t id,
                                     const struct assay_diag *why)
{
    return add_unjudged_stream(run, true, id, why);
}

/* The same with a reason that is of no place. */
static enum assay_error add_refused(struct assay_input_run *run, uint32_t id,
                                    enum assay_error error, const char *why)
{
    struct assay_diag diag = {0};
    assay_fail(&diag, error, ASSAY_NO_OFFSET, "%s", why);
    return add_unjudged(run, id, &diag);
}

/* Runs a session of the input or of a stream of it; the source becomes the session's. */
static enum assay_error run_compared(struct assay_input_run *run, struct assay_session *session,
                                     struct assay_source *source, struct assay_execution *execution,
                                     struct assay_diag *diag)
{
    const char *path = session->setup->execution;
    const bool compared = execution != NULL && path != NULL;
    const enum assay_error error = assay_session_run(session, source, execution, diag);
    const bool of_recording = error == ASSAY_USAGE || error == ASSAY_TRUNCATED ||
                              error == ASSAY_CORRUPT || error == ASSAY_SYNTAX;
    if (of_recording && compared && diag->path[0] == '\0') {
        assay_diag_path(diag, path);
    }
    run->result.filtered = session->result.has_id ? run->result.filtered : session->filtered;
    return error != ASSAY_OK ? error : add_stream(run, session);
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
    if (is_of_input(run, setup, error, diag)) {
        run->result.diag = *diag;
        return error;
    }
    return add_unjudged(run, setup->id, diag);
}

/* The same with the recorded execution of its setup. */
static enum assay_error run_session(struct assay_input_run *run, struct assay_session *session,
                                    struct assay_source *source,
                                    struct assay_source *execution_source, struct assay_diag *diag)
{
    const char *path = session->setup->execution;
    struct assay_execution *execution = NULL;
    const enum assay_error error = open_execution(run, path, execution_source, &execution, diag);
    if (error != ASSAY_OK) {
        assay_source_close(source);
        return error;
    }
    return run_compared(run, session, source, execution, diag);
}

/* With the session the recorded execution is closed: then it is known what was read of it. */
static void close_session(struct assay_input_run *run, struct assay_session *session)
{
    assay_session_close(session);
    if (run->recording != NULL) {
        assay_witness_end(run->recording);
        assay_evidence_witnessed(&run->bundle.evidence, "execution", run->recording_path,
                                 assay_witness_all(run->recording));
        assay_witness_close(run->recording);
        run->recording = NULL;
    }
}

static enum assay_error run_carried(struct assay_input_run *run, uint32_t id)
{
    struct assay_stream_setup setup = assay_stream_setup_of(run->input, id);
    setup.source_id = id;
    if (assay_stop_requested(run->options->stop)) {
        run->result.interrupted = true;
        return add_refused(run, id, ASSAY_INTERRUPTED, "the run was interrupted");
    }
    if (setup.unjudged != NULL) {
        return add_unjudged(run, id, setup.unjudged);
    }
    if (setup.format == NULL) {
        return add_refused(run, id, ASSAY_UNKNOWN_FORMAT, "its format is not known");
    }
    struct assay_source *bytes = again(run);
    if (bytes == NULL) {
        return add_refused(run, id, ASSAY_UNSUPPORTED, "the input can be read only once");
    }
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_source *stream = NULL;
    struct assay_session session = session_of(run, &setup);
    enum assay_error error = run->format->carrier->open(bytes, id, &stream, &diag);
    error = error != ASSAY_OK ? error : run_session(run, &session, stream, NULL, &diag);
    close_session(run, &session);
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
            error = add_refused(run, id, ASSAY_NOT_FOUND, "it is not in the capture");
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

/* --- its streams --- */

static enum assay_error find_format(struct assay_input_run *run, struct assay_source *source,
                                    struct assay_stream_setup *setup)
{
    *setup = run->input->setup;
    const enum assay_error error =
        setup->format != NULL ? ASSAY_OK : assay_detect_format(source, &setup->format);
    if (error != ASSAY_OK) {
        return error;
    }
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
    close_session(run, &session);
    for (size_t i = 0; i < count && error == ASSAY_OK; i++) {
        error = run_carried(run, ids[i]);
    }
    return error == ASSAY_OK && carries ? add_missing(run, ids, count) : error;
}

static enum assay_error judge_source(struct assay_input_run *run, struct assay_source *source,
                                     struct assay_source *execution_source)
{
    struct assay_source_status status;
    struct assay_stream_setup setup;
    run->given = run->given != NULL ? run->given : run->input;
    assay_source_status(source, &status);
    run->size = status.stored_size;
    enum assay_error error = assay_tally_open(&run->tally, run->options);
    run->tally.path = run->input->path;
    if (error == ASSAY_OK && run->input->setup.unjudged != NULL) {
        assay_source_close(execution_source);
        assay_source_close(source);
        run->result.conclusion = ASSAY_INCOMPLETE;
        return add_unjudged_stream(run, false, 0, run->input->setup.unjudged);
    }
    error = error != ASSAY_OK ? error : find_format(run, source, &setup);
    if (error != ASSAY_OK) {
        assay_source_close(execution_source);
        assay_source_close(source);
        return error;
    }
    return run_streams(run, source, &setup, execution_source);
}

/* --- what is known of the files --- */

/* Why there is no digest, in memory of the run; null when there is nothing to say. */
static const char *keep_reason(struct assay_input_run *run,
                               const struct assay_witness_report *report)
{
    return report->no_digest[0] != '\0'
               ? assay_arena_text(&run->arena, report->no_digest, strlen(report->no_digest))
               : NULL;
}

/* The files that the input consists of; the digest of the input is of their bytes one after the
 * other. */
static enum assay_error list_files(struct assay_input_run *run)
{
    const struct assay_source_parts *parts = run->input->parts;
    struct assay_file_result *files = assay_arena_take(&run->arena, parts->count * sizeof *files);
    if (files == NULL) {
        return ASSAY_NO_MEMORY;
    }
    for (size_t i = 0; i < parts->count; i++) {
        const struct assay_witness_report *report = assay_witness_file(run->witness, i);
        files[i] = (struct assay_file_result){.path = run->input->part_names != NULL
                                                          ? run->input->part_names[i]
                                                          : parts->list[i].path,
                                              .bytes = parts->list[i].size,
                                              .no_digest = keep_reason(run, report),
                                              .changed = report->changed};
        memcpy(files[i].sha256, report->sha256, sizeof files[i].sha256);
    }
    run->result.files = files;
    run->result.file_count = parts->count;
    return ASSAY_OK;
}

/* Once nothing reads the bytes any more. What was read of a file that changed meanwhile need not be
 * any of its states. */
static enum assay_error settle(struct assay_input_run *run)
{
    struct assay_input_result *result = &run->result;
    struct assay_evidence_list *evidence = &run->bundle.evidence;
    enum assay_error error = ASSAY_OK;
    assay_evidence_verify(evidence);
    result->evidence = evidence->list;
    result->evidence_count = evidence->count;
    if (run->witness != NULL) {
        if (run->input->parts != NULL) {
            assay_source_parts_witness(run->input->parts, run->witness);
        }
        assay_witness_end(run->witness);
        const struct assay_witness_report *report = assay_witness_all(run->witness);
        memcpy(result->sha256, report->sha256, sizeof result->sha256);
        result->no_digest = keep_reason(run, report);
        result->changed = report->changed;
        result->bytes = run->size > 0 && !report->changed ? run->size : report->bytes;
        error = run->input->parts != NULL ? list_files(run) : ASSAY_OK;
    }
    if (result->conclusion == ASSAY_CONFORMS &&
        (result->changed || assay_evidence_changed(evidence))) {
        result->conclusion = ASSAY_INCOMPLETE;
    }
    return evidence->out_of_memory ? ASSAY_NO_MEMORY : error;
}

/* --- the input --- */

enum assay_error assay_input_run_source(struct assay_input_run *run, struct assay_source *source,
                                        struct assay_source *execution_source)
{
    const struct assay_source_parts *parts = run->input->parts;
    run->result.path = run->input->path;
    enum assay_error error = observe(run, source, parts != NULL ? parts->count : 1, &run->witness);
    if (error != ASSAY_OK) {
        assay_source_close(execution_source);
        assay_source_close(source);
    } else {
        error = judge_source(run, source, execution_source);
    }
    error = error != ASSAY_OK ? unreadable(run, error) : ASSAY_OK;
    const enum assay_error settled = settle(run);
    return error != ASSAY_OK ? error : settled;
}

static enum assay_error open_source(struct assay_input_run *run, struct assay_source **source)
{
    struct assay_diag *diag = &run->result.diag;
    if (run->input->refused != NULL) {
        *diag = *run->input->refused;
        return diag->error;
    }
    const enum assay_error error =
        assay_bundle_open(run->input, run->options->digest, &run->bundle, diag);
    run->input = &run->bundle.input;
    if (error != ASSAY_OK) {
        return error;
    }
    return run->input->parts != NULL ? assay_source_concat(run->input->parts, source)
                                     : assay_source_open(run->input->path, source, diag);
}

enum assay_error assay_input_run(struct assay_input_run *run)
{
    struct assay_source *source = NULL;
    run->given = run->input;
    run->result.path = run->input->path;
    enum assay_error error = open_source(run, &source);
    if (error == ASSAY_OK) {
        return assay_input_run_source(run, source, NULL);
    }
    error = unreadable(run, error);
    const enum assay_error settled = settle(run);
    return error != ASSAY_OK ? error : settled;
}

void assay_input_close(struct assay_input_run *run)
{
    assay_source_close(run->carrier);
    assay_witness_close(run->witness);
    assay_tally_close(&run->tally);
    assay_arena_free(&run->arena);
    assay_bundle_close(&run->bundle);
}
