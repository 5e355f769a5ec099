/* Branches (4.5.1). */
#include "generators/astf/model_machine.h"

enum { MISALIGNED = 60, FORGED = 12 };

/* The signed offset of a direct branch, in words. */
static int64_t offset_of(uint32_t word, unsigned class)
{
    const bool wide = class == A64_B || class == A64_BL;
    const bool test = class == A64_TBZ || class == A64_TBNZ;
    const unsigned bits = wide ? 26 : test ? 14 : class == A64_CB ? 9 : 19;
    const uint32_t field = (wide ? word : word >> 5) & ((1u << bits) - 1);
    return (int64_t)field - ((int64_t)(field >> (bits - 1)) << bits);
}

/* B.cond and BC.cond with the conditions AL and NV always branch. */
static bool may_fall_through(uint32_t word, unsigned class)
{
    const bool by_condition = class == A64_B_COND || class == A64_BC_COND;
    return class != A64_B && class != A64_BL && !(by_condition && (word & 0xe) == 0xe);
}

void model_run_branch(struct model *m)
{
    struct model_step *s = &m->step;
    const unsigned class = s->template->class;
    s->taken = !may_fall_through(s->word, class) || model_chance(m, 2);
    if (s->taken) {
        s->next = s->pc + 4 * (uint64_t)offset_of(s->word, class);
    }
    if (class == A64_BL) {
        m->link = s->pc + 4;
    }
}

static bool is_return(unsigned class)
{
    return class == A64_RET || class == A64_RETAA || class == A64_RETAB;
}

static bool is_call(unsigned class)
{
    return class == A64_BLR || class == A64_BLRAA || class == A64_BLRAB;
}

/* A return goes to the instruction after the last call, if that was in this program and has not
 * returned yet. */
static uint64_t return_address(struct model *m)
{
    const uint64_t link = m->link;
    m->link = 0;
    return link - model_program_of(m, &m->now)->base < 4 * MODEL_PROGRAM_WORDS
               ? link
               : model_any_address(m);
}

void model_run_indirect(struct model *m)
{
    struct model_step *s = &m->step;
    const unsigned class = s->template->class;
    s->taken = true;
    s->next = is_return(class) ? return_address(m) : model_any_address(m);
    if (is_call(class)) {
        m->link = s->pc + 4;
    }
    if (model_chance(m, MISALIGNED)) {
        s->next |= 2; /* a misaligned address, which cannot be fetched */
    }
    m->landed = !is_return(class);
}

/* Branches that authenticate their address, and trap if that fails. */
void model_run_authenticated(struct model *m)
{
    if (model_chance(m, FORGED)) {
        model_raise(m, MODEL_EC_PAC, model_any_address(m));
    } else if (m->step.template->class == A64_LOAD) {
        model_run_access(m);
    } else {
        model_run_indirect(m);
    }
}
