/* What a validator says of the trace that it judged. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "image/image.h"
#include "model/describe.h"
#include "reports/report.h"
#include "reports/walk.h"
#include "validator/library/validator.h"
#include "validator/vector/event_json.h"

/* --- events --- */

void assay_library_show(void *context, const struct assay_stream_result *stream,
                        const struct assay_block *block)
{
    struct assay_validator *v = context;
    const struct assay_format *format = stream->format;
    for (size_t i = 0; i < block->count && !v->lines_failed; i++) {
        const struct assay_event *event = &block->events[i];
        v->line.size = 0;
        assay_event_json(format, event, &v->line);
        if (v->line.error != ASSAY_OK || v->line.size == 0) {
            v->lines_failed = true;
            return;
        }
        const size_t length = v->line.size - 1; /* without the line feed */
        v->line.data[length] = '\0';
        const struct assay_decoded decoded = {.size = sizeof decoded,
                                              .format = format->name,
                                              .layer = format->layers[block->layer],
                                              .kind = format->kinds[event->kind].name,
                                              .index = event->index,
                                              .offset = event->offset,
                                              .has_stream = stream->has_id,
                                              .stream = stream->id,
                                              .json = (const char *)v->line.data,
                                              .json_length = length};
        v->on_event(v->event_context, &decoded);
    }
}

/* --- violations --- */

/* What the rule requires of, as "name = value". */
static void describe_found(const struct assay_catalogue *catalogue,
                           const struct assay_finding *finding, char *out, size_t size)
{
    out[0] = '\0';
    for (uint16_t i = 0; i < finding->rule->evidence_count; i++) {
        const uint16_t leaf = finding->rule->evidence[i];
        char value[128];
        if (catalogue->leaves[leaf].what != ASSAY_LEAF_READING &&
            assay_leaf_required(finding->rule, leaf)) {
            assay_leaf_text(catalogue, leaf, finding->values[i], value, sizeof value);
            assay_append(out, size, "%s%s = %s", out[0] != '\0' ? ", " : "",
                         catalogue->leaves[leaf].text, value);
        }
    }
}

void assay_library_found(void *context, const struct assay_found *given)
{
    struct assay_validator *v = context;
    const struct assay_located_finding *placed = given->placed;
    const struct assay_finding *finding = placed->finding;
    const struct assay_stream_result *stream = given->stream;
    const struct assay_catalogue *catalogue = given->catalogue;
    const struct assay_rule *rule = finding->rule;
    const struct assay_format *format = catalogue->format;
    const struct assay_kind *kind = &format->kinds[finding->kind];
    const char *event = assay_finding_line(finding, 0);
    char found[1024];
    describe_found(catalogue, finding, found, sizeof found);
    const struct assay_violation violation = {
        .size = sizeof violation,
        .rule = rule->id,
        .level = assay_level_name((enum assay_level)rule->level),
        .clauses = rule->clauses,
        .clause_count = rule->clause_count,
        .message = finding->message,
        .expected = assay_expected_words(catalogue, rule),
        .found = found,
        .event = event != NULL ? event : "",
        .format = format->name,
        .layer = format->layers[kind->layer],
        .kind = kind->name,
        .index = finding->index,
        .offset = placed->unlocated ? ASSAY_NO_OFFSET : placed->offset,
        .has_stream = stream->has_id,
        .stream = stream->id};
    v->on_violation(v->violation_context, &violation);
}

/* --- completion --- */

static void set_environment(struct assay_validator *v)
{
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gethostname(v->host, sizeof v->host - 1);
    gmtime_r(&v->begun.tv_sec, &utc);
    strftime(v->started, sizeof v->started, "%Y-%m-%dT%H:%M:%SZ", &utc);
    v->results.host = v->host;
    v->results.started = v->started;
    v->results.seconds =
        (double)(now.tv_sec - v->begun.tv_sec) + (double)(now.tv_nsec - v->begun.tv_nsec) / 1e9;
    v->results.jobs = v->options.jobs;
    v->results.exit_status = -1;
}

static enum assay_error list_rules(struct assay_validator *v)
{
    struct assay_rule_walk walk = assay_rule_walk(&v->results);
    const struct assay_rule_total *total;
    v->totals = assay_arena_take(&v->of_trace, (v->results.rule_count + 1) * sizeof v->totals[0]);
    if (v->totals == NULL) {
        return ASSAY_NO_MEMORY;
    }
    while ((total = assay_rule_walk_next(&walk)) != NULL) {
        v->totals[v->total_count++] = total;
    }
    return ASSAY_OK;
}

