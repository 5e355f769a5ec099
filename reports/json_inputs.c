/* Inputs and their streams, in the JSON report. */
#include <stdio.h>
#include <string.h>

#include "reports/json_parts.h"

/* What went wrong with an input, or with a stream of it. */
static json_t *error_object(struct assay_json_stream *s, const struct assay_input_result *input,
                            const struct assay_diag *diag)
{
    json_t *object = json_object();
    assay_json_set(s, object, "code", json_string(assay_error_name(diag->error)));
    assay_json_set(
        s, object, "message",
        assay_json_text(diag->message[0] != '\0' ? diag->message : assay_error_text(diag->error)));
    if (diag->line != 0) {
        assay_json_set(s, object, "line", assay_json_count(diag->line));
        assay_json_set(s, object, "column", assay_json_count(diag->column));
    } else if (diag->offset != ASSAY_NO_OFFSET) {
        assay_json_set(s, object, "offset", assay_json_count(diag->offset));
    }
    /* The fault may be in another file than the input, such as a recorded execution. */
    if (diag->path[0] != '\0' && strcmp(diag->path, input->path) != 0) {
        assay_json_set(s, object, "path", assay_json_name(diag->path));
    }
    if (diag->hint[0] != '\0') {
        assay_json_set(s, object, "hint", assay_json_text(diag->hint));
    }
    return object;
}

static json_t *events_object(struct assay_json_stream *s, const struct assay_stream_result *stream)
{
    json_t *object = json_object();
    const size_t kinds = stream != NULL && stream->format != NULL ? stream->format->kind_count : 0;
    for (size_t kind = 0; kind < kinds; kind++) {
        if (kind != ASSAY_KIND_END && stream->events[kind] > 0) {
            assay_json_set(s, object, stream->format->kinds[kind].name,
                           assay_json_count(stream->events[kind]));
        }
    }
    return object;
}

/* The layers of a format of several: which of them are complete, and why one is not. */
static json_t *layers_array(struct assay_json_stream *s, const struct assay_stream_result *stream)
{
    json_t *array = json_array();
    for (size_t i = 0; i < stream->format->layer_count; i++) {
        json_t *object = json_object();
        assay_json_set(s, object, "name", assay_json_text(stream->format->layers[i]));
        assay_json_set(s, object, "complete", json_boolean(stream->layers[i].complete));
        if (stream->layers[i].left_out) {
            assay_json_set(s, object, "left_out", json_true());
        }
        if (stream->layers[i].why != NULL) {
            assay_json_set(s, object, "why", assay_json_text(stream->layers[i].why));
        }
        assay_json_append(s, array, object);
    }
    return array;
}

/* The parameters in effect, and where each has its value from. */
static json_t *config_object(struct assay_json_stream *s,
                             const struct assay_parameter_values *values)
{
    static const char *const origins[] = {"unknown", "default", "profile", "config", "stream"};
    json_t *object = json_object();
    for (size_t i = 0; i < values->table->count; i++) {
        if (values->known[i] && !values->table->list[i].is_reading) {
            json_t *one = json_object();
            assay_json_set(s, one, "value", assay_json_count(values->value[i]));
            assay_json_set(s, one, "origin", json_string(origins[values->site[i].origin]));
            assay_json_set(s, object, values->table->list[i].name, one);
        }
    }
    return object;
}

/* What of the trace the recorded execution tells nothing about; the reasons that apply. */
static json_t *uncompared_object(struct assay_json_stream *s,
                                 const struct assay_uncompared *uncompared)
{
    json_t *object = json_object();
    for (unsigned reason = 0; reason < ASSAY_UNCOMPARED_COUNT; reason++) {
        if (uncompared->count[reason] > 0) {
            assay_json_set(s, object, assay_uncompared_name(reason),
                           assay_json_count(uncompared->count[reason]));
        }
    }
    return object;
}

/* The version that the stream was judged by: that of the profile, "1.6" of "stf-1.6". */
static json_t *version_of(const struct assay_format *format, const char *profile)
{
    const size_t name = strlen(format->name);
    char text[64];
    if (strncmp(profile, format->name, name) != 0 || profile[name] != '-') {
        return assay_json_text(format->version);
    }
    profile += name + 1;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(profile, "-"), profile);
    return assay_json_text(text);
}

/* The rules that the stream exercised, and those that could not be checked on it. */
static json_t *rules_array(struct assay_json_stream *s, const struct assay_results *results,
                           const struct assay_stream_result *stream)
{
    json_t *array = json_array();
    size_t next = 0;
    for (size_t r = 0; stream->verdicts != NULL && r < results->rule_count; r++) {
        const struct assay_rule_outcome *outcome =
            next < stream->outcome_count && stream->outcomes[next].rule == r
                ? &stream->outcomes[next++]
                : NULL;
        if (outcome == NULL && stream->verdicts[r] != ASSAY_NOT_CHECKABLE) {
            continue;
        }
        json_t *object = json_object();
        assay_json_set(s, object, "id", assay_json_text(results->rules[r].rule->id));
        assay_json_set(s, object, "verdict",
                       json_string(assay_verdict_name((enum assay_verdict)stream->verdicts[r])));
        assay_json_set(s, object, "exercised",
                       assay_json_count(outcome != NULL ? outcome->exercised : 0));
        assay_json_set(s, object, "violated",
                       assay_json_count(outcome != NULL ? outcome->violated : 0));
        assay_json_set_waived(s, object, outcome != NULL ? outcome->waived : 0);
        assay_json_append(s, array, object);
    }
    return array;
}

