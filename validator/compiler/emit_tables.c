/* The emitter: rules, clauses and interpretations as constant tables. */
#include <inttypes.h>
#include <stdio.h>

#include "validator/compiler/emit.h"
#include "validator/engine/extent.h"

static void put(const struct assay_emitter *e, const char *text)
{
    assay_sink_text(e->sink, text);
}

/* A C string literal; "NULL" for null. */
static void put_string(const struct assay_emitter *e, const char *text)
{
    if (text == NULL) {
        put(e, "NULL");
        return;
    }
    put(e, "\"");
    for (const char *c = text; *c != '\0'; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (byte == '"' || byte == '\\') {
            assay_sink_printf(e->sink, "\\%c", byte);
        } else if (byte == '\n') {
            put(e, "\\n");
        } else if (byte < 0x20 || byte > 0x7e || byte == '?') {
            assay_sink_printf(e->sink, "\\%03o", byte);
        } else {
            assay_sink_write(e->sink, c, 1);
        }
    }
    put(e, "\"");
}

static void put_nodes(const struct assay_emitter *e, const struct assay_expression *expression,
                      const char *name)
{
    if (expression->count == 0) {
        return;
    }
    assay_sink_printf(e->sink, "static const struct assay_node %s[] = {", name);
    for (unsigned i = 0; i < expression->count; i++) {
        const struct assay_node *n = &expression->nodes[i];
        assay_sink_printf(e->sink, "{%u,%u,%u,%u,%u,UINT64_C(0x%" PRIx64 ")},", n->op, n->flag,
                          n->a, n->b, n->c, n->value);
    }
    put(e, "};\n");
}

static void put_expression(const struct assay_emitter *e, const struct assay_expression *expression,
                           const char *name)
{
    if (expression->count == 0) {
        put(e, "{NULL, 0}");
    } else {
        assay_sink_printf(e->sink, "{%s, %u}", name, expression->count);
    }
}

static void put_numbers(const struct assay_emitter *e, const char *name, const uint16_t *list,
                        uint16_t count)
{
    if (count == 0) {
        return;
    }
    assay_sink_printf(e->sink, "static const uint16_t %s[] = {", name);
    for (uint16_t i = 0; i < count; i++) {
        assay_sink_printf(e->sink, "%u,", list[i]);
    }
    put(e, "};\n");
}

static void put_say(const struct assay_emitter *e, const struct assay_rule *rule, size_t r)
{
    char name[64];
    for (uint16_t i = 0; i < rule->say_count; i++) {
        snprintf(name, sizeof name, "say_%zu_%u", r, i);
        put_nodes(e, &rule->say[i].value, name);
    }
    assay_sink_printf(e->sink, "static const struct assay_piece say_%zu[] = {", r);
    for (uint16_t i = 0; i < rule->say_count; i++) {
        const struct assay_piece *piece = &rule->say[i];
        snprintf(name, sizeof name, "say_%zu_%u", r, i);
        put(e, "{");
        put_string(e, piece->text);
        put(e, ", ");
        put_expression(e, &piece->value, name);
        assay_sink_printf(e->sink, ", {%u, %u}, %d, %d, %d},\n", piece->shown.kind,
                          piece->shown.number, piece->format, piece->kind, piece->fault);
    }
    put(e, "};\n");
}

static void put_texts(const struct assay_emitter *e, const char *name, const char *const *texts,
                      uint16_t count)
{
    if (count == 0) {
        return;
    }
    assay_sink_printf(e->sink, "static const char *const %s[] = {", name);
    for (uint16_t i = 0; i < count; i++) {
        put_string(e, texts[i]);
        put(e, ",");
    }
    put(e, "};\n");
}

