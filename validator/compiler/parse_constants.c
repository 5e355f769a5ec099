/* The names of the rule language for what has one value in a whole stream: platform facts,
 * parameters, readings of interpretations. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/parameters.h"
#include "validator/compiler/parser.h"

enum { NAME = 64 };

/* fact(NAME): a platform fact. */
struct assay_operand assay_parse_fact(struct assay_parser *p)
{
    struct assay_operand failed = {0};
    char name[NAME];
    assay_parse_expect(p, "(");
    const size_t at = p->token.at;
    if (!assay_parse_name(p, name, sizeof name)) {
        return failed;
    }
    const enum assay_fact fact = assay_fact_by_name(name);
    if (fact == ASSAY_FACT_COUNT) {
        struct assay_near near = assay_near_begin(name);
        for (unsigned i = 0; i < ASSAY_FACT_COUNT; i++) {
            assay_near_try(&near, assay_fact_table[i].name);
        }
        assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at, "no platform fact is called \"%s\"", name);
        assay_parse_hint(p, near.best);
        return failed;
    }
    assay_parse_expect(p, ")");
    char text[NAME + 8];
    snprintf(text, sizeof text, "fact(%s)", name);
    struct assay_operand operand = assay_parse_leaf(
        p, (struct assay_leaf){.what = ASSAY_LEAF_FACT, .number = (uint16_t)fact, .text = text},
        NULL, assay_fact_table[fact].most == 1);
    operand.most = assay_fact_table[fact].most;
    return operand;
}

/* The DEFAULT of config(NAME, DEFAULT), which is a literal and leaves no node. */
static uint64_t parse_default(struct assay_parser *p, const struct assay_parameter *parameter)
{
    const bool flag = assay_parameter_is_flag(parameter);
    const struct assay_operand operand = assay_parse_primary(p);
    if (p->error != ASSAY_OK) {
        return 0;
    }
    if (parameter->has_default) {
        assay_parse_fail(p, ASSAY_VACUOUS, operand.at, "%s has a default of its own",
                         parameter->name);
    } else if (!operand.constant || operand.flag != flag) {
        assay_parse_fail(p, ASSAY_WRONG_TYPE, operand.at, "the default of %s is %s",
                         parameter->name, flag ? "true or false" : "a number");
    } else if (operand.value < parameter->least || operand.value > parameter->most) {
        assay_parse_fail(p, ASSAY_OUT_OF_RANGE, operand.at,
                         "%s has values from %" PRIu64 " to %" PRIu64, parameter->name,
                         parameter->least, parameter->most);
    } else {
        p->count--;
    }
    return operand.value;
}

/* The FIELD of config(NAME.FIELD); null where the parameter has none of this name. */
static const struct assay_parameter_field *
parse_register_field(struct assay_parser *p, const struct assay_parameter_table *table,
                     unsigned number)
{
    char name[NAME];
    const size_t at = p->token.at;
    if (!assay_parse_name(p, name, sizeof name)) {
        return NULL;
    }
    struct assay_near near = assay_near_begin(name);
    for (size_t i = 0; i < table->field_count; i++) {
        const struct assay_parameter_field *field = &table->fields[i];
        if (field->parameter == number && strcmp(field->name, name) == 0) {
            return field;
        }
        if (field->parameter == number) {
            assay_near_try(&near, field->name);
        }
    }
    assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at, "%s has no field \"%s\"", table->list[number].name,
                     name);
    assay_parse_hint(p, near.best);
    return NULL;
}

/* config(NAME): a parameter of the stream; config(NAME, DEFAULT): one that need not be given;
 * config(NAME.FIELD): bits of one. */
struct assay_operand assay_parse_config(struct assay_parser *p)
{
    const struct assay_format *format = p->scope->loader->format;
    const struct assay_parameter_table *table = format->parameters;
    const struct assay_operand failed = {0};
    char name[NAME];
    assay_parse_expect(p, "(");
    const size_t at = p->token.at;
    if (!assay_parse_name(p, name, sizeof name)) {
        return failed;
    }
    const int number = table != NULL ? assay_parameter_by_name(table, name) : -1;
    if (number < 0) {
        struct assay_near near = assay_near_begin(name);
        for (size_t i = 0; table != NULL && i < table->count; i++) {
            assay_near_try(&near, table->list[i].name);
        }
        assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at, "%s has no parameter \"%s\"", format->name,
                         name);
        assay_parse_hint(p, near.best);
        return failed;
    }
    const struct assay_parameter *parameter = &table->list[number];
    const bool flag = assay_parameter_is_flag(parameter);
    struct assay_leaf leaf = {.what = ASSAY_LEAF_CONFIG, .number = (uint16_t)number};
    char value[24];
    char text[NAME + 40];
    snprintf(text, sizeof text, "config(%s)", name);
    const struct assay_parameter_field *field = NULL;
    if (assay_parse_accept(p, ".")) {
        field = parse_register_field(p, table, (unsigned)number);
    } else if (assay_parse_accept(p, ",")) {
        leaf.has_default = true;
        leaf.otherwise = parse_default(p, parameter);
        snprintf(value, sizeof value, "%" PRIu64, leaf.otherwise);
        snprintf(text, sizeof text, "config(%s, %s)", name,
                 !flag                 ? value
                 : leaf.otherwise != 0 ? "true"
                                       : "false");
    }
    assay_parse_expect(p, ")");
    leaf.text = text;
    struct assay_operand operand = assay_parse_leaf(p, leaf, NULL, flag);
    operand.most = parameter->most;
    if (field != NULL) {
        operand =
            assay_parse_node(p, ASSAY_OP_SLICE, false, operand.node, field->bit, field->width, 0);
        operand.most = assay_mask(field->width);
    }
    return operand;
}

static const struct assay_interpretation *find_interpretation(struct assay_parser *p,
                                                              const char *id, uint16_t *number)
{
    const struct assay_catalogue *out = p->scope->loader->out;
    for (size_t i = 0; i < out->interpretation_count; i++) {
        if (strcmp(out->interpretations[i].id, id) == 0) {
            *number = (uint16_t)i;
            return &out->interpretations[i];
        }
    }
    return NULL;
}

/* reads(INT-ASTF-09, zero): whether the interpretation is set to that reading. */
struct assay_operand assay_parse_reads(struct assay_parser *p)
{
    struct assay_operand failed = {0};
    char id[NAME];
    char reading[NAME];
    assay_parse_expect(p, "(");
    const size_t at = p->token.at;
    if (!assay_parse_name(p, id, sizeof id) || !assay_parse_expect(p, ",")) {
        return failed;
    }
    uint16_t number = 0;
    const struct assay_interpretation *found = find_interpretation(p, id, &number);
    if (found == NULL) {
        assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at, "no interpretation has the id %s", id);
        return failed;
    }
    const size_t reading_at = p->token.at;
    if (!assay_parse_name(p, reading, sizeof reading) || !assay_parse_expect(p, ")")) {
        return failed;
    }
    for (uint16_t i = 0; i < found->reading_count; i++) {
        if (assay_parse_same_name(reading, found->readings[i].name)) {
            char text[2 * NAME + 16];
            snprintf(text, sizeof text, "reads(%s, %s)", id, reading);
            return assay_parse_leaf(
                p,
                (struct assay_leaf){
                    .what = ASSAY_LEAF_READING, .number = number, .reading = i, .text = text},
                NULL, true);
        }
    }
    assay_parse_fail(p, ASSAY_UNKNOWN_NAME, reading_at, "%s has no reading \"%s\"", id, reading);
    return failed;
}