/* A wrong file that an option names is not the fault of the trace. */
static bool blames_option(const struct assay_validator *v, const struct assay_input_result *input)
{
    const struct assay_stream_setup *setup = &v->input.setup;
    const struct assay_diag *diag = &input->diag;
    const size_t images = v->images != NULL ? assay_image_count(v->images) : 0;
    bool blamed = (setup->config_file != NULL && strcmp(diag->path, setup->config_file) == 0) ||
                  (setup->execution != NULL && strcmp(diag->path, setup->execution) == 0);
    for (size_t i = 0; i < images; i++) {
        blamed = blamed || strcmp(assay_image_info(v->images, i)->path, diag->path) == 0;
    }
    return input->conclusion == ASSAY_UNREADABLE && blamed;
}

/* Why a stream is not complete; null when it does not say. */
static const char *why_not_complete(const struct assay_stream_result *stream)
{
    const size_t layers = stream->layers != NULL ? stream->format->layer_count : 0;
    const char *why = stream->unjudged;
    for (size_t n = 0; why == NULL && n < layers; n++) {
        why = stream->layers[n].why;
    }
    return why;
}

/* Says why the trace is not complete: the first reason that there is. */
static void explain_incomplete(struct assay_validator *v, const struct assay_input_result *input)
{
    const char *why =
        input->complete ? "no rule was exercised" : "a part of it could not be decoded";
    char stream[32] = "";
    if (input->interrupted) {
        why = "judging was cancelled";
    } else if (input->changed || assay_evidence_changed(&v->evidence)) {
        why = "a file changed while it was judged";
    } else {
        size_t i = 0;
        while (i < input->stream_count && why_not_complete(&input->streams[i]) == NULL) {
            i++;
        }
        if (i < input->stream_count) {
            why = why_not_complete(&input->streams[i]);
        }
        if (i < input->stream_count && input->streams[i].has_id) {
            snprintf(stream, sizeof stream, "stream 0x%" PRIx32 ": ", input->streams[i].id);
        }
    }
    snprintf(v->message, sizeof v->message, "%s%s", stream, why);
}

enum assay_status assay_library_complete(struct assay_validator *v)
{
    v->results = *assay_check_results(v->check);
    const struct assay_input_result *input = &v->results.inputs[0];
    if (blames_option(v, input)) {
        struct assay_diag diag = input->diag;
        assay_library_forget(v);
        diag.error = diag.error == ASSAY_NO_MEMORY ? ASSAY_NO_MEMORY : ASSAY_USAGE;
        return assay_library_fail(v, &diag);
    }
    assay_evidence_verify(&v->evidence);
    v->results.evidence = v->evidence.list;
    v->results.evidence_count = v->evidence.count;
    if (v->results.conclusion == ASSAY_CONFORMS && assay_evidence_changed(&v->evidence)) {
        v->results.conclusion = ASSAY_INCOMPLETE;
    }
    enum assay_error error = assay_library_list_options(v);
    error = error != ASSAY_OK ? error : list_rules(v);
    if (error != ASSAY_OK) {
        assay_library_forget(v);
        return assay_library_refuse(v, error, "%s", assay_error_text(error));
    }
    set_environment(v);
    v->judged = true;
    if (v->results.conclusion == ASSAY_UNREADABLE) {
        (void)assay_library_fail(v, &input->diag);
    } else if (v->results.conclusion == ASSAY_INCOMPLETE) {
        explain_incomplete(v, input);
    }
    return ASSAY_STATUS_OK;
}

/* --- what callers ask --- */

const char *assay_outcome_name(enum assay_outcome outcome)
{
    switch (outcome) {
    case ASSAY_OUTCOME_CONFORMS:
        return assay_conclusion_name(ASSAY_CONFORMS);
    case ASSAY_OUTCOME_VIOLATES:
        return assay_conclusion_name(ASSAY_VIOLATES);
    case ASSAY_OUTCOME_UNREADABLE:
        return assay_conclusion_name(ASSAY_UNREADABLE);
    case ASSAY_OUTCOME_INCOMPLETE:
        return assay_conclusion_name(ASSAY_INCOMPLETE);
    default:
        return "none";
    }
}

enum assay_outcome assay_validator_outcome(const struct assay_validator *v)
{
    static const enum assay_outcome outcomes[ASSAY_CONCLUSION_COUNT] = {
        [ASSAY_CONFORMS] = ASSAY_OUTCOME_CONFORMS,
        [ASSAY_VIOLATES] = ASSAY_OUTCOME_VIOLATES,
        [ASSAY_INCOMPLETE] = ASSAY_OUTCOME_INCOMPLETE,
        [ASSAY_UNREADABLE] = ASSAY_OUTCOME_UNREADABLE};
    return v->judged ? outcomes[v->results.conclusion] : ASSAY_OUTCOME_NONE;
}

