#include "validator/engine/input.h"

#include <string.h>
#include <sys/stat.h>

#include "common/source_concat.h"
#include "execution/execution.h"

static enum assay_error unreadable(struct assay_input_run *run, enum assay_error error)
{
    run->result.conclusion = ASSAY_UNREADABLE;
    run->result.streams = NULL;
    run->result.stream_count = 0;
    run->result.diag.error = error;
    if (run->result.diag.message[0] == '\0') {
        assay_fail(&run->result.diag, error, ASSAY_NO_OFFSET, "%s", assay_error_text(error));
    }
    /* Memory that could not be had is no fault of the input. */
    return error == ASSAY_NO_MEMORY ? error : ASSAY_OK;
}

/* --- one stream --- */

static void show_progress(void *context, uint64_t offset)
{
    const struct assay_input_run *run = context;
    run->options->progress(run->options->progress_context, run->input->path, offset, run->size);
}

/* A session of its own setup; null when memory is out. */
static struct assay_session *add_session(struct assay_input_run *run,
                                         const struct assay_stream_setup *setup)
{
    struct assay_stream_setup *own = assay_arena_take(&run->arena, sizeof *own);
    struct assay_session *session = assay_arena_take(&run->arena, sizeof *session);
    struct assay_session **list =
        assay_arena_grow(&run->arena, run->sessions, run->session_count, &run->session_room,
                         sizeof(struct assay_session *));
    if (own == NULL || session == NULL || list == NULL) {
        return NULL;
    }
    *own = *setup;
    *session =
        (struct assay_session){.options = run->options,
                               .setup = own,
                               .arena = &run->arena,
                               .execution_thread = run->input->execution_thread,
                               .threaded = run->options->jobs <= 1 || run->spare,
                               .progress = run->options->progress != NULL ? show_progress : NULL,
                               .progress_context = run,
                               .result = {.has_id = setup->has_id,
                                          .id = setup->id,
                                          .format = setup->format,
                                          .conclusion = ASSAY_INCOMPLETE}};
    run->sessions = list;
    list[run->session_count++] = session;
    return session;
}

/* --- the streams that a capture carries --- */

struct assay_stream_setup assay_stream_setup_of(const struct assay_input *input, uint32_t id)
{
    for (size_t i = 0; i < input->stream_count; i++) {
        if (input->streams[i].id == id) {
            return input->streams[i];
        }
    }
    return (struct assay_stream_setup){.has_id = true, .id = id};
}

/* A stream of which nobody said what it is, or whose bytes come only once, is left out: its result
 * says so by having no events. */
static enum assay_error run_carried(struct assay_input_run *run,
                                    const struct assay_carrier_ops *carrier, uint32_t id)
{
    const struct assay_stream_setup setup = assay_stream_setup_of(run->input, id);
    struct assay_session *session = add_session(run, &setup);
    struct assay_source *again = NULL;
    struct assay_source *stream = NULL;
    if (session == NULL) {
        return ASSAY_NO_MEMORY;
    }
    if (setup.format == NULL || run->carrier == NULL ||
        assay_source_again(run->carrier, &again) != ASSAY_OK) {
        return ASSAY_OK;
    }
    const enum assay_error error = carrier->open(again, id, &stream, &run->result.diag);
    return error != ASSAY_OK ? error : assay_session_run(session, stream, NULL, &run->result.diag);
}

static enum assay_error run_all_carried(struct assay_input_run *run,
                                        const struct assay_session *own)
{
    const struct assay_carrier_ops *carrier = own->setup->format->carrier;
    const struct assay_carried *list = NULL;
    const size_t count = carrier->list(own->decoder, &list);
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < count && error == ASSAY_OK; i++) {
        error = run_carried(run, carrier, list[i].id);
    }
    return error;
}

void assay_input_locate(struct assay_input_run *run, size_t stream, uint64_t *offsets, size_t count)
{
    const struct assay_session *session = run->sessions[stream];
    struct assay_source *again = NULL;
    if (session->setup->has_id && count > 0 && run->carrier != NULL &&
        assay_source_again(run->carrier, &again) == ASSAY_OK) {
        run->sessions[0]->setup->format->carrier->locate(again, session->setup->id, offsets, count,
                                                         &run->result.diag);
        assay_source_close(again);
    }
}

/* --- the input --- */

enum assay_conclusion assay_gravest(enum assay_conclusion a, enum assay_conclusion b)
{
    static const int weight[ASSAY_CONCLUSION_COUNT] = {
        [ASSAY_CONFORMS] = 0, [ASSAY_INCOMPLETE] = 1, [ASSAY_VIOLATES] = 2, [ASSAY_UNREADABLE] = 3};
    return weight[a] >= weight[b] ? a : b;
}

