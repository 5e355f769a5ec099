/* Rules, causes and findings, in the JSON report. */
#include "reports/baseline.h"
#include "reports/fingerprint.h"
#include "reports/json_parts.h"
#include "reports/report.h"
#include "reports/walk.h"
#include "validator/engine/causes.h"

/* Integers beyond 2^53 are not exact in every reader of JSON. */
enum { EXACT_BITS = 53, LEAF_TEXT = 128 };

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

static json_t *rule_object(struct assay_json_stream *s, const struct assay_rule_total *total,
                           const char *rule_pages)
{
    const struct assay_rule *rule = total->rule;
    char url[ASSAY_URL_ROOM];
    json_t *object = json_object();
    assay_json_set(s, object, "id", assay_json_text(rule->id));
    assay_json_set(s, object, "level", level_of(rule));
    assay_json_set(s, object, "clauses", texts(s, rule->clauses, rule->clause_count));
    assay_json_set(s, object, "verdict", json_string(assay_verdict_name(total->verdict)));
    assay_json_set(s, object, "exercised", assay_json_count(total->exercised));
    assay_json_set(s, object, "violated", assay_json_count(total->violated));
    assay_json_set_waived(s, object, total->waived);
    if (rule->diagnosis) {
        assay_json_set(s, object, "explains",
                       rule->explains_any ? json_string("any")
                                          : texts(s, rule->explains, rule->explain_count));
    } else if (rule->clause_count == 0) {
        assay_json_set(s, object, "source", json_string("house"));
    }
    assay_json_set(s, object, "missing", texts(s, total->missing, total->missing_count));
    assay_json_set(s, object, "title", assay_json_text(rule->title));
    if (assay_rule_page_url(rule_pages, total, url, sizeof url)) {
        assay_json_set(s, object, "page", json_string(url));
    }
    return object;
}

void assay_json_rules(struct assay_json_stream *s, const struct assay_results *results,
                      const char *rule_pages)
{
    struct assay_rule_walk walk = assay_rule_walk(results);
    const struct assay_rule_total *total;
    assay_json_list_begin(s, "rules");
    while ((total = assay_rule_walk_next(&walk)) != NULL) {
        assay_json_list_item(s, rule_object(s, total, rule_pages));
    }
    assay_json_list_end(s);
}

/* --- causes --- */

/* Null where it is not known where in the input the stream's byte is. */
static json_t *offset_of(const struct assay_located_finding *placed)
{
    return placed->unlocated ? json_null() : assay_json_count(placed->offset);
}

/* Where a rule was violated; null when no finding was kept. */
static json_t *place(struct assay_json_stream *s, const struct assay_rule_total *total,
                     const struct assay_located_finding *first)
{
    if (first == NULL) {
        return json_null();
    }
    json_t *object = json_object();
    assay_json_set(s, object, "rule", assay_json_text(total->rule->id));
    assay_json_set(s, object, "input", assay_json_count(first->input));
    assay_json_set(s, object, "stream", assay_json_count(first->stream));
    assay_json_set(s, object, "index", assay_json_count(first->finding->index));
    assay_json_set(s, object, "offset", offset_of(first));
    return object;
}

static json_t *diagnosis_object(struct assay_json_stream *s,
                                const struct assay_diagnosis *diagnosis)
{
    json_t *object = json_object();
    assay_json_set(s, object, "rule", assay_json_text(diagnosis->rule->rule->id));
    assay_json_set(s, object, "sentence", assay_json_text(diagnosis->sentence));
    assay_json_set(s, object, "first", place(s, diagnosis->rule, diagnosis->first));
    return object;
}

