#include "validator/engine/input.h"

#include <string.h>

#include "common/stop.h"
#include "io/source_concat.h"
#include "validator/engine/carried.h"
#include "validator/engine/stream_run.h"

void assay_explain_error(enum assay_error error, struct assay_diag *diag)
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
    assay_explain_error(error, &result->diag);
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

bool assay_input_threaded(const struct assay_input_run *run)
{
    return run->options->jobs <= 1 || run->threads > 1;
}

enum assay_error assay_input_observe(const struct assay_input_run *run, struct assay_source *source,
                                     size_t files, struct assay_witness **witness)
{
    const struct assay_witness_options options = {.files = files,
                                                  .digest = run->options->digest,
                                                  .threaded = assay_input_threaded(run),
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

/* --- its streams --- */

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

/* Judges its own stream, and lists those that it carries; the sources become the run's. */
static enum assay_error run_own(struct assay_input_run *run, struct assay_source *source,
                                const struct assay_stream_setup *setup,
                                struct assay_source *execution_source, uint32_t **ids,
                                size_t *count)
{
    struct assay_stream_run own;
    assay_stream_begin(&own, run, setup);
    assay_stream_judge(&own, source, execution_source);
    enum assay_error error = assay_stream_add(&own);
    if (error == ASSAY_OK && setup->format->carrier != NULL) {
        *ids = list_carried(run, &own.session, count);
        error = *ids != NULL ? ASSAY_OK : ASSAY_NO_MEMORY;
    }
    run->result.bytes = run->size > 0 ? run->size : own.session.last_offset;
    assay_stream_close(&own);
    return error;
}

/* Once the format is known; the sources become the run's. A stream is closed before the next one
 * of its thread begins, so that memory does not grow with the number of streams. */
static enum assay_error run_streams(struct assay_input_run *run, struct assay_source *source,
                                    const struct assay_stream_setup *setup,
                                    struct assay_source *execution_source)
{
    const bool carries = setup->format->carrier != NULL;
    uint32_t *ids = NULL;
    size_t count = 0;
    run->format = setup->format;
    run->result.complete = true;
    run->result.conclusion = ASSAY_CONFORMS;
    if (carries && assay_source_again(source, &run->carrier) != ASSAY_OK) {
        run->carrier = NULL;
    }
    const enum assay_error error = run_own(run, source, setup, execution_source, &ids, &count);
    return error == ASSAY_OK && carries ? assay_carried_run(run, ids, count) : error;
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
        const struct assay_stream_setup none = {0};
        return assay_stream_add_unjudged(run, &none, run->input->setup.unjudged, false);
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
    enum assay_error error =
        assay_input_observe(run, source, parts != NULL ? parts->count : 1, &run->witness);
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
