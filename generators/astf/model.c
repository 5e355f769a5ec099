/* Runs the model, instruction after instruction, up to the limit. */
#include "generators/astf/model.h"

#include <stdlib.h>

#include "generators/astf/model_machine.h"

/* How many instructions may run at unrecorded levels for each recorded one (level Basic). */
enum { UNSEEN = 100000, BTI_FAULTS = 8 };

/* An indirect branch led to an instruction that is not a landing pad. */
static bool lands_wrong(struct model *m)
{
    const unsigned class = m->step.template->class;
    const bool landing =
        class == A64_BTI || class == A64_PAC || class == A64_BRK || class == A64_HLT;
    return m->landed && !landing && model_chance(m, BTI_FAULTS);
}

static void execute(struct model *m)
{
    const struct model_code *code = model_fetch(m);
    struct model_step *s = &m->step;
    *s = (struct model_step){.template = &model_templates[code->template - 1],
                             .pc = m->now.pc,
                             .next = m->now.pc + 4,
                             .word = code->word};
    const bool wrong = lands_wrong(m);
    m->landed = false;
    if (wrong) {
        model_raise(m, MODEL_EC_BTI, s->pc);
    } else if (s->template->el > m->now.el) {
        model_raise(m, MODEL_EC_UNKNOWN, s->pc + 4);
    } else {
        s->template->run(m);
    }
}

static void step(struct model *m)
{
    m->ticks += 1 + model_draw(m, 6);
    if (model_event(m)) {
        return;
    }
    model_record_before(m);
    execute(m);
    model_record_step(m);
    m->last_trapped = m->step.trap;
    if (m->step.trap) {
        model_take_step(m);
    } else if (m->step.returns) {
        model_return(m);
    } else {
        m->now.pc = m->step.next;
    }
    if (m->step.halts) {
        model_debug(m);
    }
}

enum assay_error astf_model_generate(const struct astf_model_options *options,
                                     struct assay_sink *trace, struct assay_sink *execution,
                                     struct assay_sink *facts, struct assay_generated *generated,
                                     struct assay_diag *diag)
{
    *generated = (struct assay_generated){0};
    struct model *m = calloc(1, sizeof *m);
    if (m == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    m->options = options;
    model_begin(m);
    enum assay_error error = model_record_open(m, trace, execution, generated, diag);
    if (error == ASSAY_OK) {
        uint64_t unseen = 0;
        uint64_t seen = 0;
        while (generated->instructions < options->limit && unseen < UNSEEN &&
               model_record_error(m->record) == ASSAY_OK) {
            step(m);
            unseen = generated->instructions == seen ? unseen + 1 : 0;
            seen = generated->instructions;
        }
        if (facts != NULL) {
            model_write_facts(m, facts);
        }
        error = model_record_close(m->record);
        if (error != ASSAY_OK) {
            assay_sink_explain(trace, error, diag);
        }
    }
    free(m);
    return error;
}
