/* Instructions that change the state of the PE, or wait, or call (4.4, 4.5.3, 4.9). */
#include "generators/astf/model_machine.h"

enum { TRAPS = 12 };

void model_run_plain(struct model *m)
{
    (void)m;
}

/* Writes its register. */
void model_run_compute(struct model *m)
{
    const uint32_t selector = (m->step.word & 0x1f) - MODEL_FIRST_SELECTOR;
    if (selector < MODEL_SELECTORS) {
        m->now.selector[selector] = (uint16_t)model_draw(m, UINT64_C(1) << 16);
    }
}

/* Advanced SIMD is illegal in Streaming SVE mode; all may be disabled. */
void model_run_simd(struct model *m)
{
    const struct model_step *s = &m->step;
    const bool sve = s->template->class == A64_SVE;
    const bool vectors = !sve && s->template->word >> 28 == 4;
    if (m->sm && vectors) {
        model_raise(m, MODEL_EC_SME, s->pc + 4);
    } else if (model_chance(m, TRAPS)) {
        model_raise(m, sve ? MODEL_EC_SVE : MODEL_EC_FP, s->pc);
    }
}

static uint8_t at_least(uint8_t el, uint8_t least)
{
    return el > least ? el : least;
}

void model_run_call(struct model *m)
{
    struct model_step *s = &m->step;
    const unsigned class = s->template->class;
    const uint8_t el = m->now.el;
    const uint8_t type = class == A64_SVC ? 1 : class == A64_HVC ? 2 : 3;
    model_raise(m, (uint8_t)(MODEL_EC_SVC + type - 1), s->pc + 4);
    s->syscall = type;
    s->to = at_least(el, type);
    if (class == A64_SMC && el == 1 && model_chance(m, 3)) {
        s->to = 2; /* a hypervisor traps them */
    }
}

void model_run_undefined(struct model *m)
{
    model_raise(m, MODEL_EC_UNKNOWN, m->step.pc + 4);
}

void model_run_breakpoint(struct model *m)
{
    model_raise(m, MODEL_EC_BRK, m->step.pc + 4);
}

/* Without a debugger HLT is undefined. */
void model_run_halt(struct model *m)
{
    m->step.halts = model_chance(m, 2);
    if (!m->step.halts) {
        model_run_undefined(m);
    }
}

void model_run_wait(struct model *m)
{
    if (m->now.el < 3 && model_chance(m, TRAPS)) {
        model_raise(m, MODEL_EC_WFX, m->step.pc + 4);
        m->step.to = (uint8_t)(m->now.el + 1);
    } else {
        m->step.waits = true;
    }
}

void model_run_return(struct model *m)
{
    const struct model_step *s = &m->step;
    if (s->template->class != A64_ERET && model_chance(m, TRAPS)) {
        model_raise(m, MODEL_EC_PAC, s->pc + 4);
    } else if (m->now.el == 1 && model_chance(m, 40)) {
        model_raise(m, MODEL_EC_ERET, s->pc + 4);
        m->step.to = 2;
    } else {
        m->step.returns = true;
    }
}

void model_run_clear_exclusive(struct model *m)
{
    m->exclusive = false;
}

void model_run_pstate(struct model *m)
{
    const uint32_t word = m->step.word;
    const bool value = (word >> 8 & 1) != 0;
    switch (m->step.template->word) {
    case 0xd50340df: /* DAIFSet */
        m->now.masked = m->now.masked || (word >> 8 & 2) != 0;
        break;
    case 0xd50340ff: /* DAIFClr */
        m->now.masked = m->now.masked && (word >> 8 & 2) == 0;
        break;
    case 0xd50040bf:
        m->now.handler = value;
        break;
    case 0xd503403f:
        m->now.ssbs = value;
        break;
    case 0xd503405f:
        m->now.dit = value;
        break;
    case 0xd503409f:
        m->now.tco = value;
        break;
    case 0xd503437f:
    case 0xd503427f:
        m->sm = value;
        break;
    case 0xd503457f:
    case 0xd503447f:
        m->za = value;
        break;
    case 0xd503477f:
    case 0xd503467f:
        m->sm = value;
        m->za = value;
        break;
    default:
        break;
    }
}

static uint8_t draw_tcf(struct model *m)
{
    return m->mte >= 2 ? (uint8_t)model_draw(m, m->mte == 3 ? 4 : 3) : 0;
}

/* A power-of-two length. */
static uint8_t draw_length(struct model *m)
{
    return (uint8_t)((1u << model_draw(m, 4)) - 1);
}

static void write_register(struct model *m)
{
    switch (m->step.template->word) {
    case 0xd5181200:
        m->vl[1] = draw_length(m);
        break;
    case 0xd51c1200:
        m->vl[2] = draw_length(m);
        break;
    case 0xd51e1200:
        m->vl[3] = draw_length(m);
        break;
    case 0xd51812c0:
        m->svl[1] = draw_length(m);
        break;
    case 0xd5181000:
        m->tcf[0] = draw_tcf(m);
        m->tcf[1] = draw_tcf(m);
        break;
    case 0xd51c1000:
        m->tcf[2] = draw_tcf(m);
        break;
    case 0xd51e1000:
        m->tcf[3] = draw_tcf(m);
        break;
    case 0xd51b42a0:
        m->now.dit = model_chance(m, 2);
        break;
    case 0xd51b42c0:
        m->now.ssbs = model_chance(m, 2);
        break;
    case 0xd51b42e0:
        m->now.tco = model_chance(m, 2);
        break;
    default:
        break;
    }
}

/* A write of a register that a Context tracks, or of one that a higher level traps. */
void model_run_register(struct model *m)
{
    if (m->step.template->el > 0 && m->now.el < 3 && model_chance(m, TRAPS)) {
        model_raise(m, MODEL_EC_SYSTEM, m->step.pc + 4);
        m->step.to = (uint8_t)(m->now.el + 1);
    } else {
        write_register(m);
    }
}

void model_run_authenticate(struct model *m)
{
    if (model_chance(m, TRAPS)) {
        model_raise(m, MODEL_EC_PAC, m->step.pc + 4);
    }
}
