#include "reports/walk.h"

#include <stdio.h>
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

struct assay_found assay_found_of(const struct assay_results *results,
                                  const struct assay_rule_total *total, size_t n)
{
    const struct assay_located_finding *placed = &total->findings[n];
    const struct assay_input_result *input = &results->inputs[placed->input];
    return (struct assay_found){.path = input->path,
                                .stream = &input->streams[placed->stream],
                                .catalogue = total->catalogue,
                                .placed = placed};
}

const struct assay_waiver *assay_waiver_for(const struct assay_results *results,
                                            const struct assay_rule_total *total, const char *path)
{
    const struct assay_waivers *waivers = results->waiver_list;
    for (size_t i = 0; waivers != NULL && i < waivers->catalogue_count; i++) {
        if (waivers->catalogues[i] == total->catalogue) {
            return assay_waiver_of(waivers, i, (size_t)(total->rule - total->catalogue->rules),
                                   path);
        }
    }
    return NULL;
}

void assay_not_checkable_text(const struct assay_rule_total *total, char *text, size_t size)
{
    int used = snprintf(text, size, "not checkable: what it needs was not given");
    for (size_t i = 0; i < total->missing_count && (size_t)used < size; i++) {
        used += snprintf(text + used, size - (size_t)used, "%s%s", i > 0 ? ", " : ": ",
                         total->missing[i]);
    }
}

const struct assay_clause *assay_clause_of(const struct assay_catalogue *catalogue, const char *id)
{
    for (size_t i = 0; i < catalogue->clause_count; i++) {
        if (strcmp(catalogue->clauses[i].id, id) == 0) {
            return &catalogue->clauses[i];
        }
    }
    return NULL;
}

const char *assay_incomplete(const struct assay_input_result *input,
                             const struct assay_stream_result *stream)
{
    if (input->interrupted) {
        return "the run was interrupted";
    }
    if (input->changed) {
        return "a file changed while it was judged";
    }
    if (stream->unjudged != NULL) {
        return stream->unjudged;
    }
    for (size_t k = 0; stream->layers != NULL && k < stream->format->layer_count; k++) {
        if (!stream->layers[k].left_out && !stream->layers[k].complete &&
            stream->layers[k].why != NULL) {
            return stream->layers[k].why;
        }
    }
    if (!stream->complete) {
        return "a part could not be decoded";
    }
    if (stream->conclusion != ASSAY_INCOMPLETE) {
        return NULL;
    }
    return input->bytes == 0 ? "there is nothing in it" : "nothing in it was checked";
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

uint64_t assay_counted_violations(const struct assay_results *results,
                                  const struct assay_input_result *input)
{
    uint64_t count = 0;
    for (size_t n = 0; n < input->stream_count; n++) {
        for (size_t i = 0; i < input->streams[n].outcome_count; i++) {
            const struct assay_rule_outcome *outcome = &input->streams[n].outcomes[i];
            count += assay_rule_counts(results, results->rules[outcome->rule].rule)
                         ? outcome->violated
                         : 0;
        }
    }
    return count;
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
