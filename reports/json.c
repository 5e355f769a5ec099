/* The JSON report, schema assay-report/1. `environment` is the only member that differs between
 * runs over the same input with the same catalogue and options. */
#include <string.h>

#include "reports/json_files.h"
#include "reports/json_stream.h"
#include "reports/walk.h"
#include "reports/writers.h"

/* Integers beyond 2^53 are not exact in every reader of JSON. */
enum { EXACT_BITS = 53, LEAF_TEXT = 128 };

/* --- tool and options --- */

/* One digest for all rules: that of the only catalogue, or one over the digests of all. */
static json_t *catalogue_digest(const struct assay_results *results)
{
    char text[ASSAY_DIGEST_TEXT];
    struct assay_digest digest;
    if (results->digest_count == 1) {
        return assay_json_text(results->digests[0]);
    }
    assay_digest_begin(&digest);
    for (size_t i = 0; i < results->digest_count; i++) {
        assay_digest_add(&digest, results->digests[i], strlen(results->digests[i]));
        assay_digest_add(&digest, "\n", 1);
    }
    return assay_digest_end(&digest, text) == ASSAY_OK ? assay_json_text(text) : json_null();
}

static json_t *tool(struct assay_json_stream *s, const struct assay_results *results)
{
    json_t *object = json_object();
    json_t *catalogues = json_array();
    assay_json_set(s, object, "name", json_string("assay"));
    assay_json_set(s, object, "version", json_string(ASSAY_VERSION));
    assay_json_set(s, object, "catalogue", catalogue_digest(results));
    for (size_t i = 0; i < results->digest_count; i++) {
        assay_json_append(s, catalogues, assay_json_text(results->digests[i]));
    }
    assay_json_set(s, object, "catalogues", catalogues);
    return object;
}

/* An option that was given more than once is a list. */
static json_t *options(struct assay_json_stream *s, const struct assay_results *results)
{
    json_t *object = json_object();
    for (size_t i = 0; i < results->option_count; i++) {
        const struct assay_option_used *option = &results->options[i];
        json_t *value = assay_json_text(option->value);
        json_t *before = json_object_get(object, option->name);
        if (json_is_array(before)) {
            assay_json_append(s, before, value);
        } else if (before != NULL) {
            assay_json_set(s, object, option->name, json_pack("[O, o]", before, value));
        } else {
            assay_json_set(s, object, option->name, value);
        }
    }
    return object;
}

/* --- inputs --- */

