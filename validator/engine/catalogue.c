/* What the engine asks of a catalogue: names, rules by id, the fields that leaves mean. */
#include "validator/engine/catalogue.h"

#include <stdio.h>
#include <string.h>

#include "model/parameters.h"

static const char *const levels[ASSAY_LEVEL_COUNT] = {"info", "may-not-rely", "should", "must"};
static const char *const dispositions[ASSAY_DISPOSITION_COUNT] = {"rule", "decoder", "permission",
                                                                  "input", "not-visible"};

const char *assay_level_name(enum assay_level level)
{
    return levels[level];
}

bool assay_level_by_name(const char *name, enum assay_level *level)
{
    for (unsigned i = 0; i < ASSAY_LEVEL_COUNT; i++) {
        if (strcmp(levels[i], name) == 0) {
            *level = (enum assay_level)i;
            return true;
        }
    }
    return false;
}

const char *assay_disposition_name(enum assay_disposition disposition)
{
    return dispositions[disposition];
}

bool assay_clause_mandatory(const struct assay_clause *clause)
{
    return strcmp(clause->level, "must") == 0 || strcmp(clause->level, "shall") == 0;
}

bool assay_clause_strongest(const struct assay_catalogue *catalogue, const char *clause,
                            enum assay_level *level)
{
    bool found = false;
    for (size_t r = 0; r < catalogue->rule_count; r++) {
        const struct assay_rule *rule = &catalogue->rules[r];
        for (uint16_t i = 0; i < rule->clause_count; i++) {
            if (strcmp(rule->clauses[i], clause) == 0 && (!found || rule->level > *level)) {
                *level = (enum assay_level)rule->level;
                found = true;
            }
        }
    }
    return found;
}

void assay_rule_area(const struct assay_rule *rule, char *area, size_t size)
{
    const char *slash = strrchr(rule->file, '/');
    snprintf(area, size, "%s", slash != NULL ? slash + 1 : rule->file);
    char *dot = strrchr(area, '.');
    if (dot != NULL && dot > area) {
        *dot = '\0';
    }
}

bool assay_rule_explains(const struct assay_rule *diagnosis, const struct assay_rule *rule)
{
    bool named = diagnosis->explains_any;
    for (uint16_t i = 0; i < diagnosis->explain_count && !named; i++) {
        named = strcmp(diagnosis->explains[i], rule->id) == 0;
    }
    return named && diagnosis->diagnosis && !rule->diagnosis;
}

const struct assay_field *assay_leaf_field(const struct assay_catalogue *catalogue,
                                           const struct assay_leaf *leaf, unsigned kind)
{
    if (assay_leaf_is_condition(leaf)) {
        const struct assay_condition *condition = &catalogue->conditions[leaf->number - 1];
        return condition->run == kind ? &condition->field : NULL;
    }
    const uint16_t number = leaf->fields != NULL ? leaf->fields[kind] : 0;
    return number != 0 ? &catalogue->format->kinds[kind].fields[number - 1] : NULL;
}

const struct assay_rule *assay_rule_by_id(const struct assay_catalogue *catalogue, const char *id)
{
    for (size_t i = 0; i < catalogue->rule_count; i++) {
        if (strcmp(catalogue->rules[i].id, id) == 0) {
            return &catalogue->rules[i];
        }
    }
    return NULL;
}

static bool reads(const struct assay_catalogue *catalogue,
                  const struct assay_expression *expression, uint16_t interpretation)
{
    for (unsigned i = 0; i < expression->count; i++) {
        const struct assay_node *node = &expression->nodes[i];
        if (node->op == ASSAY_OP_LEAF && catalogue->leaves[node->a].what == ASSAY_LEAF_READING &&
            catalogue->leaves[node->a].number == interpretation) {
            return true;
        }
    }
    return false;
}

/* The number of the parameter by which the format's decoder has the reading, or -1. */
static int decoded_by(const struct assay_catalogue *catalogue, uint16_t interpretation)
{
    const struct assay_parameter_table *table = catalogue->format->parameters;
    return table != NULL
               ? assay_parameter_by_name(table, catalogue->interpretations[interpretation].id)
               : -1;
}

bool assay_rule_switches(const struct assay_catalogue *catalogue, const struct assay_rule *rule,
                         uint16_t interpretation)
{
    bool rests = false;
    for (uint16_t i = 0; i < rule->interpretation_count; i++) {
        rests = rests || rule->interpretations[i] == interpretation;
    }
    return reads(catalogue, &rule->when, interpretation) ||
           reads(catalogue, &rule->require, interpretation) ||
           (rests && decoded_by(catalogue, interpretation) >= 0);
}

void assay_readings_follow(const struct assay_catalogue *catalogue, const uint16_t *readings,
                           struct assay_parameter_values *values)
{
    const bool follows =
        readings != NULL && values != NULL && values->table == catalogue->format->parameters;
    for (size_t i = 0; follows && i < catalogue->interpretation_count; i++) {
        const struct assay_interpretation *one = &catalogue->interpretations[i];
        const int number = decoded_by(catalogue, (uint16_t)i);
        uint64_t value = 0;
        if (number >= 0 && assay_enum_value(catalogue->format->parameters->list[number].names,
                                            one->readings[readings[i]].name, &value)) {
            assay_parameter_default(values, (size_t)number, value);
        }
    }
}