static json_t *cause_object(struct assay_json_stream *s, const struct assay_cause *cause)
{
    json_t *object = json_object();
    json_t *rules = json_array();
    json_t *diagnoses = json_array();
    for (size_t i = 0; i < cause->rule_count; i++) {
        assay_json_append(s, rules, assay_json_text(cause->rules[i]->rule->id));
    }
    for (size_t i = 0; i < cause->diagnosis_count; i++) {
        assay_json_append(s, diagnoses, diagnosis_object(s, &cause->diagnoses[i]));
    }
    assay_json_set(s, object, "kind", json_string(assay_cause_name(cause->kind)));
    assay_json_set(s, object, "sentence", assay_json_text(cause->sentence));
    assay_json_set(s, object, "likely", json_boolean(cause->likely));
    assay_json_set(s, object, "counts", json_boolean(cause->counts));
    assay_json_set(s, object, "often", json_string(assay_often_name(cause->often)));
    assay_json_set(s, object, "rules", rules);
    assay_json_set(s, object, "violated", assay_json_count(cause->violated));
    assay_json_set(s, object, "exercised", assay_json_count(cause->exercised));
    assay_json_set(s, object, "inputs", assay_json_count(cause->inputs));
    assay_json_set(s, object, "first", place(s, cause->first_rule, cause->first));
    assay_json_set(s, object, "diagnoses", diagnoses);
    return object;
}

enum assay_error assay_json_causes(struct assay_json_stream *s, const struct assay_results *results)
{
    struct assay_causes causes;
    const enum assay_error error = assay_causes_find(results, &causes);
    assay_json_list_begin(s, "causes");
    for (size_t i = 0; error == ASSAY_OK && i < causes.count; i++) {
        assay_json_list_item(s, cause_object(s, &causes.list[i]));
    }
    assay_json_list_end(s);
    assay_json_list_begin(s, "diagnoses");
    for (size_t i = 0; error == ASSAY_OK && i < causes.other_count; i++) {
        assay_json_list_item(s, diagnosis_object(s, &causes.others[i]));
    }
    assay_json_list_end(s);
    assay_causes_free(&causes);
    return error;
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
    if (assay_leaf_is_kind(leaf) || leaf->what == ASSAY_LEAF_FAULT) {
        return leaf_as_text(catalogue, number, value);
    }
    if (field != NULL) {
        if (field->type == ASSAY_BYTES || assay_enum_name(field->names, value) != NULL) {
            return leaf_as_text(catalogue, number, value);
        }
        return field->width > EXACT_BITS ? assay_json_hex(value) : assay_json_count(value);
    }
    const bool counter = leaf->what == ASSAY_LEAF_STATE && !catalogue->variables[leaf->number].flag;
    const bool untyped = !assay_leaf_is_condition(leaf) &&
                         (leaf->what == ASSAY_LEAF_FIELD || leaf->what == ASSAY_LEAF_PREV ||
                          leaf->what == ASSAY_LEAF_LAST || leaf->what == ASSAY_LEAF_FROM);
    return counter || untyped ? assay_json_hex(value) : assay_json_count(value);
}

/* What the rule read: all of it, or what it requires, or what else. */
enum part { ALL, REQUIRED, OTHER };

static json_t *values(struct assay_json_stream *s, const struct assay_catalogue *catalogue,
                      const struct assay_finding *finding, enum part part)
{
    json_t *object = json_object();
    for (uint16_t i = 0; i < finding->rule->evidence_count; i++) {
        const uint16_t leaf = finding->rule->evidence[i];
        const bool reading = catalogue->leaves[leaf].what == ASSAY_LEAF_READING;
        if (part == ALL ||
            (!reading && assay_leaf_required(finding->rule, leaf) == (part == REQUIRED))) {
            assay_json_set(s, object, catalogue->leaves[leaf].text,
                           leaf_value(catalogue, leaf, finding->values[i]));
        }
    }
    return object;
}

json_t *assay_json_values(struct assay_json_stream *s, const struct assay_catalogue *catalogue,
                          const struct assay_finding *finding)
{
    return values(s, catalogue, finding, ALL);
}

static json_t *expected(struct assay_json_stream *s, const struct assay_catalogue *catalogue,
                        const struct assay_rule *rule)
{
    json_t *object = json_object();
    assay_json_set(s, object, "condition", assay_json_text(rule->require_text));
    assay_json_set(s, object, "words", assay_json_text(assay_expected_words(catalogue, rule)));
    return object;
}

