/* Exceptions, exception returns, and other diversions of control (4.4.2, 4.7). */
#include <string.h>

#include "generators/astf/model_machine.h"

/* Frequencies: once in so many instructions. */
enum {
    INTERRUPTS = 60,
    FETCH_ABORTS = 150,
    RESETS = 4000,
    DEBUGGER = 600,
    NOTES = 700,
    ILLEGAL = 50,
    AARCH32 = 12,
    SWITCHES = 4,
    JUMPS = 16
};

void model_raise(struct model *m, uint8_t ec, uint64_t resume)
{
    struct model_step *s = &m->step;
    if (ec != MODEL_EC_DATA) {
        s->count = 0;
        s->za = false;
    }
    s->trap = true;
    s->taken = false;
    s->ec = ec;
    s->resume = resume;
}

/* The offset of the vector: by the level that was left, and the stack pointer if it is the same. */
static uint64_t vector(const struct model *m, const struct model_cause *c)
{
    static const unsigned by_type[] = {0x000, 0x180, 0x080, 0x100};
    const unsigned from = m->now.aarch32      ? 0x600
                          : c->to > m->now.el ? 0x400
                          : m->now.handler    ? 0x200
                                              : 0x000;
    return from + by_type[c->type];
}

/* Saves the state; drops the oldest one if there are too many. */
static void push(struct model *m)
{
    if (m->frames == MODEL_FRAMES) {
        for (unsigned i = 1; i < MODEL_FRAMES; i++) {
            m->frame[i - 1] = m->frame[i];
        }
        m->frames--;
    }
    m->now.sm = m->sm;
    m->now.za = m->za;
    m->frame[m->frames++] = m->now;
}

void model_take(struct model *m, const struct model_cause *cause)
{
    const uint64_t offset = vector(m, cause);
    struct model_state to = {
        .el = cause->to,
        .process = m->now.process,
        .secure = cause->to == 3 || m->now.secure,
        .handler = true,
        .ssbs = (m->dssbs >> cause->to & 1) != 0,
        .masked = true,
        .tco = m->mte > 0,
    };
    memcpy(to.selector, m->now.selector, sizeof to.selector);
    to.pc = model_program_of(m, &to)->base + offset;
    model_record_trap(m, cause, to.pc);
    push(m);
    m->now = to;
    m->landed = false;
    m->exclusive = false;
}

/* Aborts of a lower level have one number, those of the same level the next. */
static uint8_t class_at(const struct model *m, uint8_t ec, uint8_t to)
{
    const bool abort = ec == MODEL_EC_DATA || ec == MODEL_EC_FETCH;
    return (uint8_t)(ec + (abort && to == m->now.el ? 1 : 0));
}

/* The level that takes an exception: the lowest possible, or a higher one that traps it. */
static uint8_t level_for(struct model *m, uint8_t ec, uint8_t least)
{
    const uint8_t lowest = m->now.el > 1 ? m->now.el : 1;
    uint8_t to = least > lowest ? least : lowest;
    const bool may_rise = ec == MODEL_EC_DATA || ec == MODEL_EC_FETCH || ec == MODEL_EC_FP ||
                          ec == MODEL_EC_SVE || ec == MODEL_EC_SME || ec == MODEL_EC_SYSTEM;
    if (may_rise && to < 3 && model_chance(m, 6)) {
        to = (uint8_t)(to + 1 + model_draw(m, 3u - to));
    }
    return to;
}

void model_take_step(struct model *m)
{
    const struct model_step *s = &m->step;
    struct model_cause cause = {.type = MODEL_SYNC, .syscall = s->syscall};
    cause.to = level_for(m, s->ec, s->to);
    cause.ec = class_at(m, s->ec, cause.to);
    if (s->syscall != 0) {
        cause.index = (uint16_t)(s->word >> 5 & 0xffff);
    }
    m->now.pc = s->resume;
    model_take(m, &cause);
}

/* --- modes that a trace does not show --- */

/* AArch32 at EL0, until an exception ends it. */
static void run_aarch32(struct model *m)
{
    static const uint8_t classes[] = {MODEL_EC_SVC_32, MODEL_EC_SVC_32, MODEL_EC_FETCH,
                                      MODEL_EC_DATA, MODEL_EC_UNKNOWN};
    struct model_cause cause = {.type = (uint8_t)(model_chance(m, 3) ? MODEL_IRQ : MODEL_SYNC)};
    if (cause.type == MODEL_SYNC) {
        cause.ec = classes[model_draw(m, sizeof classes)];
    }
    cause.to = level_for(m, cause.ec, 1);
    model_record_unsupported(m, model_draw(m, 10000));
    model_take(m, &cause);
    model_record_resumed(m);
}

/* Debug state; the debugger may change the PC, or exit to a higher level reached by DCPS. */
void model_debug(struct model *m)
{
    model_record_unsupported(m, model_draw(m, 100000));
    if (m->now.el < 3 && model_chance(m, 3)) {
        m->now.el++;
        m->now.secure = m->now.secure || m->now.el == 3;
        m->now.handler = true;
        m->now.pc = model_any_address(m) | 4; /* not a vector */
    } else if (model_chance(m, 2)) {
        m->now.pc = model_any_address(m);
    }
    m->landed = false;
    model_record_resumed(m);
}

/* --- returns --- */

