/* The emitter: a catalogue as C source text. What the text does is described in compiled.h. */
#include "validator/compiler/emit.h"

#include <stdlib.h>
#include <string.h>

/* What an event says of itself need not be kept for messages: the event is still there when one is
 * made. */
static bool kept_for_messages(const struct assay_leaf *leaf)
{
    switch ((enum assay_leaf_kind)leaf->what) {
    case ASSAY_LEAF_FIELD:
    case ASSAY_LEAF_KIND:
    case ASSAY_LEAF_INDEX:
    case ASSAY_LEAF_OFFSET:
    case ASSAY_LEAF_BITS:
    case ASSAY_LEAF_FAULT:
    case ASSAY_LEAF_FROM:
        return false;
    default:
        return true;
    }
}

static void mark(const struct assay_emitter *e, const struct assay_rule *rule,
                 const struct assay_expression *expression, bool message)
{
    const uint8_t use =
        (rule->needs & ASSAY_NEED_EXECUTION) != 0 ? ASSAY_EMIT_EXECUTED : ASSAY_EMIT_PLAIN;
    const struct assay_catalogue *c = e->catalogue;
    for (unsigned i = 0; i < expression->count; i++) {
        if (expression->nodes[i].op != ASSAY_OP_LEAF ||
            (message && !kept_for_messages(&c->leaves[expression->nodes[i].a]))) {
            continue;
        }
        for (unsigned k = 0; k < c->format->kind_count; k++) {
            if ((rule->kinds >> k & 1) != 0) {
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

static void put_head(const struct assay_emitter *e)
{
    const struct assay_format *format = e->catalogue->format;
    assay_sink_printf(
        e->sink,
        "/* Made by the rule compiler from rules/%s; changes here are lost. */\n"
        "#include <string.h>\n\n#include \"validator/engine/catalogue.h\"\n"
        "#include \"validator/engine/compiled.h\"\n#include \"validator/engine/judge.h\"\n",
        format->name);
    if (format->function_header != NULL) {
        assay_sink_printf(e->sink, "#include \"%s\"\n", format->function_header);
    }
    assay_sink_printf(e->sink,
                      "\nextern const struct assay_format assay_format_%s;\n"
                      "extern const struct assay_catalogue assay_catalogue_%s;\n\n",
                      format->name, format->name);
}

static void put_tail(const struct assay_emitter *e)
{
    const struct assay_catalogue *c = e->catalogue;
    assay_sink_printf(e->sink,
                      "static const struct assay_compiled compiled = {\n"
                      "    sizeof(struct state), begin, step, check, counts};\n\n"
                      "const struct assay_catalogue assay_catalogue_%s = {\n"
                      "    .format = &assay_format_%s,\n"
                      "    .rules = rules,\n    .rule_count = %zu,\n"
                      "    .leaves = leaves,\n    .leaf_count = %zu,\n"
                      "    .variables = variables,\n    .variable_count = %zu,\n"
                      "    .clauses = clauses,\n    .clause_count = %zu,\n"
                      "    .interpretations = interpretations,\n"
                      "    .interpretation_count = %zu,\n"
                      "    .digest = \"%s\",\n    .compiled = &compiled,\n};\n",
                      c->format->name, c->format->name, c->rule_count, c->leaf_count,
                      c->variable_count, c->clause_count, c->interpretation_count, c->digest);
}

enum assay_error assay_catalogue_emit(const struct assay_catalogue *catalogue,
                                      struct assay_sink *sink)
{
    struct assay_emitter e = {.catalogue = catalogue, .sink = sink};
    e.used = calloc(catalogue->format->kind_count * catalogue->leaf_count + 1, sizeof *e.used);
    if (e.used == NULL) {
        return ASSAY_NO_MEMORY;
    }
    mark_all(&e);
    for (unsigned k = 0; k < catalogue->format->kind_count; k++) {
        if (assay_emit_unit_count(&e, k) > ASSAY_EMIT_UNITS) {
            free(e.used);
            return ASSAY_LIMIT;
        }
    }
    put_head(&e);
    assay_emit_tables(&e);
    assay_emit_step(&e);
    assay_emit_check(&e);
    put_tail(&e);
    free(e.used);
    return sink->error;
}