static void put_rule_parts(const struct assay_emitter *e, const struct assay_rule *rule, size_t r)
{
    char name[64];
    snprintf(name, sizeof name, "when_%zu", r);
    put_nodes(e, &rule->when, name);
    snprintf(name, sizeof name, "require_%zu", r);
    put_nodes(e, &rule->require, name);
    put_say(e, rule, r);
    snprintf(name, sizeof name, "evidence_%zu", r);
    put_numbers(e, name, rule->evidence, rule->evidence_count);
    snprintf(name, sizeof name, "facts_%zu", r);
    put_numbers(e, name, rule->facts, rule->fact_count);
    snprintf(name, sizeof name, "parameters_%zu", r);
    put_numbers(e, name, rule->parameters, rule->parameter_count);
    snprintf(name, sizeof name, "interpretations_%zu", r);
    put_numbers(e, name, rule->interpretations, rule->interpretation_count);
    snprintf(name, sizeof name, "clauses_%zu", r);
    put_texts(e, name, rule->clauses, rule->clause_count);
    snprintf(name, sizeof name, "explains_%zu", r);
    put_texts(e, name, rule->explains, rule->explain_count);
}

static void put_member_text(const struct assay_emitter *e, const char *member, const char *text)
{
    assay_sink_printf(e->sink, ".%s = ", member);
    put_string(e, text);
    put(e, ",\n");
}

static void put_list(const struct assay_emitter *e, const char *member, const char *counter,
                     size_t r, uint16_t count)
{
    if (count > 0) {
        assay_sink_printf(e->sink, ".%s = %s_%zu, .%s = %u,\n", member, member, r, counter, count);
    }
}

static void put_kinds(const struct assay_emitter *e, const struct assay_kinds *kinds)
{
    put(e, "{{");
    for (size_t i = 0; i < ASSAY_KIND_WORDS; i++) {
        assay_sink_printf(e->sink, "UINT64_C(0x%" PRIx64 "),", kinds->words[i]);
    }
    put(e, "}}");
}

static void put_rule(const struct assay_emitter *e, const struct assay_rule *rule, size_t r)
{
    char name[64];
    put(e, "{");
    put_member_text(e, "id", rule->id);
    put_member_text(e, "title", rule->title);
    put_member_text(e, "why", rule->why);
    put_member_text(e, "file", rule->file);
    put_member_text(e, "on_text", rule->on_text);
    put_member_text(e, "profiles_text", rule->profiles_text);
    put_member_text(e, "when_text", rule->when_text);
    put_member_text(e, "require_text", rule->require_text);
    put_member_text(e, "say_text", rule->say_text);
    assay_sink_printf(e->sink, ".line = %u, .level = %u, .needs = %u, .profiles = 0x%x, .kinds = ",
                      rule->line, rule->level, rule->needs, rule->profiles);
    put_kinds(e, &rule->kinds);
    put(e, ",\n");
    snprintf(name, sizeof name, "when_%zu", r);
    put(e, ".when = ");
    put_expression(e, &rule->when, name);
    snprintf(name, sizeof name, "require_%zu", r);
    put(e, ", .require = ");
    put_expression(e, &rule->require, name);
    put(e, ",\n");
    put_list(e, "say", "say_count", r, rule->say_count);
    put_list(e, "evidence", "evidence_count", r, rule->evidence_count);
    put_list(e, "facts", "fact_count", r, rule->fact_count);
    put_list(e, "parameters", "parameter_count", r, rule->parameter_count);
    put_list(e, "interpretations", "interpretation_count", r, rule->interpretation_count);
    put_list(e, "clauses", "clause_count", r, rule->clause_count);
    put_list(e, "explains", "explain_count", r, rule->explain_count);
    put(e, rule->diagnosis ? ".diagnosis = true," : "");
    put(e, rule->extent == ASSAY_EXTENT_AT_PLACES    ? ".extent = 1,"
           : rule->extent == ASSAY_EXTENT_THROUGHOUT ? ".extent = 2,"
                                                     : "");
    put(e, rule->unexecutable ? ".unexecutable = true," : "");
    put(e, rule->explains_any ? ".explains_any = true," : "");
    put(e, "},\n");
}

static void put_rules(const struct assay_emitter *e)
{
    const struct assay_catalogue *c = e->catalogue;
    for (size_t r = 0; r < c->rule_count; r++) {
        put_rule_parts(e, &c->rules[r], r);
    }
    put(e, "static const struct assay_rule rules[] = {\n");
    for (size_t r = 0; r < c->rule_count; r++) {
        put_rule(e, &c->rules[r], r);
    }
    put(e, "{.id = NULL}};\n"); /* C has no empty array */
}