/* Gives as much of a structure as the caller has room for. */
static enum assay_status give(size_t *room, const void *filled, size_t size)
{
    const size_t n = *room < size ? *room : size;
    if (n < sizeof *room) {
        return ASSAY_STATUS_USAGE;
    }
    memcpy(room, filled, n);
    *room = n;
    return ASSAY_STATUS_OK;
}

enum assay_status assay_validator_summary(const struct assay_validator *v,
                                          struct assay_summary *summary)
{
    if (!v->judged) {
        return ASSAY_STATUS_USAGE;
    }
    const struct assay_input_result *input = &v->results.inputs[0];
    const struct assay_stream_result *own = input->stream_count > 0 ? &input->streams[0] : NULL;
    const struct assay_format *format = own != NULL ? own->format : NULL;
    const bool profiled = format != NULL && own->profile < format->profile_count;
    const struct assay_summary filled = {.format = format != NULL ? format->name : NULL,
                                         .profile =
                                             profiled ? format->profiles[own->profile].name : NULL,
                                         .sha256 = input->sha256,
                                         .bytes = input->bytes,
                                         .checks = input->exercised,
                                         .violations = input->violations,
                                         .streams = input->stream_count,
                                         .waived = input->waived};
    return give(&summary->size, &filled, sizeof filled);
}

size_t assay_validator_rule_count(const struct assay_validator *v)
{
    return v->total_count;
}

enum assay_status assay_validator_rule(const struct assay_validator *v, size_t number,
                                       struct assay_rule_verdict *rule)
{
    if (number >= v->total_count) {
        return ASSAY_STATUS_USAGE;
    }
    const struct assay_rule_total *total = v->totals[number];
    const struct assay_rule_verdict filled = {
        .id = total->rule->id,
        .title = total->rule->title,
        .format = total->catalogue->format->name,
        .level = assay_level_name((enum assay_level)total->rule->level),
        .verdict = assay_verdict_name(total->verdict),
        .clauses = total->rule->clauses,
        .clause_count = total->rule->clause_count,
        .missing = total->missing,
        .missing_count = total->missing_count,
        .exercised = total->exercised,
        .violated = total->violated,
        .waived = total->waived};
    return give(&rule->size, &filled, sizeof filled);
}

/* --- reports --- */

/* Whether a report there would take the place of something that was read. */
static bool was_read(const struct assay_validator *v, const char *path)
{
    struct assay_file_stamp there;
    struct assay_file_stamp other;
    const struct assay_input_result *input = &v->results.inputs[0];
    if (!assay_stamp_of_path(path, &there)) {
        return false;
    }
    bool read = assay_stamp_of_path(input->path, &other) && there.device == other.device &&
                there.inode == other.inode;
    for (size_t i = 0; i < v->evidence.count; i++) {
        read = read || (assay_stamp_of_path(v->evidence.list[i].path, &other) &&
                        there.device == other.device && there.inode == other.inode);
    }
    for (size_t i = 0; i < input->evidence_count; i++) {
        read = read || (assay_stamp_of_path(input->evidence[i].path, &other) &&
                        there.device == other.device && there.inode == other.inode);
    }
    return read;
}

static enum assay_status write_report(struct assay_validator *v,
                                      const struct assay_report_writer *writer, const char *path)
{
    const struct assay_report_style style = {.verbose = false};
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_sink sink;
    if (assay_sink_replace(&sink, path, &diag) != ASSAY_OK) {
        return assay_library_fail(v, &diag);
    }
    const enum assay_error error = assay_report_write(writer, &v->results, &style, &sink);
    if (error != ASSAY_OK && sink.error == ASSAY_OK) {
        assay_sink_explain(&sink, error, &diag);
        assay_sink_discard(&sink);
        diag.error = error;
        return assay_library_fail(v, &diag);
    }
    return assay_sink_close(&sink, &diag) != ASSAY_OK ? assay_library_fail(v, &diag)
                                                      : ASSAY_STATUS_OK;
}

enum assay_status assay_validator_report(struct assay_validator *v, const char *kind,
                                         const char *path)
{
    const struct assay_report_writer *writer = assay_report_writers;
    v->message[0] = '\0';
    if (kind == NULL || path == NULL) {
        return assay_library_refuse(v, ASSAY_USAGE, "a report has a kind and a path");
    }
    while (writer->name != NULL && strcmp(writer->name, kind) != 0) {
        writer++;
    }
    if (writer->name == NULL) {
        return assay_library_refuse(v, ASSAY_USAGE, "there is no report \"%s\"", kind);
    }
    if (!v->judged) {
        return assay_library_refuse(v, ASSAY_USAGE, "no trace was judged");
    }
    if (was_read(v, path)) {
        return assay_library_refuse(v, ASSAY_USAGE, "%s was read, and is not written over", path);
    }
    return write_report(v, writer, path);
}
