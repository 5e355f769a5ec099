#include <string.h>

#include "reports/json_load.h"
#include "reports/json_stream.h"
#include "validator/compare/report_parts.h"

static json_t *counts_of(struct assay_json_stream *json, const struct assay_compare_row *row)
{
    json_t *counts = json_object();
    assay_json_set(json, counts, "format", assay_json_text(row->format));
    assay_json_set(json, counts, "vectors", assay_json_count(row->vectors));
    for (int i = 0; i < ASSAY_COMPARE_OUTCOMES; i++) {
        assay_json_set(json, counts, assay_compare_outcome_name((enum assay_compare_outcome)i),
                       assay_json_count(row->outcomes[i]));
    }
    assay_json_set(json, counts, "expected", assay_json_count(row->expected));
    assay_json_set(json, counts, "not_run", assay_json_count(row->not_run));
    return counts;
}

/* An event as JSON, or as a text where it was cut; null where there is none. */
static json_t *event_of(const char *text)
{
    json_error_t wrong;
    json_t *event = NULL;
    if (text[0] == '\0') {
        return json_null();
    }
    /* Null when memory is out, which the stream notices. */
    return assay_json_load(text, strlen(text), 0, &event, &wrong) == ASSAY_SYNTAX
               ? assay_json_text(text)
               : event;
}

static void add_difference(struct assay_json_stream *json, json_t *item,
                           const struct assay_comparison *c)
{
    json_t *before = json_array();
    for (size_t i = ASSAY_COMPARED_BEFORE; i-- > 0;) {
        if (c->before[i][0] != '\0') {
            assay_json_append(json, before, event_of(c->before[i]));
        }
    }
    assay_json_set(json, item, "layer", assay_json_text(c->layer));
    assay_json_set(json, item, "index", assay_json_count(c->index));
    assay_json_set(json, item, "before", before);
    assay_json_set(json, item, "expected", event_of(c->expected.text));
    assay_json_set(json, item, "found", event_of(c->found.text));
    if (c->field[0] != '\0') {
        assay_json_set(json, item, "field", assay_json_text(c->field));
    }
}

static json_t *compared_of(struct assay_json_stream *json,
                           const struct assay_compare_summary *summary, size_t number)
{
    const struct assay_compared *one = &summary->comparisons->list[number];
    json_t *item = json_object();
    assay_json_set(json, item, "vector", assay_json_text(one->vector->name));
    assay_json_set(json, item, "format", assay_json_text(one->vector->format->name));
    assay_json_set(json, item, "outcome",
                   assay_json_text(assay_compare_outcome_name(one->outcome)));
    assay_json_set(json, item, "events", assay_json_count(one->events));
    if (one->reason != NULL) {
        assay_json_set(json, item, "reason", assay_json_text(one->reason));
    }
    if (one->failure != NULL) {
        assay_json_set(json, item, "what", assay_json_text(one->failure->what));
        assay_json_set(json, item, "said", assay_json_text(one->failure->said));
        if (summary->causes.of[number] != SIZE_MAX) {
            assay_json_set(json, item, "cause", assay_json_count(summary->causes.of[number]));
        }
        if (one->failure->comparison.layer[0] != '\0') {
            add_difference(json, item, &one->failure->comparison);
        }
    }
    return item;
}

static json_t *cause_of(struct assay_json_stream *json, const struct assay_compare_summary *summary,
                        size_t number)
{
    const struct assay_compare_cause *cause = &summary->causes.list[number];
    const struct assay_compared *first = &summary->comparisons->list[cause->first];
    const struct assay_comparison *c = &first->failure->comparison;
    char text[ASSAY_COMPARE_CAUSE_TEXT];
    json_t *item = json_object();
    assay_compare_cause_text(cause, summary->comparisons, text);
    assay_json_set(json, item, "outcome",
                   assay_json_text(assay_compare_outcome_name(first->outcome)));
    assay_json_set(json, item, "format", assay_json_text(first->vector->format->name));
    assay_json_set(json, item, "vectors", assay_json_count(cause->count));
    assay_json_set(json, item, "what", assay_json_text(text));
    assay_json_set(json, item, "first", assay_json_text(first->vector->name));
    if (c->layer[0] != '\0') {
        assay_json_set(json, item, "layer", assay_json_text(c->layer));
        assay_json_set(json, item, "kind", assay_json_text(c->kind));
        assay_json_set(json, item, "field", assay_json_text(c->field));
    }
    return item;
}

enum assay_error assay_compare_write_json(const struct assay_compare_summary *summary,
                                          struct assay_sink *sink)
{
    const struct assay_comparisons *c = summary->comparisons;
    struct assay_json_stream json;
    struct assay_compare_row row;
    assay_json_begin(&json, sink);
    assay_json_member(&json, "schema", assay_json_text("assay-compare/1"));
    assay_json_member(&json, "decoder", assay_json_text(c->decoder->command));
    assay_json_member(&json, "persistent", json_boolean(c->decoder->persistent));
    assay_json_member(&json, "isolated",
                      json_boolean(c->decoder->isolation == ASSAY_ISOLATION_BWRAP));
    assay_json_member(&json, "failures", assay_json_count(summary->failures));
    assay_json_member(&json, "interrupted", json_boolean(summary->not_run > 0));
    assay_json_list_begin(&json, "formats");
    for (size_t i = 0; i < c->corpus->count;) {
        i = assay_compare_count_row(c, i, &row);
        assay_json_list_item(&json, counts_of(&json, &row));
    }
    assay_json_list_end(&json);
    assay_json_list_begin(&json, "stale");
    for (size_t i = 0; i < summary->expected->count; i++) {
        if (summary->expected->list[i].stale) {
            assay_json_list_item(&json, assay_json_text(summary->expected->list[i].vector));
        }
    }
    assay_json_list_end(&json);
    assay_json_list_begin(&json, "causes");
    for (size_t i = 0; i < summary->causes.count; i++) {
        assay_json_list_item(&json, cause_of(&json, summary, i));
    }
    assay_json_list_end(&json);
    assay_json_list_begin(&json, "vectors");
    for (size_t i = 0; i < c->corpus->count; i++) {
        if (c->list[i].run) {
            assay_json_list_item(&json, compared_of(&json, summary, i));
        }
    }
    assay_json_list_end(&json);
    return assay_json_end(&json);
}
