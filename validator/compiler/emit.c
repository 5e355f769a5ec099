/* The emitter: a catalogue as C source text. What the text does is described in compiled.h. */
#include "validator/compiler/emit.h"

#include <stdlib.h>
#include <string.h>

enum { RULE_PARTS = ASSAY_EMIT_PARTS - ASSAY_EMIT_RULES };

/* Values of the event itself need not be stored for messages: the event is still there when one is
 * made. */
static bool needed_by_messages(const struct assay_leaf *leaf)
{
    switch ((enum assay_leaf_kind)leaf->what) {
    case ASSAY_LEAF_FIELD:
    case ASSAY_LEAF_KIND:
    case ASSAY_LEAF_INDEX:
    case ASSAY_LEAF_OFFSET:
    case ASSAY_LEAF_BITS:
    case ASSAY_LEAF_FAULT:
    case ASSAY_LEAF_FROM:
    case ASSAY_LEAF_FROM_KIND:
    case ASSAY_LEAF_FIRST:
        return false;
    default:
        return true;
    }
}

static void mark(const struct assay_emitter *e, const struct assay_rule *rule,
                 const struct assay_expression *expression, bool message)
{
    const uint8_t use =
        (rule->needs & ASSAY_NEED_EXECUTION) != 0 ? ASSAY_EMIT_EXECUTED : ASSAY_EMIT_ALWAYS;
    const struct assay_catalogue *c = e->catalogue;
    for (unsigned i = 0; i < expression->count; i++) {
        if (expression->nodes[i].op != ASSAY_OP_LEAF ||
            (message && !needed_by_messages(&c->leaves[expression->nodes[i].a]))) {
            continue;
        }
        for (unsigned k = 0; k < c->format->kind_count; k++) {
            if (assay_kinds_has(&rule->kinds, k)) {
                e->used[k * c->leaf_count + expression->nodes[i].a] |= use;
            }
        }
    }
}

static void mark_all(const struct assay_emitter *e)
{
    for (size_t r = 0; r < e->catalogue->rule_count; r++) {
        const struct assay_rule *rule = &e->catalogue->rules[r];
        mark(e, rule, &rule->when, false);
        mark(e, rule, &rule->require, false);
        for (uint16_t i = 0; i < rule->say_count; i++) {
            mark(e, rule, &rule->say[i].value, true);
        }
    }
}

static void number_flags(struct assay_emitter *e)
{
    const struct assay_catalogue *c = e->catalogue;
    for (size_t v = 0; v < c->variable_count; v++) {
        e->variable_flags[v] = c->variables[v].flag ? (int)e->flag_count++ : -1;
    }
    for (size_t k = 0; k < c->format->kind_count; k++) {
        e->seen_flags[k] = -1;
    }
    for (size_t i = 0; i < c->leaf_count; i++) {
        const struct assay_leaf *leaf = &c->leaves[i];
        if (leaf->what == ASSAY_LEAF_SEEN && e->seen_flags[leaf->number] < 0) {
            e->seen_flags[leaf->number] = (int)e->flag_count++;
        }
    }
}

static void put_head(const struct assay_emitter *e)
{
    const struct assay_format *format = e->catalogue->format;
    assay_sink_printf(e->sink,
                      "/* Made by the rule compiler from rules/%s; changes here are lost. */\n"
                      "#include <string.h>\n\n#include \"validator/engine/catalogue.h\"\n"
                      "#include \"validator/engine/compiled.h\"\n"
                      "#include \"validator/engine/judge.h\"\n",
                      format->name);
    if (format->function_header != NULL) {
        assay_sink_printf(e->sink, "#include \"%s\"\n", format->function_header);
    }
    assay_sink_printf(e->sink,
                      "\nextern const struct assay_format assay_format_%s;\n"
                      "extern const struct assay_catalogue assay_catalogue_%s;\n\n"
                      "/* What the parts share and nobody else sees. */\n"
                      "#define PART(name) assay_rules_of_%s_##name\n"
                      "#define SHARED __attribute__((visibility(\"hidden\")))\n\n"
                      "extern SHARED const struct assay_compiled PART(compiled);\n\n",
                      format->name, format->name, format->name);
}

