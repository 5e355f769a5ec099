#include "reports/walk.h"

#include <string.h>

static bool asked(const struct assay_results *results, const struct assay_format *format)
{
    for (size_t i = 0; i < results->input_count; i++) {
        const struct assay_input_result *input = &results->inputs[i];
        for (size_t n = 0; n < input->stream_count; n++) {
            if (input->streams[n].format == format) {
                return true;
            }
        }
    }
    return false;
}

const struct assay_rule_total *assay_rule_walk_next(struct assay_rule_walk *walk)
{
    while (walk->next < walk->results->rule_count) {
        const struct assay_rule_total *total = &walk->results->rules[walk->next++];
        if (total->catalogue != walk->catalogue) {
            walk->catalogue = total->catalogue;
            walk->asked = asked(walk->results, total->catalogue->format);
        }
        if (walk->asked) {
            return total;
        }
    }
    return NULL;
}

const struct assay_rule_total *assay_rule_walk_verdict(struct assay_rule_walk *walk,
                                                       enum assay_verdict verdict)
{
    const struct assay_rule_total *total = assay_rule_walk_next(walk);
    while (total != NULL &&
           (total->verdict != verdict || (total->rule->diagnosis && verdict != ASSAY_RECOGNISED))) {
        total = assay_rule_walk_next(walk);
    }
    return total;
}

uint16_t assay_reading_of(const struct assay_results *results,
                          const struct assay_interpretation *interpretation)
{
    for (size_t i = 0; i < results->reading_count; i++) {
        if (results->readings[i].interpretation == interpretation) {
            return results->readings[i].reading;
        }
    }
    return interpretation->chosen;
}

uint64_t assay_input_events(const struct assay_input_result *input)
{
    uint64_t events = 0;
    for (size_t n = 0; n < input->stream_count; n++) {
        const struct assay_stream_result *stream = &input->streams[n];
        const size_t kinds = stream->format != NULL ? stream->format->kind_count : 0;
        for (size_t kind = 0; kind < kinds; kind++) {
            events += kind != ASSAY_KIND_END ? stream->events[kind] : 0;
        }
    }
    return events;
}

size_t assay_skipped_files(const struct assay_results *results, enum assay_skip_reason reason)
{
    size_t count = 0;
    for (size_t i = 0; i < results->skipped_count; i++) {
        count += results->skipped[i].reason == reason;
    }
    return reason == ASSAY_SKIP_DATA || reason == ASSAY_SKIP_NAMED ? 0 : count;
}

bool assay_reading_asked(const struct assay_results *results,
                         const struct assay_reading_used *reading)
{
    struct assay_rule_walk walk = assay_rule_walk(results);
    const struct assay_catalogue *before = NULL;
    const struct assay_rule_total *total;
    while ((total = assay_rule_walk_next(&walk)) != NULL) {
        const struct assay_catalogue *catalogue = total->catalogue;
        for (size_t i = 0; catalogue != before && i < catalogue->interpretation_count; i++) {
            if (&catalogue->interpretations[i] == reading->interpretation) {
                return true;
            }
        }
        before = catalogue;
    }
    return false;
}

bool assay_leaf_required(const struct assay_rule *rule, uint16_t leaf)
{
    for (uint16_t i = 0; i < rule->require.count; i++) {
        if (rule->require.nodes[i].op == ASSAY_OP_LEAF && rule->require.nodes[i].a == leaf) {
            return true;
        }
    }
    return rule->require.count == 0;
}

const char *assay_flag_meaning(const struct assay_catalogue *catalogue, uint16_t leaf)
{
    const struct assay_field *field =
        assay_shown_field(catalogue->format, catalogue->leaves[leaf].shown);
    return field != NULL && field->type == ASSAY_FLAG ? field->doc : NULL;
}

const char *assay_expected_words(const struct assay_catalogue *catalogue,
                                 const struct assay_rule *rule)
{
    const struct assay_expression *require = &rule->require;
    const char *meaning = require->count == 1 && require->nodes[0].op == ASSAY_OP_LEAF
                              ? assay_flag_meaning(catalogue, require->nodes[0].a)
                              : NULL;
    return meaning != NULL ? meaning : rule->title;
}
