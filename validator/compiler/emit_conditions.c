/* The emitter: what decoders ask of the rules, as functions of the cells of an event. */
#include <stdio.h>

#include "validator/compiler/emit.h"

static unsigned kind_asked(const struct assay_emitter *e, const struct assay_condition *condition)
{
    return e->catalogue->format->kinds[condition->run].run_of;
}

static void put_met(const struct assay_emitter *e)
{
    const struct assay_catalogue *c = e->catalogue;
    char prefix[32];
    assay_sink_text(e->sink, "static uint64_t met(const struct assay_conditions *conditions, "
                             "const uint64_t *cells)\n{\n"
                             "    uint64_t all = 0;\n    (void)conditions;\n    (void)cells;\n");
    for (size_t i = 0; i < c->condition_count; i++) {
        const struct assay_condition *condition = &c->conditions[i];
        snprintf(prefix, sizeof prefix, "c%zu_", i);
        assay_emit_expression(e, &condition->expression, kind_asked(e, condition),
                              ASSAY_EMIT_CONDITION, prefix, "    ");
        assay_sink_printf(e->sink, "    all |= c%zu_%u << %zu;\n", i,
                          condition->expression.count - 1U, c->first_condition + i);
    }
    assay_sink_text(e->sink, "    return all;\n}\n\n");
}

/* The value of an expression of a rule that reads fields of a run alone; nothing where it is
 * absent. */
static void put_value(const struct assay_emitter *e, const struct assay_rule *rule,
                      const struct assay_expression *expression, const char *prefix)
{
    assay_emit_expression(e, expression, assay_kinds_next(&rule->kinds, 0), ASSAY_EMIT_CELLS,
                          prefix, "    ");
}

static void put_unexecutable(const struct assay_emitter *e)
{
    const struct assay_catalogue *c = e->catalogue;
    assay_sink_text(e->sink, "static bool unexecutable(const struct assay_conditions *conditions, "
                             "const uint64_t *cells)\n{\n"
                             "    uint64_t any = 0;\n    (void)conditions;\n    (void)cells;\n");
    for (size_t r = 0; r < c->rule_count; r++) {
        const struct assay_rule *rule = &c->rules[r];
        char when[32];
        char require[32];
        if (!rule->unexecutable) {
            continue;
        }
        snprintf(when, sizeof when, "w%zu_", r);
        snprintf(require, sizeof require, "r%zu_", r);
        put_value(e, rule, &rule->when, when);
        put_value(e, rule, &rule->require, require);
        assay_sink_printf(e->sink, "    any |= (%s%u ^ 1)", require, rule->require.count - 1U);
        if (rule->when.count > 0) {
            assay_sink_printf(e->sink, " & %s%u", when, rule->when.count - 1U);
        }
        assay_sink_text(e->sink, ";\n");
    }
    assay_sink_text(e->sink, "    return any != 0;\n}\n\n");
}

void assay_emit_conditions(const struct assay_emitter *e)
{
    put_met(e);
    put_unexecutable(e);
}