/* The events around the violation, in order. */
static json_t *context(struct assay_json_stream *s, const struct assay_format *format,
                       const struct assay_finding *finding)
{
    json_t *array = json_array();
    for (uint16_t i = 0; i < finding->shown_count; i++) {
        const struct assay_shown_event *event = &finding->shown[i];
        json_t *object = json_object();
        assay_json_set(s, object, "index", assay_json_count(event->index));
        assay_json_set(s, object, "offset", assay_json_count(event->offset));
        assay_json_set(s, object, "kind", assay_json_text(format->kinds[event->kind].name));
        assay_json_set(s, object, "text", assay_json_text(event->line));
        assay_json_set(s, object, "group", json_boolean(event->grouped));
        assay_json_set(s, object, "subject", json_boolean(i == finding->shown_at));
        assay_json_append(s, array, object);
    }
    return array;
}

json_t *assay_json_finding(struct assay_json_stream *s, const struct assay_found *found)
{
    const struct assay_located_finding *placed = found->placed;
    const struct assay_finding *finding = placed->finding;
    const struct assay_rule *rule = finding->rule;
    const struct assay_format *format = found->catalogue->format;
    const struct assay_kind *kind = &format->kinds[finding->kind];
    char fingerprint[ASSAY_FINGERPRINT_TEXT];
    json_t *object = json_object();
    json_t *interpretations = json_array();
    for (uint16_t i = 0; i < rule->interpretation_count; i++) {
        const uint16_t number = rule->interpretations[i];
        assay_json_append(s, interpretations,
                          assay_json_text(found->catalogue->interpretations[number].id));
    }
    assay_json_set(s, object, "rule", assay_json_text(rule->id));
    assay_json_set(s, object, "level", level_of(rule));
    assay_json_set(s, object, "input", assay_json_count(placed->input));
    assay_json_set(s, object, "layer", assay_json_text(format->layers[kind->layer]));
    assay_json_set(s, object, "kind", assay_json_text(kind->name));
    assay_json_set(s, object, "index", assay_json_count(finding->index));
    assay_json_set(s, object, "offset", offset_of(placed));
    if (found->stream->has_id) {
        assay_json_set(s, object, "source", assay_json_count(found->stream->id));
        assay_json_set(s, object, "stream_offset", assay_json_count(finding->offset));
    }
    if (placed->file > 0) {
        assay_json_set(s, object, "file", assay_json_count(placed->file - 1));
        assay_json_set(s, object, "file_offset", assay_json_count(placed->file_offset));
    }
    assay_json_set(s, object, "bits", assay_json_count(finding->bits));
    assay_json_set(s, object, "message", assay_json_text(finding->message));
    assay_json_set(s, object, "expected", expected(s, found->catalogue, rule));
    assay_json_set(s, object, "found", values(s, found->catalogue, finding, REQUIRED));
    assay_json_set(s, object, "where", values(s, found->catalogue, finding, OTHER));
    assay_json_set(s, object, "evidence", assay_json_values(s, found->catalogue, finding));
    assay_json_set(s, object, "interpretations", interpretations);
    assay_json_set(s, object, "context", context(s, format, finding));
    assay_fingerprint(found, fingerprint);
    assay_json_set(s, object, "fingerprint", json_string(fingerprint));
    return object;
}

void assay_json_findings(struct assay_json_stream *s, const struct assay_results *results)
{
    struct assay_rule_walk walk = assay_rule_walk(results);
    const struct assay_rule_total *total;
    assay_json_list_begin(s, "findings");
    while ((total = assay_rule_walk_next(&walk)) != NULL) {
        for (size_t i = 0; i < total->finding_count; i++) {
            const struct assay_found found = assay_found_of(results, total, i);
            json_t *object = assay_json_finding(s, &found);
            if (results->baseline != NULL && results->baseline->exact) {
                const bool fresh = assay_baseline_is_fresh(results->baseline, found.placed);
                assay_json_set(s, object, "baseline", json_string(fresh ? "new" : "known"));
            }
            assay_json_list_item(s, object);
        }
    }
    assay_json_list_end(s);
    if (results->findings_dropped > 0) {
        assay_json_member(s, "findings_dropped", assay_json_count(results->findings_dropped));
    }
}
