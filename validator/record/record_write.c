#include "validator/record/record.h"

#include <stdio.h>
#include <string.h>

#include "reports/json_stream.h"
#include "validator/engine/collect.h"
#include "validator/engine/surroundings.h"
#include "validator/record/overviews.h"
#include "validator/record/verdicts.h"

/* Texts are written as names are, so that each byte comes back. */
static json_t *text(const char *value)
{
    return value != NULL ? assay_json_name(value) : json_null();
}

static void set_text(struct assay_json_stream *s, json_t *object, const char *name,
                     const char *value)
{
    assay_json_set(s, object, name, text(value));
}

static void set_count(struct assay_json_stream *s, json_t *object, const char *name, uint64_t value)
{
    assay_json_set(s, object, name, assay_json_count(value));
}

static void set_flag(struct assay_json_stream *s, json_t *object, const char *name, bool value)
{
    assay_json_set(s, object, name, json_boolean(value));
}

static json_t *numbers(struct assay_json_stream *s, const uint64_t *list, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        assay_json_append(s, array, assay_json_count(list[i]));
    }
    return array;
}

static json_t *diag_object(struct assay_json_stream *s, const struct assay_diag *diag)
{
    json_t *object = json_object();
    set_count(s, object, "error", diag->error);
    set_text(s, object, "path", diag->path);
    set_count(s, object, "offset", diag->offset);
    set_count(s, object, "line", diag->line);
    set_count(s, object, "column", diag->column);
    set_text(s, object, "message", diag->message);
    set_text(s, object, "hint", diag->hint);
    return object;
}

static void set_diag(struct assay_json_stream *s, json_t *object, const char *name,
                     const struct assay_diag *diag)
{
    assay_json_set(s, object, name, diag != NULL ? diag_object(s, diag) : json_null());
}

/* --- files --- */

static void set_digest(struct assay_json_stream *s, json_t *object, const char *sha256,
                       const char *no_digest, bool changed, uint64_t bytes)
{
    set_text(s, object, "sha256", sha256);
    set_text(s, object, "no_digest", no_digest);
    set_flag(s, object, "changed", changed);
    set_count(s, object, "bytes", bytes);
}

static json_t *files(struct assay_json_stream *s, const struct assay_input_result *input)
{
    json_t *array = json_array();
    for (size_t i = 0; i < input->file_count; i++) {
        const struct assay_file_result *file = &input->files[i];
        json_t *object = json_object();
        set_text(s, object, "path", file->path);
        set_digest(s, object, file->sha256, file->no_digest, file->changed, file->bytes);
        assay_json_append(s, array, object);
    }
    return array;
}

static json_t *evidence(struct assay_json_stream *s, const struct assay_input_result *input)
{
    json_t *array = json_array();
    for (size_t i = 0; i < input->evidence_count; i++) {
        const struct assay_evidence *file = &input->evidence[i];
        json_t *object = json_object();
        set_text(s, object, "role", file->role);
        set_text(s, object, "path", file->path);
        set_digest(s, object, file->sha256, file->no_digest, file->changed, file->bytes);
        set_flag(s, object, "missing", file->missing);
        assay_json_append(s, array, object);
    }
    return array;
}

/* --- streams --- */

static json_t *layers(struct assay_json_stream *s, const struct assay_stream_result *stream)
{
    json_t *array = json_array();
    const size_t count = stream->layers != NULL ? stream->format->layer_count : 0;
    for (size_t i = 0; i < count; i++) {
        json_t *object = json_object();
        set_flag(s, object, "left_out", stream->layers[i].left_out);
        set_flag(s, object, "complete", stream->layers[i].complete);
        set_text(s, object, "why", stream->layers[i].why);
        assay_json_append(s, array, object);
    }
    return array;
}

/* Number, value and origin of those that are known. */
static json_t *parameters(struct assay_json_stream *s, const struct assay_parameter_values *values)
{
    json_t *array = values != NULL ? json_array() : json_null();
    for (size_t i = 0; values != NULL && i < values->table->count; i++) {
        if (values->known[i]) {
            const uint64_t one[] = {i, values->value[i], values->site[i].origin};
            assay_json_append(s, array, numbers(s, one, 3));
        }
    }
    return array;
}

static json_t *uncompared(struct assay_json_stream *s, const struct assay_uncompared *from)
{
    if (from == NULL) {
        return json_null();
    }
    json_t *object = json_object();
    assay_json_set(s, object, "count", numbers(s, from->count, ASSAY_UNCOMPARED_COUNT));
    set_text(s, object, "wrong", from->wrong);
    set_flag(s, object, "left_out", from->left_out);
    return object;
}