/* What went wrong with a stream that the input carries. */
static void set_errors(struct assay_json_stream *s, json_t *object,
                       const struct assay_input_result *input,
                       const struct assay_stream_result *stream)
{
    if (stream->unjudged != NULL) {
        assay_json_set(s, object, "unjudged", assay_json_text(stream->unjudged));
    }
    if (stream->error != NULL) {
        assay_json_set(s, object, "error", error_object(s, input, stream->error));
    }
    if (stream->unlocated != NULL) {
        assay_json_set(s, object, "unlocated", error_object(s, input, stream->unlocated));
    }
}

/* What is reported about a stream; if an input is one stream, it is reported for the input. */
static void set_stream(struct assay_json_stream *s, json_t *object,
                       const struct assay_results *results,
                       const struct assay_stream_result *stream)
{
    const struct assay_format *format = stream != NULL ? stream->format : NULL;
    assay_json_set(s, object, "format", assay_json_text(format != NULL ? format->name : NULL));
    const char *profile = format != NULL ? format->profiles[stream->profile].name : NULL;
    assay_json_set(s, object, "version",
                   format != NULL ? version_of(format, profile) : json_null());
    assay_json_set(s, object, "profile", assay_json_text(profile));
    if (stream != NULL && stream->profile_reason != NULL) {
        assay_json_set(s, object, "profile_reason", assay_json_text(stream->profile_reason));
    }
    assay_json_set(s, object, "events", events_object(s, stream));
    if (format != NULL && format->layer_count > 1) {
        assay_json_set(s, object, "layers", layers_array(s, stream));
    }
    if (stream != NULL && stream->parameters != NULL) {
        assay_json_set(s, object, "config", config_object(s, stream->parameters));
    }
    if (stream != NULL && stream->uncompared != NULL && stream->uncompared->left_out) {
        assay_json_set(s, object, "execution_left_out", json_true());
    } else if (stream != NULL && stream->uncompared != NULL) {
        assay_json_set(s, object, "not_compared", uncompared_object(s, stream->uncompared));
    }
    assay_json_set(s, object, "rules",
                   stream != NULL ? rules_array(s, results, stream) : json_array());
}

static json_t *stream_object(struct assay_json_stream *s, const struct assay_results *results,
                             const struct assay_input_result *input,
                             const struct assay_stream_result *stream)
{
    json_t *object = json_object();
    if (stream->has_id) {
        assay_json_set(s, object, "id", assay_json_count(stream->id));
    }
    set_stream(s, object, results, stream);
    set_errors(s, object, input, stream);
    assay_json_set(s, object, "complete", json_boolean(stream->complete));
    assay_json_set(s, object, "verdict", json_string(assay_conclusion_name(stream->conclusion)));
    assay_json_set(s, object, "exercised", assay_json_count(stream->exercised));
    assay_json_set(s, object, "violated", assay_json_count(stream->violations));
    assay_json_set_waived(s, object, stream->waived);
    return object;
}

static json_t *streams_array(struct assay_json_stream *s, const struct assay_results *results,
                             const struct assay_input_result *input)
{
    json_t *array = json_array();
    for (size_t i = 0; i < input->stream_count; i++) {
        assay_json_append(s, array, stream_object(s, results, input, &input->streams[i]));
    }
    return array;
}

json_t *assay_json_input(struct assay_json_stream *s, const struct assay_results *results,
                         const struct assay_input_result *input)
{
    const bool readable = input->conclusion != ASSAY_UNREADABLE;
    json_t *object = json_object();
    assay_json_set(s, object, "path", assay_json_name(input->path));
    assay_json_digest(s, object, input->sha256, input->no_digest, input->changed);
    assay_json_set(s, object, "bytes", assay_json_count(input->bytes));
    if (input->interrupted) {
        assay_json_set(s, object, "interrupted", json_true());
    }
    if (input->file_count > 0) {
        assay_json_set(s, object, "files", assay_json_files(s, input));
    }
    if (input->evidence_count > 0) {
        assay_json_set(s, object, "evidence",
                       assay_json_evidence(s, input->evidence, input->evidence_count));
    }
    set_stream(s, object, results, input->stream_count > 0 ? &input->streams[0] : NULL);
    if (input->stream_count > 1) {
        assay_json_set(s, object, "streams", streams_array(s, results, input));
    } else if (input->stream_count == 1 && input->streams[0].unjudged != NULL) {
        assay_json_set(s, object, "unjudged", assay_json_text(input->streams[0].unjudged));
    }
    assay_json_set(s, object, "complete", json_boolean(readable && input->complete));
    assay_json_set(s, object, "verdict", json_string(assay_conclusion_name(input->conclusion)));
    assay_json_set(s, object, "exercised", assay_json_count(input->exercised));
    assay_json_set(s, object, "violated", assay_json_count(input->violations));
    assay_json_set_waived(s, object, input->waived);
    if (!readable) {
        assay_json_set(s, object, "error", error_object(s, input, &input->diag));
    }
    return object;
}

void assay_json_inputs(struct assay_json_stream *s, const struct assay_results *results)
{
    assay_json_list_begin(s, "inputs");
    for (size_t i = 0; i < results->input_count; i++) {
        assay_json_list_item(s, assay_json_input(s, results, &results->inputs[i]));
    }
    assay_json_list_end(s);
}