/* The header of all parts: the structures, and the functions of each rule. */
static void put_header(const struct assay_emitter *e)
{
    put_head(e);
    assay_emit_structures(e);
    assay_emit_rule_functions(e, RULE_PARTS);
}

static void put_tail(const struct assay_emitter *e)
{
    const struct assay_catalogue *c = e->catalogue;
    assay_sink_printf(e->sink,
                      "const struct assay_catalogue assay_catalogue_%s = {\n"
                      "    .format = &assay_format_%s,\n"
                      "    .rules = rules,\n    .rule_count = %zu,\n"
                      "    .leaves = leaves,\n    .leaf_count = %zu,\n"
                      "    .variables = variables,\n    .variable_count = %zu,\n"
                      "    .conditions = conditions,\n    .condition_count = %zu,\n"
                      "    .named = named,\n    .named_count = %zu,\n"
                      "    .clauses = clauses,\n    .clause_count = %zu,\n"
                      "    .interpretations = interpretations,\n"
                      "    .interpretation_count = %zu,\n"
                      "    .digest = \"%s\",\n    .compiled = &PART(compiled),\n};\n",
                      c->format->name, c->format->name, c->rule_count, c->leaf_count,
                      c->variable_count, c->condition_count, c->named_count, c->clause_count,
                      c->interpretation_count, c->digest);
}

static bool open_emitter(struct assay_emitter *e)
{
    const struct assay_catalogue *c = e->catalogue;
    const size_t kinds = c->format->kind_count;
    e->used = calloc(kinds * c->leaf_count + 1, sizeof *e->used);
    e->variable_flags = calloc(c->variable_count + 1, sizeof *e->variable_flags);
    e->seen_flags = calloc(kinds + 1, sizeof *e->seen_flags);
    e->previous_bits = calloc(c->leaf_count + 1, sizeof *e->previous_bits);
    e->previous_widths = calloc(c->leaf_count + 1, sizeof *e->previous_widths);
    if (e->used == NULL || e->variable_flags == NULL || e->seen_flags == NULL ||
        e->previous_bits == NULL || e->previous_widths == NULL) {
        return false;
    }
    mark_all(e);
    number_flags(e);
    assay_emit_number_previous(e);
    return true;
}

static void close_emitter(struct assay_emitter *e)
{
    free(e->used);
    free(e->variable_flags);
    free(e->seen_flags);
    free(e->previous_bits);
    free(e->previous_widths);
}

static enum assay_error put_part(const struct assay_emitter *e, unsigned part, const char *header)
{
    for (unsigned k = 0; k < e->catalogue->format->kind_count; k++) {
        if (assay_emit_unit_count(e, k) > ASSAY_EMIT_UNITS) {
            return ASSAY_LIMIT;
        }
    }
    if (part != ASSAY_EMIT_HEADER) {
        assay_sink_printf(e->sink, "#include \"%s\"\n\n", header);
    }
    switch (part) {
    case ASSAY_EMIT_HEADER:
        put_header(e);
        break;
    case ASSAY_EMIT_TABLES:
        assay_emit_tables(e);
        put_tail(e);
        break;
    case ASSAY_EMIT_STATE:
        assay_emit_step(e);
        assay_emit_check(e, RULE_PARTS);
        assay_emit_conditions(e);
        assay_sink_text(
            e->sink,
            "const struct assay_compiled PART(compiled) = {\n"
            "    sizeof(struct state), begin, step, check, counts, {met, unexecutable}};\n");
        break;
    default:
        assay_emit_rules(e, part - ASSAY_EMIT_RULES, RULE_PARTS);
        break;
    }
    return e->sink->error;
}

enum assay_error assay_catalogue_emit(const struct assay_catalogue *catalogue, unsigned part,
                                      const char *header, struct assay_sink *sink)
{
    struct assay_emitter e = {.catalogue = catalogue, .sink = sink};
    const enum assay_error error = open_emitter(&e) ? put_part(&e, part, header) : ASSAY_NO_MEMORY;
    close_emitter(&e);
    return error;
}
