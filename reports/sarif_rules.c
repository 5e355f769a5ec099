/* Rules in the SARIF report. */
#include <stdint.h>
#include <stdio.h>

#include "reports/report.h"
#include "reports/sarif_parts.h"
#include "reports/walk.h"

json_t *assay_sarif_level(const struct assay_rule *rule)
{
    static const char *const levels[ASSAY_LEVEL_COUNT] = {
        [ASSAY_INFO] = "note",
        [ASSAY_MAY_NOT_RELY] = "note",
        [ASSAY_SHOULD] = "warning",
        [ASSAY_MUST] = "error",
    };
    return json_string(levels[rule->level]);
}

json_t *assay_sarif_message(struct assay_json_stream *s, const char *text)
{
    json_t *object = json_object();
    assay_json_set(s, object, "text", assay_json_text(text));
    return object;
}

/* --- help --- */

static void put_clauses(struct assay_sink *sink, const struct assay_rule_total *total)
{
    const struct assay_rule *rule = total->rule;
    for (uint16_t i = 0; i < rule->clause_count; i++) {
        const struct assay_clause *clause = assay_clause_of(total->catalogue, rule->clauses[i]);
        assay_sink_printf(sink, "\n\nClause %s", rule->clauses[i]);
        if (clause != NULL) {
            assay_sink_printf(sink, " (section %s; %s)", clause->section, clause->level);
        }
        if (clause != NULL && clause->text != NULL) {
            assay_sink_printf(sink, ": %s", clause->text);
        }
    }
    if (rule->clause_count == 0 && !rule->diagnosis) {
        assay_sink_text(sink, "\n\nNo clause of the specification demands it: a house rule.");
    }
}

/* The readings in effect of the interpretations that a rule depends on. */
static void put_readings(struct assay_sink *sink, const struct assay_results *results,
                         const struct assay_rule_total *total)
{
    for (uint16_t i = 0; i < total->rule->interpretation_count; i++) {
        const struct assay_interpretation *one =
            &total->catalogue->interpretations[total->rule->interpretations[i]];
        const struct assay_reading *reading = &one->readings[assay_reading_of(results, one)];
        assay_sink_printf(sink, "\n\nReading %s=%s: %s", one->id, reading->name, reading->text);
    }
}

static json_t *help(struct assay_json_stream *s, const struct assay_results *results,
                    const struct assay_rule_total *total)
{
    const struct assay_rule *rule = total->rule;
    struct assay_sink sink;
    assay_sink_memory(&sink, 0);
    assay_sink_printf(&sink, "On %s", rule->on_text);
    if (rule->when_text != NULL) {
        assay_sink_printf(&sink, ", when %s", rule->when_text);
    }
    if (!rule->diagnosis) {
        assay_sink_printf(&sink, ": require %s", rule->require_text);
    }
    put_clauses(&sink, total);
    put_readings(&sink, results, total);
    assay_sink_printf(&sink, "\n\nassay rules show %s", rule->id);
    assay_sink_write(&sink, "", 1);
    json_t *object =
        sink.error == ASSAY_OK ? assay_sarif_message(s, (const char *)sink.data) : NULL;
    assay_sink_close(&sink, NULL);
    return object;
}

/* --- descriptors --- */

static json_t *properties(struct assay_json_stream *s, const struct assay_rule_total *total)
{
    const struct assay_rule *rule = total->rule;
    char area[128];
    json_t *object = json_object();
    json_t *tags = json_array();
    json_t *clauses = json_array();
    assay_rule_area(rule, area, sizeof area);
    assay_json_append(s, tags, assay_json_text(total->catalogue->format->name));
    assay_json_append(s, tags, assay_json_text(area));
    for (uint16_t i = 0; i < rule->clause_count; i++) {
        assay_json_append(s, clauses, assay_json_text(rule->clauses[i]));
    }
    assay_json_set(s, object, "tags", tags);
    assay_json_set(s, object, "level",
                   json_string(assay_level_name((enum assay_level)rule->level)));
    assay_json_set(s, object, "clauses", clauses);
    assay_json_set(s, object, "verdict", json_string(assay_verdict_name(total->verdict)));
    return object;
}

static json_t *descriptor(struct assay_sarif *sarif, const struct assay_rule_total *total)
{
    struct assay_json_stream *s = &sarif->stream;
    char url[ASSAY_URL_ROOM];
    const struct assay_rule *rule = total->rule;
    json_t *object = json_object();
    json_t *configuration = json_object();
    assay_json_set(s, configuration, "level", assay_sarif_level(rule));
    assay_json_set(s, object, "id", assay_json_text(rule->id));
    assay_json_set(s, object, "name", assay_json_text(rule->title));
    assay_json_set(s, object, "shortDescription", assay_sarif_message(s, rule->title));
    assay_json_set(s, object, "fullDescription",
                   assay_sarif_message(s, rule->why != NULL ? rule->why : rule->title));
    assay_json_set(s, object, "help", help(s, sarif->results, total));
    if (assay_rule_page_url(sarif->rule_pages, total, url, sizeof url)) {
        assay_json_set(s, object, "helpUri", assay_json_text(url));
    }
    assay_json_set(s, object, "defaultConfiguration", configuration);
    assay_json_set(s, object, "properties", properties(s, total));
    return object;
}

void assay_sarif_rules(struct assay_sarif *sarif)
{
    struct assay_rule_walk walk = assay_rule_walk(sarif->results);
    const struct assay_rule_total *total;
    size_t count = 0;
    assay_json_list_begin(&sarif->stream, "rules");
    while ((total = assay_rule_walk_next(&walk)) != NULL) {
        if (total->verdict != ASSAY_DESELECTED && total->verdict != ASSAY_NOT_APPLICABLE) {
            sarif->rules[total - sarif->results->rules] = count++;
            assay_json_list_item(&sarif->stream, descriptor(sarif, total));
        }
    }
    assay_json_list_end(&sarif->stream);
}