static void put_leaf_fields(const struct assay_emitter *e, size_t i)
{
    const struct assay_leaf *leaf = &e->catalogue->leaves[i];
    if (leaf->fields == NULL) {
        return;
    }
    assay_sink_printf(e->sink, "static const uint16_t fields_%zu[] = {", i);
    for (size_t k = 0; k < e->catalogue->format->kind_count; k++) {
        assay_sink_printf(e->sink, "%u, ", leaf->fields[k]);
    }
    put(e, "};\n");
}

static void put_leaves(const struct assay_emitter *e)
{
    for (size_t i = 0; i < e->catalogue->leaf_count; i++) {
        put_leaf_fields(e, i);
    }
    put(e, "static const struct assay_leaf leaves[] = {\n");
    for (size_t i = 0; i < e->catalogue->leaf_count; i++) {
        const struct assay_leaf *leaf = &e->catalogue->leaves[i];
        assay_sink_printf(e->sink, "{%u, %u, %u, ", leaf->what, leaf->number, leaf->reading);
        put_string(e, leaf->name);
        put(e, ", ");
        put_string(e, leaf->text);
        if (leaf->fields != NULL) {
            assay_sink_printf(e->sink, ", fields_%zu", i);
        } else {
            put(e, ", 0");
        }
        assay_sink_printf(e->sink, ", {%u, %u}, %d, UINT64_C(0x%" PRIx64 ")},\n", leaf->shown.kind,
                          leaf->shown.number, leaf->has_default, leaf->otherwise);
    }
    put(e, "{.name = NULL}};\n");
}

static void put_variables(const struct assay_emitter *e)
{
    const struct assay_catalogue *c = e->catalogue;
    char name[64];
    for (size_t v = 0; v < c->variable_count; v++) {
        const struct assay_variable *variable = &c->variables[v];
        for (uint16_t u = 0; u < variable->update_count; u++) {
            snprintf(name, sizeof name, "update_%zu_%u", v, u);
            put_nodes(e, &variable->updates[u].value, name);
        }
        assay_sink_printf(e->sink, "static const struct assay_update updates_%zu[] = {", v);
        for (uint16_t u = 0; u < variable->update_count; u++) {
            snprintf(name, sizeof name, "update_%zu_%u", v, u);
            put(e, "{");
            put_kinds(e, &variable->updates[u].kinds);
            put(e, ", ");
            put_expression(e, &variable->updates[u].value, name);
            put(e, ", ");
            put_string(e, variable->updates[u].on_text);
            put(e, ", ");
            put_string(e, variable->updates[u].text);
            put(e, "},");
        }
        put(e, "};\n");
    }
    put(e, "static const struct assay_variable variables[] = {\n");
    for (size_t v = 0; v < c->variable_count; v++) {
        const struct assay_variable *variable = &c->variables[v];
        put(e, "{");
        put_string(e, variable->name);
        put(e, ", ");
        put_string(e, variable->file);
        assay_sink_printf(e->sink, ", %u, %d, %d, %d, UINT64_C(0x%" PRIx64 "), updates_%zu, %u},\n",
                          variable->line, variable->flag, variable->compared, variable->asks,
                          variable->init, v, variable->update_count);
    }
    put(e, "{NULL, NULL, 0, 0, 0, 0, 0, NULL, 0}};\n");
}

static void put_conditions(const struct assay_emitter *e)
{
    const struct assay_catalogue *c = e->catalogue;
    char name[32];
    for (size_t i = 0; i < c->condition_count; i++) {
        snprintf(name, sizeof name, "condition_%zu", i);
        put_nodes(e, &c->conditions[i].expression, name);
    }
    put(e, "static const struct assay_condition conditions[] = {\n");
    for (size_t i = 0; i < c->condition_count; i++) {
        const struct assay_condition *condition = &c->conditions[i];
        put(e, "{.text = ");
        put_string(e, condition->text);
        assay_sink_printf(e->sink,
                          ", .run = %u, .expression = {condition_%zu, %u},\n"
                          ".field = {.type = ASSAY_FLAG, .place = ASSAY_DERIVED, .bit = %u, "
                          ".width = 1, .name = ",
                          condition->run, i, condition->expression.count, condition->field.bit);
        put_string(e, condition->field.name);
        put(e, ", .doc = ");
        put_string(e, condition->field.doc);
        put(e, "}},\n");
    }
    put(e, "{.text = NULL}};\n");
}

