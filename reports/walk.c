#include "reports/walk.h"

#include <string.h>

static bool asked(const struct assay_results *results, const struct assay_format *format)
{
    for (size_t i = 0; i < results->input_count; i++) {
        const struct assay_input_result *input = &results->inputs[i];
        if (input->format == format && input->conclusion != ASSAY_UNREADABLE) {
            return true;
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
    while (total != NULL && total->verdict != verdict) {
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
    if (input->format == NULL || input->conclusion == ASSAY_UNREADABLE) {
        return 0;
    }
    for (size_t kind = 0; kind < input->format->kind_count; kind++) {
        events += kind != ASSAY_KIND_END ? input->events[kind] : 0;
    }
    return events;
}

const char *assay_option_value(const struct assay_results *results, const char *name)
{
    for (size_t i = 0; i < results->option_count; i++) {
        if (strcmp(results->options[i].name, name) == 0) {
            return results->options[i].value;
        }
    }
    return NULL;
}
