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

/* An expression that reads fields alone, of an event. Each leaf is replaced by its value. */
static bool holds(const struct assay_catalogue *catalogue,
                  const struct assay_expression *expression, const struct assay_event *event)
{
    struct assay_node nodes[ASSAY_MAX_NODES];
    const struct assay_expression with_values = {.nodes = nodes, .count = expression->count};
    for (unsigned i = 0; i < expression->count; i++) {
        const struct assay_node *node = &expression->nodes[i];
        nodes[i] = *node;
        if (node->op == ASSAY_OP_LEAF) {
            nodes[i] = (struct assay_node){.op = ASSAY_OP_CONSTANT, .flag = node->flag};
            assay_leaf_of_event(catalogue, node->a, event, &nodes[i].value);
        }
    }
    return assay_evaluate(&with_values, NULL, catalogue->format->functions) != 0;
}

static bool is_unexecutable(const struct assay_catalogue *catalogue, bool evaluate,
                            const uint64_t *cells)
{
    if (catalogue->compiled != NULL && !evaluate) {
        const struct assay_conditions *conditions = &catalogue->compiled->conditions;
        return conditions->unexecutable(conditions, cells);
    }
    bool is = false;
    for (size_t r = 0; r < catalogue->rule_count && !is; r++) {
        const struct assay_rule *rule = &catalogue->rules[r];
        const struct assay_event run = {.cells = cells,
                                        .kind = (uint16_t)assay_kinds_next(&rule->kinds, 0)};
        is = rule->unexecutable && (rule->when.count == 0 || holds(catalogue, &rule->when, &run)) &&
             !holds(catalogue, &rule->require, &run);
    }
    return is;
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

static bool unexecutable_by_any(const struct assay_conditions *conditions, const uint64_t *cells)
{
    const struct assay_asked *asked = (const struct assay_asked *)conditions;
    bool is = false;
    for (size_t i = 0; i < asked->count && !is; i++) {
        is = asked->catalogues[i]->format == asked->format &&
             is_unexecutable(asked->catalogues[i], asked->evaluate, cells);
    }
    return is;
}

struct assay_asked assay_asked_by(const struct assay_format *format,
                                  const struct assay_catalogue *const *catalogues, size_t count,
                                  bool evaluate)
{
    return (struct assay_asked){.conditions = {met_of_all, unexecutable_by_any},
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