static void put_named(const struct assay_emitter *e)
{
    const struct assay_catalogue *c = e->catalogue;
    put(e, "static const struct assay_named_condition named[] = {\n");
    for (size_t i = 0; i < c->named_count; i++) {
        put(e, "{");
        put_member_text(e, "name", c->named[i].name);
        put_member_text(e, "text", c->named[i].text);
        put_member_text(e, "file", c->named[i].file);
        put(e, "},\n");
    }
    put(e, "{.name = NULL}};\n");
}

static void put_clauses(const struct assay_emitter *e)
{
    for (size_t i = 0; i < e->catalogue->clause_count; i++) {
        const struct assay_clause *clause = &e->catalogue->clauses[i];
        if (clause->vector_count > 0) {
            assay_sink_printf(e->sink, "static const char *const clause_vectors_%zu[] = {", i);
            for (uint16_t v = 0; v < clause->vector_count; v++) {
                put_string(e, clause->vectors[v]);
                put(e, ", ");
            }
            put(e, "};\n");
        }
    }
    put(e, "static const struct assay_clause clauses[] = {\n");
    for (size_t i = 0; i < e->catalogue->clause_count; i++) {
        const struct assay_clause *clause = &e->catalogue->clauses[i];
        put(e, "{");
        put_member_text(e, "id", clause->id);
        put_member_text(e, "section", clause->section);
        put_member_text(e, "level", clause->level);
        put_member_text(e, "text", clause->text);
        put_member_text(e, "reason", clause->reason);
        put_member_text(e, "weaker", clause->weaker);
        if (clause->vector_count > 0) {
            assay_sink_printf(e->sink, ".vectors = clause_vectors_%zu, .vector_count = %u, ", i,
                              clause->vector_count);
        }
        assay_sink_printf(e->sink, ".disposition = %u, .line = %u},\n", clause->disposition,
                          clause->line);
    }
    put(e, "{.id = NULL}};\n");
}

static void put_interpretations(const struct assay_emitter *e)
{
    const struct assay_catalogue *c = e->catalogue;
    for (size_t i = 0; i < c->interpretation_count; i++) {
        const struct assay_interpretation *one = &c->interpretations[i];
        assay_sink_printf(e->sink, "static const struct assay_reading readings_%zu[] = {", i);
        for (uint16_t r = 0; r < one->reading_count; r++) {
            put(e, "{");
            put_string(e, one->readings[r].name);
            put(e, ", ");
            put_string(e, one->readings[r].text);
            put(e, "},");
        }
        put(e, "};\n");
        assay_sink_printf(e->sink, "static const char *const borne_on_%zu[] = {", i);
        for (uint16_t n = 0; n < one->clause_count; n++) {
            put_string(e, one->clauses[n]);
            put(e, ",");
        }
        put(e, "NULL};\n");
    }
    put(e, "static const struct assay_interpretation interpretations[] = {\n");
    for (size_t i = 0; i < c->interpretation_count; i++) {
        const struct assay_interpretation *one = &c->interpretations[i];
        put(e, "{");
        put_member_text(e, "id", one->id);
        put_member_text(e, "section", one->section);
        put_member_text(e, "problem", one->problem);
        put_member_text(e, "because", one->because);
        if (one->built_in != NULL) {
            put_member_text(e, "built_in", one->built_in);
        }
        assay_sink_printf(e->sink,
                          ".readings = readings_%zu, .reading_count = %u, .chosen = %u, "
                          ".clauses = borne_on_%zu, .clause_count = %u, .line = %u},\n",
                          i, one->reading_count, one->chosen, i, one->clause_count, one->line);
    }
    put(e, "{.id = NULL}};\n");
}

void assay_emit_tables(const struct assay_emitter *e)
{
    put_leaves(e);
    put_variables(e);
    put_conditions(e);
    put_named(e);
    put_rules(e);
    put_clauses(e);
    put_interpretations(e);
}
