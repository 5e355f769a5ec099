#include "validator/engine/stream_run.h"

#include <string.h>

#include "common/stop.h"
#include "execution/execution.h"
#include "validator/engine/listener.h"

static void show_progress(void *context, uint64_t offset)
{
    const struct assay_input_run *input = context;
    input->options->progress(input->options->progress_context, input->input->path, offset,
                             input->size);
}

void assay_stream_begin(struct assay_stream_run *stream, struct assay_input_run *input,
                        const struct assay_stream_setup *setup)
{
    const struct assay_check_options *options = input->options;
    *stream = (struct assay_stream_run){
        .input = input, .setup = *setup, .diag = {.offset = ASSAY_NO_OFFSET}};
    stream->session = (struct assay_session){
        .options = options,
        .setup = &stream->setup,
        .arena = &stream->arena,
        .threaded = assay_input_threaded(input),
        .progress = options->progress != NULL ? show_progress : NULL,
        .progress_context = input,
        .found = options->found != NULL && !setup->has_id ? assay_listener_found : NULL,
        .found_context = input,
        .result = {.has_id = setup->has_id,
                   .id = setup->id,
                   .format = setup->format,
                   .conclusion = ASSAY_INCOMPLETE}};
}

/* --- judging it --- */

/* `source` wins over the setup's path; either may be null. */
static enum assay_error open_execution(struct assay_stream_run *stream, struct assay_source *source,
                                       struct assay_execution **execution)
{
    const char *path = stream->setup.execution;
    struct assay_diag *diag = &stream->diag;
    *execution = NULL;
    if (source == NULL && path != NULL) {
        enum assay_error error = assay_source_open(path, &source, diag);
        error = error != ASSAY_OK
                    ? error
                    : assay_input_observe(stream->input, source, 1, &stream->recording);
        stream->recording_path = path;
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

static bool is_of_recording(enum assay_error error)
{
    return error == ASSAY_USAGE || error == ASSAY_TRUNCATED || error == ASSAY_CORRUPT ||
           error == ASSAY_SYNTAX;
}

void assay_stream_judge(struct assay_stream_run *stream, struct assay_source *source,
                        struct assay_source *execution_source)
{
    const char *path = stream->setup.execution;
    struct assay_diag *diag = &stream->diag;
    struct assay_execution *execution = NULL;
    stream->error = open_execution(stream, execution_source, &execution);
    if (stream->error != ASSAY_OK) {
        assay_source_close(source);
        return;
    }
    const bool compared = execution != NULL && path != NULL;
    stream->error = assay_session_run(&stream->session, source, execution, diag);
    if (compared && is_of_recording(stream->error) && diag->path[0] == '\0') {
        assay_diag_path(diag, path);
    }
}

/* --- a stream that is carried --- */

/* The carrier's bytes once more; null when they come only once. */
static struct assay_source *again(const struct assay_input_run *input)
{
    struct assay_source *source = NULL;
    return input->carrier != NULL && assay_source_again(input->carrier, &source) == ASSAY_OK
               ? source
               : NULL;
}

/* A copy in an arena; null when memory is out. */
static const struct assay_diag *keep_diag(struct assay_arena *arena, const struct assay_diag *diag)
{
    struct assay_diag *copy = assay_arena_take(arena, sizeof *copy);
    if (copy != NULL) {
        *copy = *diag;
    }
    return copy;
}

/* Where its findings are in the input. That they cannot be found there is told with the stream,
 * whose findings stay. */
static enum assay_error find_places(struct assay_stream_run *stream)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const enum assay_error error =
        assay_places_read(&stream->places, &stream->session, stream->input->format->carrier,
                          stream->input->input->setup.framing, again(stream->input), &diag);
    if (error == ASSAY_OK || error == ASSAY_NO_MEMORY) {
        return error;
    }
    assay_explain_error(error, &diag);
    stream->session.result.unlocated = keep_diag(&stream->arena, &diag);
    return stream->session.result.unlocated != NULL ? ASSAY_OK : ASSAY_NO_MEMORY;
}

static enum assay_error refuse(struct assay_stream_run *stream, enum assay_error error,
                               const char *why)
{
    stream->refused = true;
    return assay_fail(&stream->diag, error, ASSAY_NO_OFFSET, "%s", why);
}

static enum assay_error open_carried(struct assay_stream_run *stream, struct assay_source **source)
{
    const struct assay_input_run *input = stream->input;
    if (assay_stop_requested(input->options->stop)) {
        stream->session.interrupted = true;
        return refuse(stream, ASSAY_INTERRUPTED, "the run was interrupted");
    }
    if (stream->setup.unjudged != NULL) {
        stream->refused = true;
        stream->diag = *stream->setup.unjudged;
        return stream->diag.error;
    }
    if (stream->setup.format == NULL) {
        return refuse(stream, ASSAY_UNKNOWN_FORMAT,
                      "its format is not known (--format or a manifest names it)");
    }
    struct assay_source *bytes = again(input);
    return bytes != NULL
               ? input->format->carrier->open(bytes, input->input->setup.framing, stream->setup.id,
                                              source, &stream->diag)
               : refuse(stream, ASSAY_UNSUPPORTED,
                        "the capture has to be read again for it, and comes from a pipe: write it "
                        "to a file");
}

void assay_stream_judge_carried(struct assay_stream_run *stream)
{
    struct assay_source *source = NULL;
    stream->setup.source_id = stream->setup.id;
    stream->error = open_carried(stream, &source);
    if (stream->error == ASSAY_OK) {
        assay_stream_judge(stream, source, NULL);
    }
    if (stream->error == ASSAY_OK) {
        stream->error = find_places(stream);
    }
}

/* --- its result --- */

/* Adds what the judges say to the tally. */
static enum assay_error tally(struct assay_stream_run *stream)
{
    struct assay_input_run *input = stream->input;
    struct assay_session *session = &stream->session;
    stream->places.parts = input->result.filtered ? NULL : input->input->parts;
    if (session->result.has_id && input->options->found != NULL) {
        assay_listener_carried(input, session, &stream->places);
    }
    return session->judges != NULL
               ? assay_tally_stream(&input->tally, session->judges, session->judge_count,
                                    &stream->places, input->result.stream_count, &session->result)
               : ASSAY_OK;
}

static enum assay_error add_result(struct assay_stream_run *stream)
{
    struct assay_input_run *input = stream->input;
    struct assay_input_result *result = &input->result;
    const struct assay_stream_result *own = &stream->session.result;
    const enum assay_error error = tally(stream);
    if (error != ASSAY_OK) {
        return error;
    }
    struct assay_stream_result *list = assay_arena_grow(
        &input->arena, input->streams, result->stream_count, &input->stream_room, sizeof *list);
    if (list == NULL) {
        return ASSAY_NO_MEMORY;
    }
    input->streams = list;
    list[result->stream_count++] = *own;
    result->streams = list;
    result->complete = result->complete && own->complete;
    result->interrupted = result->interrupted || stream->session.interrupted;
    result->exercised += own->exercised;
    result->violations += own->violations;
    result->waived += own->waived;
    result->conclusion = assay_most_severe(result->conclusion, own->conclusion);
    return ASSAY_OK;
}

enum assay_error assay_stream_add_unjudged(struct assay_input_run *input,
                                           const struct assay_stream_setup *setup,
                                           const struct assay_diag *why, bool idle)
{
    struct assay_stream_run stream;
    char text[1024];
    assay_stream_begin(&stream, input, setup);
    assay_diag_format(why, text, sizeof text);
    struct assay_stream_result *result = &stream.session.result;
    result->format = NULL;
    result->complete = idle;
    result->conclusion = idle ? ASSAY_CONFORMS : ASSAY_INCOMPLETE;
    result->unjudged = assay_arena_text(&input->arena, text, strlen(text));
    result->error = keep_diag(&input->arena, why);
    return result->unjudged != NULL && result->error != NULL ? add_result(&stream)
                                                             : ASSAY_NO_MEMORY;
}

/* Whether an error is of something that was given for the whole input, not for one stream. */
static bool is_of_input(const struct assay_stream_run *stream)
{
    const struct assay_stream_setup *given = &stream->input->given->setup;
    const char *path = stream->diag.path;
    return stream->error == ASSAY_NO_MEMORY ||
           (given->config_file != NULL && strcmp(path, given->config_file) == 0) ||
           (given->execution != NULL && strcmp(path, given->execution) == 0) ||
           (given->images != NULL && stream->setup.images == given->images &&
            stream->error == ASSAY_UNSUPPORTED);
}

enum assay_error assay_stream_add(struct assay_stream_run *stream)
{
    struct assay_input_run *input = stream->input;
    const bool carried = stream->setup.has_id;
    if (stream->error == ASSAY_OK) {
        input->result.filtered = carried ? input->result.filtered : stream->session.filtered;
        return add_result(stream);
    }
    if (!stream->refused) {
        assay_explain_error(stream->error, &stream->diag);
    }
    if (!stream->refused && (!carried || is_of_input(stream))) {
        input->result.diag = stream->diag;
        return stream->error;
    }
    input->result.interrupted = input->result.interrupted || stream->session.interrupted;
    return assay_stream_add_unjudged(input, &stream->setup, &stream->diag, false);
}

/* With the session the recorded execution is closed: then it is known what was read of it. */
void assay_stream_close(struct assay_stream_run *stream)
{
    assay_session_close(&stream->session);
    assay_places_free(&stream->places);
    if (stream->recording != NULL) {
        assay_witness_end(stream->recording);
        assay_evidence_witnessed(&stream->input->bundle.evidence, "execution",
                                 stream->recording_path, assay_witness_all(stream->recording));
        assay_witness_close(stream->recording);
        stream->recording = NULL;
    }
    assay_arena_join(&stream->input->arena, &stream->arena);
}
