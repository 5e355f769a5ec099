#include "validator/engine/conditions.h"

#include "validator/engine/judge.h"

bool assay_condition_met(const struct assay_catalogue *catalogue,
                         const struct assay_condition *condition, const uint64_t *cells)
{
    const struct assay_format *format = catalogue->format;
    const struct assay_kind *kind = &format->kinds[format->kinds[condition->run].run_of];
    const struct assay_event event = {.cells = cells, .kind = format->kinds[condition->run].run_of};
    const struct assay_expression *expression = &condition->expression;
    /* A leaf's number is that of its field. */
    uint64_t fields[ASSAY_MAX_STATIC_FIELDS];
    for (unsigned i = 0; i < expression->count; i++) {
        const struct assay_node *node = &expression->nodes[i];
        if (node->op == ASSAY_OP_LEAF) {
            fields[node->a] = assay_field_get(&kind->fields[node->a], &event);
        }
    }
    return assay_evaluate(expression, fields, format->functions) != 0;
}

static uint64_t met_of(const struct assay_catalogue *catalogue, bool evaluate,
                       const uint64_t *cells)
{
    uint64_t met = 0;
    if (catalogue->compiled != NULL && !evaluate) {
        return catalogue->compiled->conditions.met(&catalogue->compiled->conditions, cells);
    }
    for (size_t i = 0; i < catalogue->condition_count; i++) {
        const bool is = assay_condition_met(catalogue, &catalogue->conditions[i], cells);
        met |= (uint64_t)is << (catalogue->first_condition + i);
    }
    return met;
}

static uint64_t met_of_all(const struct assay_conditions *conditions, const uint64_t *cells)
{
    const struct assay_asked *asked = (const struct assay_asked *)conditions;
    uint64_t met = 0;
    for (size_t i = 0; i < asked->count; i++) {
        met |= asked->catalogues[i]->format == asked->format
                   ? met_of(asked->catalogues[i], asked->evaluate, cells)
                   : 0;
    }
    return met;
}

struct assay_asked assay_asked_by(const struct assay_format *format,
                                  const struct assay_catalogue *const *catalogues, size_t count,
                                  bool evaluate)
{
    return (struct assay_asked){.conditions = {.met = met_of_all},
                                .format = format,
                                .catalogues = catalogues,
                                .count = count,
                                .evaluate = evaluate};
}

uint64_t assay_leaf_of_first(const struct assay_catalogue *catalogue, uint16_t leaf,
                             const struct assay_judge_settings *settings,
                             const struct assay_event *run)
{
    const struct assay_leaf *first = &catalogue->leaves[leaf];
    const struct assay_condition *condition = &catalogue->conditions[first->number];
    struct assay_expansion x = {.number = 0};
    x.event.cells = x.cells;
    while (settings->decoder != NULL && run->kind == condition->run &&
           settings->decoding->expand(settings->decoder, run, &x)) {
        if (assay_condition_met(catalogue, condition, x.event.cells)) {
            const struct assay_field *field = assay_leaf_field(catalogue, first, x.event.kind);
            return field != NULL ? assay_field_get(field, &x.event) : 0;
        }
        x.number++;
    }
    return 0;
}