static enum assay_error sum_up(struct assay_input_run *run)
{
    struct assay_input_result *result = &run->result;
    struct assay_stream_result *streams =
        assay_arena_take(&run->arena, run->session_count * sizeof *streams);
    if (streams == NULL) {
        return ASSAY_NO_MEMORY;
    }
    result->complete = true;
    result->conclusion = ASSAY_CONFORMS;
    for (size_t i = 0; i < run->session_count; i++) {
        streams[i] = run->sessions[i]->result;
        result->complete = result->complete && streams[i].complete;
        result->exercised += streams[i].exercised;
        result->violations += streams[i].violations;
        result->conclusion = assay_gravest(result->conclusion, streams[i].conclusion);
    }
    result->streams = streams;
    result->stream_count = run->session_count;
    result->bytes = run->size > 0 ? run->size : run->sessions[0]->last_offset;
    return ASSAY_OK;
}

static enum assay_error find_format(struct assay_input_run *run, struct assay_source *source,
                                    struct assay_stream_setup *setup)
{
    *setup = run->input->setup;
    setup->format = setup->format != NULL ? setup->format : assay_detect_format(source);
    return setup->format != NULL ? ASSAY_OK : assay_explain_unknown(source, &run->result.diag);
}

static enum assay_error open_execution(struct assay_input_run *run, struct assay_source *source,
                                       struct assay_execution **execution)
{
    const char *path = run->input->execution;
    *execution = NULL;
    if (source == NULL && path != NULL) {
        const enum assay_error error = assay_source_open(path, &source, &run->result.diag);
        if (error != ASSAY_OK) {
            return error;
        }
    }
    if (source == NULL) {
        return ASSAY_OK;
    }
    const enum assay_error error = assay_execution_open(source, execution, &run->result.diag);
    if (error != ASSAY_OK && path != NULL) {
        assay_diag_path(&run->result.diag, path);
    }
    return error;
}

/* Once the format is known; the sources become the run's. */
static enum assay_error run_streams(struct assay_input_run *run, struct assay_source *source,
                                    const struct assay_stream_setup *setup,
                                    struct assay_execution *execution)
{
    const bool carries = setup->format->carrier != NULL;
    struct assay_session *session = add_session(run, setup);
    if (session == NULL) {
        assay_source_close(source);
        assay_execution_close(execution);
        return ASSAY_NO_MEMORY;
    }
    if (carries && assay_source_again(source, &run->carrier) != ASSAY_OK) {
        run->carrier = NULL;
    }
    enum assay_error error = assay_session_run(session, source, execution, &run->result.diag);
    error = error == ASSAY_OK && carries ? run_all_carried(run, session) : error;
    return error != ASSAY_OK ? error : sum_up(run);
}

enum assay_error assay_input_run_source(struct assay_input_run *run, struct assay_source *source,
                                        struct assay_source *execution_source)
{
    struct assay_execution *execution = NULL;
    struct assay_source_status status;
    struct assay_stream_setup setup;
    run->result.path = run->input->path;
    assay_source_status(source, &status);
    run->size = status.stored_size;
    enum assay_error error = find_format(run, source, &setup);
    if (error != ASSAY_OK) {
        assay_source_close(execution_source);
    } else {
        error = open_execution(run, execution_source, &execution);
    }
    if (error != ASSAY_OK) {
        assay_source_close(source);
    } else {
        error = run_streams(run, source, &setup, execution);
    }
    return error != ASSAY_OK ? unreadable(run, error) : ASSAY_OK;
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

enum assay_error assay_input_run(struct assay_input_run *run)
{
    struct assay_source *source = NULL;
    const char *path = run->input->path;
    run->result.path = path;
    const enum assay_error error = run->input->parts != NULL
                                       ? assay_source_concat(run->input->parts, &source)
                                       : assay_source_open(path, &source, &run->result.diag);
    if (error != ASSAY_OK) {
        return unreadable(run, error);
    }
    if (run->options->digest && run->input->parts == NULL && strcmp(path, "-") != 0) {
        digest_path(&run->result, path);
    }
    return assay_input_run_source(run, source, NULL);
}

void assay_input_close(struct assay_input_run *run)
{
    for (size_t i = 0; i < run->session_count; i++) {
        assay_session_close(run->sessions[i]);
    }
    assay_source_close(run->carrier);
    assay_arena_free(&run->arena);
}