/* The state of a program that starts at a lower level. */
static struct model_state start_program(struct model *m)
{
    const struct model_state now = m->now;
    const bool secure = now.el == 3 ? model_chance(m, 4) : now.secure;
    const uint8_t el = (uint8_t)(now.el <= 1 ? 0 : 1 + model_draw(m, now.el - 1u));
    if (el == 0) {
        return m->process[secure ? MODEL_PROCESSES - 1 : model_draw(m, m->processes)].state;
    }
    m->now = (struct model_state){.el = el, .secure = secure, .handler = true};
    m->now.pc = model_any_address(m);
    const struct model_state state = m->now;
    m->now = now;
    return state;
}

/* Switches EL0 to another thread; a program of AArch32 ends. */
static void switch_process(struct model *m, struct model_state *state)
{
    if (!state->aarch32) {
        m->process[state->process].state = *state;
    }
    *state = m->process[model_draw(m, m->processes)].state;
}

static struct model_state pop(struct model *m)
{
    if (m->now.el == 3 && model_chance(m, 10)) {
        m->frames = 0; /* the monitor switches the security state */
    }
    struct model_state state = m->frames > 0 ? m->frame[--m->frames] : start_program(m);
    if (state.el == 0 && !state.secure && model_chance(m, state.aarch32 ? 2 : SWITCHES)) {
        switch_process(m, &state);
    }
    if (state.el == 0 && !state.secure && !state.aarch32 && model_chance(m, AARCH32)) {
        state.aarch32 = true;
        state.pc = 0x10000 + 2 * model_draw(m, 0x8000);
    }
    return state;
}

/* An illegal return stays at its level, and traps there at once. */
static void return_illegally(struct model *m)
{
    const uint64_t target = model_any_address(m);
    const struct model_cause eret = {.type = MODEL_ERET};
    const struct model_cause trap = {.to = m->now.el, .ec = MODEL_EC_ILLEGAL_STATE};
    model_record_trap(m, &eret, target);
    m->now.pc = model_any_address(m);
    model_take(m, &trap);
}

void model_return(struct model *m)
{
    const struct model_cause eret = {.type = MODEL_ERET};
    m->exclusive = false;
    m->landed = false;
    m->link = 0;
    if (model_chance(m, ILLEGAL)) {
        return_illegally(m);
        return;
    }
    struct model_state state = pop(m);
    if (!state.aarch32 && model_chance(m, JUMPS)) {
        /* A signal's handler, another task: software changed where to return to. */
        const struct model_state now = m->now;
        m->now = state;
        state.pc = model_any_address(m);
        m->now = now;
    }
    model_record_trap(m, &eret, state.pc);
    m->now = state;
    if (m->options->basic) {
        /* By instructions that a Basic trace does not show, as systems do it. */
        m->sm = state.sm;
        m->za = state.za;
    }
    if (state.aarch32) {
        run_aarch32(m);
    }
}

/* --- events --- */

/* An interrupt or SError. One for the current level stays pending while it is masked. */
static bool interrupt(struct model *m)
{
    static const uint8_t types[] = {MODEL_IRQ, MODEL_IRQ, MODEL_IRQ, MODEL_FIQ, MODEL_SERROR};
    const uint8_t el = m->now.el;
    const uint8_t lowest = (uint8_t)(el == 0 ? 1 : m->now.masked ? el + 1 : el);
    if (lowest > 3) {
        return false;
    }
    struct model_cause cause = {.type = types[model_draw(m, sizeof types)]};
    cause.is_virtual = lowest == 1 && model_chance(m, 4);
    cause.to = cause.is_virtual ? 1 : (uint8_t)(lowest + model_draw(m, 4u - lowest));
    cause.ec = cause.type == MODEL_SERROR ? MODEL_EC_SERROR : 0;
    model_take(m, &cause);
    return true;
}

static void fetch_abort(struct model *m)
{
    struct model_cause cause = {.type = MODEL_SYNC};
    cause.to = level_for(m, MODEL_EC_FETCH, 1);
    cause.ec = class_at(m, MODEL_EC_FETCH, cause.to);
    model_take(m, &cause);
}

/* A branch led to a misaligned address, which the handler corrects. */
static void misaligned_pc(struct model *m)
{
    const struct model_cause cause = {.to = level_for(m, MODEL_EC_PC, 1), .ec = MODEL_EC_PC};
    m->now.pc = model_any_address(m);
    model_take(m, &cause);
}

static void reset(struct model *m)
{
    const struct model_cause cause = {.type = MODEL_RESET};
    const struct model_state left = m->now;
    model_reset(m);
    const struct model_state entered = m->now;
    m->now = left;
    model_record_trap(m, &cause, entered.pc);
    m->now = entered;
}

/* None of these comes right after an instruction that trapped: the instruction before an exception
 * that is not its own has completed (4.7.1, 4.7.3). */
bool model_event(struct model *m)
{
    if (m->now.pc % 4 != 0) {
        misaligned_pc(m);
        return true;
    }
    if (m->last_trapped) {
        return false;
    }
    if (model_chance(m, NOTES)) {
        model_record_note(m);
    }
    if (model_chance(m, INTERRUPTS)) {
        return interrupt(m);
    }
    if (model_chance(m, FETCH_ABORTS)) {
        fetch_abort(m);
        return true;
    }
    if (model_chance(m, DEBUGGER)) {
        model_debug(m);
        return true;
    }
    if (model_chance(m, RESETS)) {
        reset(m);
        return true;
    }
    return false;
}
