/* The emitter: one function from the cells of an event of a run to the conditions of rules that it
 * meets. */
#include <stdio.h>

#include "validator/compiler/emit.h"

static unsigned kind_asked(const struct assay_emitter *e, const struct assay_condition *condition)
{
    return e->catalogue->format->kinds[condition->run].run_of;
}

void assay_emit_met(const struct assay_emitter *e)
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