static json_t *input_error(struct assay_json_stream *s, const struct assay_input_result *input)
{
    const struct assay_diag *diag = &input->diag;
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
        assay_json_set(s, object, "path", assay_json_text(diag->path));
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
    static const char *const origins[] = {"unknown", "default", "config", "stream"};
    json_t *object = json_object();
    for (size_t i = 0; i < values->table->count; i++) {
        if (values->known[i]) {
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

/* What is reported about a stream; if an input is one stream, it is reported for the input. */
static void set_stream(struct assay_json_stream *s, json_t *object,
                       const struct assay_stream_result *stream)
{
    const struct assay_format *format = stream != NULL ? stream->format : NULL;
    assay_json_set(s, object, "format", assay_json_text(format != NULL ? format->name : NULL));
    assay_json_set(s, object, "version", assay_json_text(format != NULL ? format->version : NULL));
    assay_json_set(s, object, "profile",
                   assay_json_text(format != NULL ? format->profiles[stream->profile].name : NULL));
    if (stream != NULL && stream->unjudged != NULL) {
        assay_json_set(s, object, "unjudged", assay_json_text(stream->unjudged));
    }
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
    if (stream != NULL && stream->uncompared != NULL) {
        assay_json_set(s, object, "not_compared", uncompared_object(s, stream->uncompared));
    }
}

/* Only where there is something of it. */
static void set_waived(struct assay_json_stream *s, json_t *object, uint64_t waived)
{
    if (waived > 0) {
        assay_json_set(s, object, "waived", assay_json_count(waived));
    }
}

static json_t *stream_object(struct assay_json_stream *s, const struct assay_stream_result *stream)
{
    json_t *object = json_object();
    if (stream->has_id) {
        assay_json_set(s, object, "id", assay_json_count(stream->id));
    }
    set_stream(s, object, stream);
    assay_json_set(s, object, "complete", json_boolean(stream->complete));
    assay_json_set(s, object, "verdict", json_string(assay_conclusion_name(stream->conclusion)));
    assay_json_set(s, object, "exercised", assay_json_count(stream->exercised));
    assay_json_set(s, object, "violated", assay_json_count(stream->violations));
    set_waived(s, object, stream->waived);
    return object;
}

static json_t *streams_array(struct assay_json_stream *s, const struct assay_input_result *input)
{
    json_t *array = json_array();
    for (size_t i = 0; i < input->stream_count; i++) {
        assay_json_append(s, array, stream_object(s, &input->streams[i]));
    }
    return array;
}

static json_t *input_object(struct assay_json_stream *s, const struct assay_input_result *input)
{
    const bool readable = input->conclusion != ASSAY_UNREADABLE;
    json_t *object = json_object();
    assay_json_set(s, object, "path", assay_json_text(input->path));
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
    set_stream(s, object, input->stream_count > 0 ? &input->streams[0] : NULL);
    if (input->stream_count > 1) {
        assay_json_set(s, object, "streams", streams_array(s, input));
    }
    assay_json_set(s, object, "complete", json_boolean(readable && input->complete));
    assay_json_set(s, object, "verdict", json_string(assay_conclusion_name(input->conclusion)));
    assay_json_set(s, object, "exercised", assay_json_count(input->exercised));
    assay_json_set(s, object, "violated", assay_json_count(input->violations));
    set_waived(s, object, input->waived);
    if (!readable) {
        assay_json_set(s, object, "error", input_error(s, input));
    }
    return object;
}

/* --- rules --- */

static json_t *texts(struct assay_json_stream *s, const char *const *list, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        assay_json_append(s, array, assay_json_text(list[i]));
    }
    return array;
}

static json_t *level_of(const struct assay_rule *rule)
{
    return json_string(assay_level_name((enum assay_level)rule->level));
}

static json_t *rule_object(struct assay_json_stream *s, const struct assay_rule_total *total)
{
    const struct assay_rule *rule = total->rule;
    json_t *object = json_object();
    assay_json_set(s, object, "id", assay_json_text(rule->id));
    assay_json_set(s, object, "level", level_of(rule));
    assay_json_set(s, object, "clauses", texts(s, rule->clauses, rule->clause_count));
    assay_json_set(s, object, "verdict", json_string(assay_verdict_name(total->verdict)));
    assay_json_set(s, object, "exercised", assay_json_count(total->exercised));
    assay_json_set(s, object, "violated", assay_json_count(total->violated));
    set_waived(s, object, total->waived);
    if (rule->clause_count == 0) {
        assay_json_set(s, object, "source", json_string("house"));
    }
    assay_json_set(s, object, "missing", texts(s, total->missing, total->missing_count));
    assay_json_set(s, object, "title", assay_json_text(rule->title));
    return object;
}

/* --- findings --- */

static json_t *leaf_as_text(const struct assay_catalogue *catalogue, uint16_t leaf, uint64_t value)
{
    char text[LEAF_TEXT];
    assay_leaf_text(catalogue, leaf, value, text, sizeof text);
    return assay_json_text(text);
}

/* The type depends on the leaf alone and not on the value, but that a value with a name gives it.
 */
static json_t *leaf_value(const struct assay_catalogue *catalogue, uint16_t number, uint64_t value)
{
    const struct assay_leaf *leaf = &catalogue->leaves[number];
    const struct assay_field *field = assay_shown_field(catalogue->format, leaf->shown);
    if (leaf->what == ASSAY_LEAF_KIND || leaf->what == ASSAY_LEAF_PREV_KIND ||
        leaf->what == ASSAY_LEAF_FAULT) {
        return leaf_as_text(catalogue, number, value);
    }
    if (field != NULL) {
        if (field->type == ASSAY_BYTES || assay_enum_name(field->names, value) != NULL) {
            return leaf_as_text(catalogue, number, value);
        }
        return field->width > EXACT_BITS ? assay_json_hex(value) : assay_json_count(value);
    }
    const bool counter = leaf->what == ASSAY_LEAF_STATE && !catalogue->variables[leaf->number].flag;
    const bool untyped = leaf->what == ASSAY_LEAF_FIELD || leaf->what == ASSAY_LEAF_PREV ||
                         leaf->what == ASSAY_LEAF_LAST || leaf->what == ASSAY_LEAF_FROM;
    return counter || untyped ? assay_json_hex(value) : assay_json_count(value);
}

static json_t *evidence(struct assay_json_stream *s, const struct assay_catalogue *catalogue,
                        const struct assay_finding *finding)
{
    json_t *object = json_object();
    for (uint16_t i = 0; i < finding->rule->evidence_count; i++) {
        const uint16_t leaf = finding->rule->evidence[i];
        assay_json_set(s, object, catalogue->leaves[leaf].text,
                       leaf_value(catalogue, leaf, finding->values[i]));
    }
    return object;
}

static json_t *context(struct assay_json_stream *s, const struct assay_finding *finding)
{
    json_t *object = json_object();
    assay_json_set(s, object, "before", assay_json_text(assay_finding_line(finding, -1)));
    assay_json_set(s, object, "event", assay_json_text(assay_finding_line(finding, 0)));
    assay_json_set(s, object, "after", assay_json_text(assay_finding_line(finding, 1)));
    return object;
}

static json_t *finding_object(struct assay_json_stream *s, const struct assay_results *results,
                              const struct assay_rule_total *total,
                              const struct assay_located_finding *placed)
{
    const struct assay_stream_result *stream =
        &results->inputs[placed->input].streams[placed->stream];
    const struct assay_finding *finding = placed->finding;
    const struct assay_rule *rule = total->rule;
    const struct assay_format *format = total->catalogue->format;
    const struct assay_kind *kind = &format->kinds[finding->kind];
    json_t *object = json_object();
    json_t *interpretations = json_array();
    for (uint16_t i = 0; i < rule->interpretation_count; i++) {
        const uint16_t number = rule->interpretations[i];
        assay_json_append(s, interpretations,
                          assay_json_text(total->catalogue->interpretations[number].id));
    }
    assay_json_set(s, object, "rule", assay_json_text(rule->id));
    assay_json_set(s, object, "level", level_of(rule));
    assay_json_set(s, object, "input", assay_json_count(placed->input));
    assay_json_set(s, object, "layer", assay_json_text(format->layers[kind->layer]));
    assay_json_set(s, object, "kind", assay_json_text(kind->name));
    assay_json_set(s, object, "index", assay_json_count(finding->index));
    assay_json_set(s, object, "offset", assay_json_count(placed->offset));
    if (stream->has_id) {
        assay_json_set(s, object, "source", assay_json_count(stream->id));
        assay_json_set(s, object, "stream_offset", assay_json_count(finding->offset));
    }
    if (placed->file > 0) {
        assay_json_set(s, object, "file", assay_json_count(placed->file - 1));
        assay_json_set(s, object, "file_offset", assay_json_count(placed->file_offset));
    }
    assay_json_set(s, object, "bits", assay_json_count(finding->bits));
    assay_json_set(s, object, "message", assay_json_text(finding->message));
    assay_json_set(s, object, "evidence", evidence(s, total->catalogue, finding));
    assay_json_set(s, object, "interpretations", interpretations);
    assay_json_set(s, object, "context", context(s, finding));
    return object;
}

/* --- waivers, interpretations, the environment --- */

static json_t *waiver_object(struct assay_json_stream *s, const struct assay_waiver_used *used)
{
    const struct assay_waiver *waiver = used->waiver;
    json_t *object = json_object();
    assay_json_set(s, object, "rule", assay_json_text(waiver->rule));
    assay_json_set(s, object, "input", assay_json_text(waiver->input));
    assay_json_set(s, object, "reason", assay_json_text(waiver->reason));
    assay_json_set(s, object, "owner", assay_json_text(waiver->owner));
    if (waiver->link != NULL) {
        assay_json_set(s, object, "link", assay_json_text(waiver->link));
    }
    assay_json_set(s, object, "expires", assay_json_text(waiver->expires));
    assay_json_set(s, object, "waived", assay_json_count(used->waived));
    return object;
}

static json_t *reading_object(struct assay_json_stream *s, const struct assay_reading_used *used)
{
    const struct assay_interpretation *one = used->interpretation;
    json_t *object = json_object();
    assay_json_set(s, object, "id", assay_json_text(one->id));
    assay_json_set(s, object, "reading", assay_json_text(one->readings[used->reading].name));
    assay_json_set(s, object, "default", assay_json_text(one->readings[one->chosen].name));
    return object;
}

static json_t *environment(struct assay_json_stream *s, const struct assay_results *results)
{
    json_t *object = json_object();
    assay_json_set(s, object, "host", assay_json_text(results->host));
    assay_json_set(s, object, "started", assay_json_text(results->started));
    assay_json_set(s, object, "seconds", json_real(results->seconds));
    assay_json_set(s, object, "jobs", assay_json_count(results->jobs));
    return object;
}

/* --- the report --- */

static void put_rules(struct assay_json_stream *s, const struct assay_results *results)
{
    struct assay_rule_walk walk = assay_rule_walk(results);
    const struct assay_rule_total *total;
    assay_json_list_begin(s, "rules");
    while ((total = assay_rule_walk_next(&walk)) != NULL) {
        assay_json_list_item(s, rule_object(s, total));
    }
    assay_json_list_end(s);
}

static void put_findings(struct assay_json_stream *s, const struct assay_results *results)
{
    struct assay_rule_walk walk = assay_rule_walk(results);
    const struct assay_rule_total *total;
    assay_json_list_begin(s, "findings");
    while ((total = assay_rule_walk_next(&walk)) != NULL) {
        for (size_t i = 0; i < total->finding_count; i++) {
            assay_json_list_item(s, finding_object(s, results, total, &total->findings[i]));
        }
    }
    assay_json_list_end(s);
}

enum assay_error assay_report_json(const struct assay_results *results,
                                   const struct assay_report_style *style, struct assay_sink *sink)
{
    struct assay_json_stream stream;
    struct assay_json_stream *s = &stream;
    (void)style;
    assay_json_begin(s, sink);
    assay_json_member(s, "schema", json_string("assay-report/1"));
    assay_json_member(s, "tool", tool(s, results));
    assay_json_member(s, "options", options(s, results));
    assay_json_member(s, "verdict", json_string(assay_conclusion_name(results->conclusion)));
    if (results->interrupted != 0) {
        assay_json_member(s, "interrupted", json_integer(results->interrupted));
    }
    assay_json_list_begin(s, "inputs");
    for (size_t i = 0; i < results->input_count; i++) {
        assay_json_list_item(s, input_object(s, &results->inputs[i]));
    }
    assay_json_list_end(s);
    assay_json_skipped(s, results);
    assay_json_member(s, "evidence",
                      assay_json_evidence(s, results->evidence, results->evidence_count));
    put_rules(s, results);
    put_findings(s, results);
    if (results->waiver_count > 0) {
        assay_json_list_begin(s, "waivers");
        for (size_t i = 0; i < results->waiver_count; i++) {
            assay_json_list_item(s, waiver_object(s, &results->waivers[i]));
        }
        assay_json_list_end(s);
    }
    assay_json_list_begin(s, "interpretations");
    for (size_t i = 0; i < results->reading_count; i++) {
        if (assay_reading_asked(results, &results->readings[i])) {
            assay_json_list_item(s, reading_object(s, &results->readings[i]));
        }
    }
    assay_json_list_end(s);
    assay_json_member(s, "environment", environment(s, results));
    return assay_json_end(s);
}