/* Number of the rule, exercised, violated, waived. */
static json_t *outcomes(struct assay_json_stream *s, const struct assay_stream_result *stream)
{
    json_t *array = json_array();
    for (size_t i = 0; i < stream->outcome_count; i++) {
        const struct assay_rule_outcome *outcome = &stream->outcomes[i];
        const uint64_t one[] = {outcome->rule, outcome->exercised, outcome->violated,
                                outcome->waived};
        assay_json_append(s, array, numbers(s, one, 4));
    }
    return array;
}

static json_t *verdicts(const struct assay_input_run *run, const struct assay_stream_result *stream)
{
    if (stream->verdicts == NULL) {
        return json_null();
    }
    struct assay_sink sink;
    json_t *value = NULL;
    assay_sink_memory(&sink, 0);
    assay_verdicts_pack(stream->verdicts, run->tally.rule_count, &sink);
    if (sink.error == ASSAY_OK) {
        value = json_stringn(sink.size > 0 ? (const char *)sink.data : "", sink.size);
    }
    assay_sink_close(&sink, NULL);
    return value;
}

static json_t *stream_object(struct assay_json_stream *s, const struct assay_input_run *run,
                             const struct assay_stream_result *stream,
                             struct assay_record_kept *kept)
{
    const struct assay_format *format = stream->format;
    const size_t kinds = stream->events != NULL ? format->kind_count : 0;
    json_t *object = json_object();
    set_flag(s, object, "has_id", stream->has_id);
    set_count(s, object, "id", stream->id);
    set_text(s, object, "format", format != NULL ? format->name : NULL);
    set_text(s, object, "unjudged", stream->unjudged);
    set_diag(s, object, "error", stream->error);
    set_diag(s, object, "unlocated", stream->unlocated);
    set_count(s, object, "profile", stream->profile);
    set_text(s, object, "profile_reason", stream->profile_reason);
    assay_json_set(s, object, "events", numbers(s, stream->events, kinds));
    assay_json_set(s, object, "overview",
                   assay_keeps_overview(stream, kept->overviews) ? assay_overview_write(s, stream)
                                                                 : json_null());
    assay_json_set(s, object, "parameters", parameters(s, stream->parameters));
    assay_json_set(s, object, "layers", layers(s, stream));
    assay_json_set(s, object, "uncompared", uncompared(s, stream->uncompared));
    assay_json_set(s, object, "verdicts", verdicts(run, stream));
    assay_json_set(s, object, "outcomes", outcomes(s, stream));
    set_flag(s, object, "complete", stream->complete);
    set_count(s, object, "exercised", stream->exercised);
    set_count(s, object, "violations", stream->violations);
    set_count(s, object, "waived", stream->waived);
    assay_json_set(s, object, "conclusion", json_string(assay_conclusion_name(stream->conclusion)));
    return object;
}

static json_t *streams(struct assay_json_stream *s, const struct assay_input_run *run,
                       struct assay_record_kept *kept)
{
    json_t *array = json_array();
    for (size_t i = 0; i < run->result.stream_count; i++) {
        assay_json_append(s, array, stream_object(s, run, &run->result.streams[i], kept));
    }
    return array;
}

/* --- findings --- */

static json_t *bytes(const uint8_t *list, size_t count)
{
    char out[2 * ASSAY_SHOWN_BYTES + 1] = "";
    for (size_t i = 0; i < count && i < ASSAY_SHOWN_BYTES; i++) {
        snprintf(out + 2 * i, 3, "%02x", list[i]);
    }
    return json_string(out);
}

static json_t *event_object(struct assay_json_stream *s, const struct assay_format *format,
                            const struct assay_event *event)
{
    json_t *object = json_object();
    set_count(s, object, "kind", event->kind);
    set_count(s, object, "index", event->index);
    set_count(s, object, "offset", event->offset);
    set_count(s, object, "bits", event->bits);
    set_count(s, object, "fault", event->fault);
    assay_json_set(s, object, "bytes",
                   bytes(event->bytes, assay_surroundings_bytes(format, event)));
    assay_json_set(s, object, "cells",
                   numbers(s, event->cells, assay_kind_cells(&format->kinds[event->kind])));
    return object;
}

/* Address, word, machine, bytes, width and whether it is T32; empty: there is none. */
static json_t *instruction(struct assay_json_stream *s, const struct assay_instruction *from)
{
    const uint64_t one[] = {from->address, from->word,  from->machine,
                            from->bytes,   from->width, from->thumb};
    return numbers(s, one, from->machine != 0 ? sizeof one / sizeof one[0] : 0);
}

static json_t *shown(struct assay_json_stream *s, const struct assay_finding *finding)
{
    json_t *array = json_array();
    for (uint16_t i = 0; i < finding->shown_count; i++) {
        const struct assay_shown_event *event = &finding->shown[i];
        json_t *object = json_object();
        set_count(s, object, "index", event->index);
        set_count(s, object, "offset", event->offset);
        set_text(s, object, "line", event->line);
        assay_json_set(s, object, "instruction", instruction(s, &event->instruction));
        set_count(s, object, "kind", event->kind);
        set_flag(s, object, "grouped", event->grouped);
        assay_json_append(s, array, object);
    }
    return array;
}

static json_t *finding_object(struct assay_json_stream *s, const struct assay_format *format,
                              const struct assay_located_finding *placed)
{
    const struct assay_finding *finding = placed->finding;
    json_t *object = json_object();
    set_count(s, object, "stream", placed->stream);
    set_count(s, object, "offset", placed->offset);
    set_flag(s, object, "unlocated", placed->unlocated);
    set_count(s, object, "file", placed->file);
    set_count(s, object, "file_offset", placed->file_offset);
    set_count(s, object, "kind", finding->kind);
    set_count(s, object, "index", finding->index);
    set_count(s, object, "stream_offset", finding->offset);
    set_count(s, object, "bits", finding->bits);
    set_text(s, object, "message", finding->message);
    assay_json_set(s, object, "values", numbers(s, finding->values, finding->rule->evidence_count));
    assay_json_set(s, object, "event", event_object(s, format, finding->event));
    assay_json_set(s, object, "shown", shown(s, finding));
    set_count(s, object, "shown_at", finding->shown_at);
    return object;
}

static json_t *spread(struct assay_json_stream *s, const struct assay_rule_total *total)
{
    json_t *array = total->spread != NULL ? json_array() : json_null();
    for (size_t i = 0; total->spread != NULL && i < total->rule->evidence_count; i++) {
        const uint64_t one[] = {total->spread[i].value, total->spread[i].varies};
        assay_json_append(s, array, numbers(s, one, 2));
    }
    return array;
}

/* What streams do not say of a rule; null when there is nothing. */
static json_t *rule_object(struct assay_json_stream *s, const struct assay_rule_total *total,
                           size_t number, struct assay_record_kept *kept)
{
    if (total->spread == NULL && total->finding_count == 0 && total->missing_count == 0) {
        return NULL;
    }
    json_t *object = json_object();
    json_t *missing = json_array();
    json_t *findings = json_array();
    for (size_t i = 0; i < total->missing_count; i++) {
        assay_json_append(s, missing, text(total->missing[i]));
    }
    for (size_t i = 0; i < total->finding_count && kept->findings < ASSAY_MOST_FINDINGS; i++) {
        assay_json_append(s, findings,
                          finding_object(s, total->catalogue->format, &total->findings[i]));
        kept->findings++;
    }
    set_count(s, object, "rule", number);
    assay_json_set(s, object, "missing", missing);
    assay_json_set(s, object, "spread", spread(s, total));
    set_count(s, object, "sampled", total->sampled);
    assay_json_set(s, object, "findings", findings);
    return object;
}

static void set_rules(struct assay_json_stream *s, json_t *object,
                      const struct assay_input_run *run, struct assay_record_kept *kept)
{
    const struct assay_tally *tally = &run->tally;
    const size_t count = run->result.stream_count > 0 ? tally->rule_count : 0;
    uint64_t dropped = tally->findings_dropped;
    json_t *array = json_array();
    for (size_t r = 0; r < count; r++) {
        const size_t before = kept->findings;
        json_t *rule = rule_object(s, &tally->rules[r], r, kept);
        if (rule != NULL) {
            assay_json_append(s, array, rule);
        }
        dropped += tally->rules[r].finding_count - (kept->findings - before);
    }
    assay_json_set(s, object, "rules", array);
    set_count(s, object, "findings_dropped", count > 0 ? dropped : 0);
}

/* --- the input --- */

json_t *assay_record_of(const struct assay_input_run *run, size_t number,
                        struct assay_record_kept *kept)
{
    const struct assay_input_result *input = &run->result;
    struct assay_json_stream stream = {0};
    struct assay_json_stream *s = &stream;
    json_t *object = json_object();
    set_count(s, object, "number", number);
    set_text(s, object, "path", input->path);
    set_digest(s, object, input->sha256, input->no_digest, input->changed, input->bytes);
    set_flag(s, object, "interrupted", input->interrupted);
    set_flag(s, object, "filtered", input->filtered);
    assay_json_set(s, object, "files", files(s, input));
    assay_json_set(s, object, "evidence", evidence(s, input));
    assay_json_set(s, object, "streams", streams(s, run, kept));
    set_flag(s, object, "complete", input->complete);
    set_count(s, object, "exercised", input->exercised);
    set_count(s, object, "violations", input->violations);
    set_count(s, object, "waived", input->waived);
    assay_json_set(s, object, "conclusion", json_string(assay_conclusion_name(input->conclusion)));
    set_diag(s, object, "diag", input->diag.error != ASSAY_OK ? &input->diag : NULL);
    set_rules(s, object, run, kept);
    if (s->failed) {
        json_decref(object);
        return NULL;
    }
    return object;
}
