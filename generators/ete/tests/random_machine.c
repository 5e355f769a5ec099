#include "generators/ete/tests/random_machine.h"

#include <stdlib.h>
#include <string.h>

#include "common/bytes.h"
#include "common/tests/random.h"
#include "isa/a64.h"

enum { VECTOR = 32 }; /* instructions of A64 from an exception vector to the next one */
enum {
    PER_EVENT = 60,   /* instructions */
    PER_FAILURE = 40, /* instructions of a transaction */
    PER_RESET = 800,
    SECURE = 0,
    NON_SECURE = 1
};

/* --- the program --- */

bool random_machine_open(struct random_machine *m, uint64_t seed, size_t length, bool variants)
{
    *m = (struct random_machine){.seed = seed, .room = length};
    const uint64_t low = (random_next(&m->seed) & 0xffff0000) % 0xf0000000;
    const uint64_t high = random_next(&m->seed) & assay_mask(48) & ~UINT64_C(0xffff);
    const uint64_t bases[RANDOM_SETS] = {random_below(&m->seed, 2) == 0 ? low + 0x100000
                                                                        : high | UINT64_C(1) << 40,
                                         low, low + 0x8000};
    random_codes_make(&m->variants[0], bases, &m->seed);
    m->variants[1] = m->variants[0];
    if (variants) {
        random_codes_make(&m->variants[1], bases, &m->seed);
    }
    m->first_context = (uint32_t)random_next(&m->seed) & 0xfffff0;
    m->executed = calloc(length, sizeof *m->executed);
    return m->executed != NULL;
}

void random_machine_close(struct random_machine *m)
{
    free(m->executed);
}

/* --- places --- */

static const struct random_code *code_of(const struct random_machine *m,
                                         const struct random_place *place)
{
    return &m->variants[place->context_id & 1].of[place->set];
}

static const struct random_instruction *instruction_at(const struct random_machine *m,
                                                       const struct random_place *place)
{
    return &code_of(m, place)->list[place->at];
}

static struct ete_address address_of(const struct random_machine *m,
                                     const struct random_place *place)
{
    return (struct ete_address){instruction_at(m, place)->address, place->set == RANDOM_T32};
}

/* Anywhere in the code of an instruction set, but not under an IT. */
static void go_anywhere(struct random_machine *m, struct random_place *place, enum random_set set)
{
    place->set = (uint8_t)set;
    place->under_it = 0;
    do {
        place->at = (unsigned)random_below(&m->seed, code_of(m, place)->count);
    } while (instruction_at(m, place)->covered);
}

static enum random_set some_aarch32(struct random_machine *m)
{
    return random_below(&m->seed, 2) == 0 ? RANDOM_A32 : RANDOM_T32;
}

static void say_context(struct random_machine *m)
{
    const struct random_place *now = &m->now;
    ete_unit_context(m->unit, (struct ete_unit_context){.el = now->el,
                                                        .security = now->security,
                                                        .aarch32 = now->set != RANDOM_A64,
                                                        .context_id = now->context_id,
                                                        .vmid = now->vmid});
}

/* Without another variant of the program, where that has other addresses. Only EL2 and EL3 change
 * the virtual one. */
static void change_context(struct random_machine *m, struct random_place *place, bool variant)
{
    const uint32_t same = place->context_id & 1;
    if (random_below(&m->seed, 2) == 0) {
        place->context_id = m->first_context + (uint32_t)random_below(&m->seed, RANDOM_CONTEXTS);
        place->context_id = variant ? place->context_id : (place->context_id & ~1u) | same;
    }
    if (random_below(&m->seed, 8) == 0 && m->now.el > 1) {
        place->vmid = (uint32_t)random_next(&m->seed);
    }
}

/* --- exceptions --- */

/* The Security state of what EL `from` leads to: only EL3 changes that of others. */
static uint8_t some_security(struct random_machine *m, unsigned from, unsigned to)
{
    if (to == 3) {
        return SECURE;
    }
    return from == 3 ? (uint8_t)random_below(&m->seed, 2) : m->now.security;
}

/* The number of the vector of an exception that is taken to AArch64 state: by where it comes from
 * and its kind. Of the same level either stack pointer can be selected; of a level further below
 * either state that is between. */
static unsigned vector_of(struct random_machine *m, const struct random_place *from,
                          enum ete_exception_type type)
{
    const unsigned up = m->now.el - from->el;
    const unsigned some = (unsigned)random_below(&m->seed, 2);
    const unsigned where = up == 0 ? some : from->set == RANDOM_A64 ? 2 : up == 1 ? 3 : 2 + some;
    const unsigned kind = type >= ETE_IRQ ? type - ETE_IRQ + 1 : type == ETE_SYSTEM_ERROR ? 3 : 0;
    return where * 4 + kind;
}

/* Of AArch32 state to EL1 in it, or to a higher Exception level in AArch64 state. An SVC is taken
 * to EL3 only from there. Where the code has no such vector the handler is at its begin. */
static void enter_handler(struct random_machine *m, enum ete_exception_type type)
{
    struct random_place *now = &m->now;
    const struct random_place from = *now;
    const bool aarch32 = now->set != RANDOM_A64;
    if (aarch32 && random_below(&m->seed, 2) == 0) {
        now->el = 1;
        go_anywhere(m, now, some_aarch32(m));
    } else {
        const unsigned least = now->el + (aarch32 || now->el == 0 ? 1u : 0u);
        const unsigned end = type == ETE_CALL && now->el < 3 ? 3 : 4;
        now->el = (uint8_t)(least + random_below(&m->seed, end - least));
        go_anywhere(m, now, RANDOM_A64);
        now->at = vector_of(m, &from, type) * VECTOR;
        now->at = now->at < code_of(m, now)->count ? now->at : 0;
    }
    now->security = some_security(m, from.el, now->el);
    say_context(m);
}

enum { ZERO, ODD, EVEN, LOWS };

static void change_flags(struct random_machine *m)
{
    m->tested.flags = (uint8_t)random_below(&m->seed, 16);
}

static void change_registers(struct random_machine *m, uint32_t written)
{
    for (unsigned n = 0; n < RANDOM_TESTED; n++) {
        if ((written >> n & 1) != 0) {
            m->tested.low[n] = (uint8_t)random_below(&m->seed, LOWS);
        }
    }
}

/* Flags and registers are those of other code. */
static void change_tested(struct random_machine *m)
{
    change_flags(m);
    change_registers(m, UINT32_MAX);
}

/* The instruction where the PE is, is the one to which the exception returns, or is passed then. */
static void take_exception(struct random_machine *m, enum ete_exception_type type, bool pass)
{
    struct random_place from = m->now;
    ete_unit_exception(m->unit, type, address_of(m, &from));
    if (pass) {
        const bool can = from.under_it == 0 && from.at + 1 < code_of(m, &from)->count;
        from.at = can ? from.at + 1 : 0;
        from.under_it = 0;
    }
    if (m->saved_count < RANDOM_SAVED) {
        m->saved[m->saved_count++] = from;
    }
    change_tested(m);
    enter_handler(m, type);
}

/* What an exception saved, if the PE can return to it from where it is. */
static bool restore(struct random_machine *m, struct random_place *to)
{
    const bool from32 = m->now.set != RANDOM_A64;
    if (m->saved_count == 0 || random_below(&m->seed, 4) == 0) {
        return false;
    }
    const struct random_place saved = m->saved[--m->saved_count];
    const bool to32 = saved.set != RANDOM_A64;
    const bool can = saved.el <= m->now.el && (to32 ? from32 || saved.el < m->now.el : !from32) &&
                     (saved.security == m->now.security || m->now.el == 3);
    if (can) {
        *to = saved;
        to->vmid = m->now.el > 1 ? saved.vmid : m->now.vmid;
    }
    return can;
}

static struct random_place exception_return(struct random_machine *m)
{
    struct random_place to = m->now;
    if (restore(m, &to)) {
        return to;
    }
    const bool from32 = m->now.set != RANDOM_A64;
    const bool to32 = from32 || (m->now.el > 0 && random_below(&m->seed, 2) == 0);
    const unsigned most = to32 && !from32 ? (m->now.el > 2 ? 1u : m->now.el - 1u) : m->now.el;
    change_context(m, &to, true);
    to.el = (uint8_t)random_below(&m->seed, most + 1);
    to.security = some_security(m, m->now.el, to.el);
    go_anywhere(m, &to, to32 ? some_aarch32(m) : RANDOM_A64);
    return to;
}

static void reset(struct random_machine *m)
{
    ete_unit_exception(m->unit, ETE_PE_RESET, address_of(m, &m->now));
    m->transactions = 0;
    m->saved_count = 0;
    change_tested(m);
    m->now.el = 3;
    m->now.security = SECURE;
    go_anywhere(m, &m->now, RANDOM_A64);
    say_context(m);
}

/* --- transactions --- */

static void fail_transaction(struct random_machine *m)
{
    m->transactions = 0;
    m->now = m->before;
    m->call_count = m->calls_before;
    m->tested = m->tested_before;
    ete_unit_fail_transaction(m->unit);
    if (random_below(&m->seed, 3) == 0) {
        take_exception(m, ETE_IRQ, false);
    }
}

static void begin_transaction(struct random_machine *m)
{
    if (m->transactions++ == 0) {
        m->before = m->now;
        m->calls_before = m->call_count;
        m->tested_before = m->tested;
    }
}

static void end_transaction(struct random_machine *m)
{
    if (--m->transactions == 0) {
        ete_unit_commit_transaction(m->unit);
    }
}

/* --- instructions --- */

/* Whether a condition holds with the flags NZCV. */
static bool holds(unsigned flags, unsigned condition)
{
    const bool n = (flags & 8) != 0;
    const bool z = (flags & 4) != 0;
    const bool c = (flags & 2) != 0;
    const bool v = (flags & 1) != 0;
    const bool of[] = {z, c, n, v, c && !z, n == v, n == v && !z};
    return of[condition >> 1] != ((condition & 1) != 0);
}

enum { B_COND = 0x54 };

static bool is_tbz(uint32_t word)
{
    return word >> 24 == 0x36; /* of bit 0 */
}

static bool is_cbnz(uint32_t word)
{
    return (word >> 24 & 0x7f) == 0x35;
}

/* Of the conditions of an IT, and of the instruction's own. */
static bool passes(struct random_machine *m, const struct random_instruction *i)
{
    const bool executes = m->now.under_it == 0 || (m->now.executes & 1) != 0;
    const uint8_t low = m->tested.low[(i->word & 0x1f) % RANDOM_TESTED];
    if (m->now.set == RANDOM_A64 && i->conditional) {
        return i->word >> 24 == B_COND ? holds(m->tested.flags, i->word & 0xf)
               : is_tbz(i->word)       ? low != ODD
                                       : (low == ZERO) == !is_cbnz(i->word);
    }
    return executes && (!i->conditional || random_below(&m->seed, 2) == 0);
}

static void advance_it(struct random_machine *m, const struct random_instruction *i)
{
    struct random_place *now = &m->now;
    if (i->op == RANDOM_IT) {
        const bool holds = i->always || random_below(&m->seed, 2) == 0;
        now->under_it = i->covers;
        now->executes = holds ? i->if_holds : (uint8_t)~i->if_holds;
    } else if (now->under_it > 0) {
        now->under_it--;
        now->executes >>= 1;
    }
}

/* Where it was called from, most often. */
static struct random_place returned(struct random_machine *m, const struct random_instruction *i)
{
    struct random_place to = m->now;
    const struct random_place *call = &m->calls[m->call_count - (m->call_count > 0)];
    const bool aarch32 = to.set != RANDOM_A64;
    const bool can = m->call_count > 0 && (call->set != RANDOM_A64) == aarch32 &&
                     (call->context_id & 1) == (to.context_id & 1) &&
                     !(i->stays && call->set != to.set);
    m->call_count -= m->call_count > 0;
    if (can && random_below(&m->seed, 5) > 0) {
        to.set = call->set;
        to.at = call->at;
    } else {
        go_anywhere(m, &to, aarch32 && !i->stays ? some_aarch32(m) : (enum random_set)to.set);
    }
    return to;
}

/* TBB and TBH go forward, by 510 bytes at the most. */
static void go_forward(struct random_machine *m, struct random_place *to)
{
    const struct random_code *code = code_of(m, to);
    const unsigned at = to->at + 1 + (unsigned)random_below(&m->seed, 64);
    to->at = at < code->count ? at : code->count - 1;
    while (code->list[to->at].covered) {
        to->at--;
    }
}

/* Where it goes if it is taken. */
static struct random_place target_of(struct random_machine *m, const struct random_instruction *i)
{
    struct random_place to = m->now;
    const bool aarch32 = to.set != RANDOM_A64;
    switch (i->op) {
    case RANDOM_DIRECT:
        to.set = i->target_set;
        to.at = i->target;
        break;
    case RANDOM_INDIRECT:
        if (i->stays && i->size == 4) {
            go_forward(m, &to);
            break;
        }
        go_anywhere(m, &to, aarch32 && !i->stays ? some_aarch32(m) : (enum random_set)to.set);
        break;
    case RANDOM_RETURN:
        to = returned(m, i);
        break;
    default:
        to = exception_return(m);
        break;
    }
    return to;
}

static bool is_p0(const struct random_machine *m, const struct random_instruction *i)
{
    return (i->op >= RANDOM_DIRECT && i->op <= RANDOM_ISB) || i->op == RANDOM_TSTART ||
           (i->op == RANDOM_WFX && m->wfx_is_p0);
}

static enum ete_p0_type type_of(const struct random_instruction *i)
{
    return i->op == RANDOM_DIRECT                               ? ETE_BRANCH_DIRECT
           : i->op == RANDOM_INDIRECT || i->op == RANDOM_RETURN ? ETE_BRANCH_INDIRECT
           : i->op == RANDOM_EXCEPTION_RETURN                   ? ETE_EXCEPTION_RETURN
                                                                : ETE_NO_BRANCH;
}

/* The instruction after it comes next, or the one to which it branches. */
static void go_on(struct random_machine *m, const struct random_instruction *i, bool taken)
{
    const struct random_place was = m->now;
    const bool branches = i->op >= RANDOM_DIRECT && i->op <= RANDOM_EXCEPTION_RETURN;
    struct ete_executed_p0 p0 = {.type = type_of(i),
                                 .conditional = i->conditional || (i->covered && !i->always),
                                 .taken = taken,
                                 .link = i->link,
                                 .next_known = true,
                                 .transaction = i->op == RANDOM_TSTART && m->transactions == 0,
                                 .size = i->size,
                                 .pc = address_of(m, &was)};
    advance_it(m, i);
    m->now.at = was.at + 1;
    if (i->link && taken && m->call_count < RANDOM_CALLS) {
        m->calls[m->call_count++] = m->now;
    }
    if (branches && taken) {
        m->now.at = was.at;
        m->now = target_of(m, i);
    }
    if (i->op == RANDOM_ISB && taken && was.el > 0 && m->transactions == 0) {
        change_context(m, &m->now, was.set != RANDOM_T32);
        if (m->now.at >= code_of(m, &m->now)->count) {
            m->now.context_id = was.context_id;
        }
    }
    p0.next = address_of(m, &m->now);
    say_context(m);
    if (is_p0(m, i)) {
        ete_unit_p0(m->unit, &p0);
    }
}

static void execute(struct random_machine *m, const struct random_instruction *i, bool taken)
{
    const struct random_place *now = &m->now;
    m->executed[m->length++] = (struct random_executed){.address = i->address,
                                                        .word = i->word,
                                                        .size = i->size,
                                                        .set = now->set,
                                                        .el = now->el,
                                                        .security = now->security,
                                                        .context_id = now->context_id,
                                                        .vmid = now->vmid};
    ete_unit_execute(m->unit, address_of(m, now), m->time += random_below(&m->seed, 3));
    if (now->set == RANDOM_A64) {
        change_registers(m, a64_written(i->word));
    }
    go_on(m, i, taken);
    if (!taken) {
        return;
    }
    switch (i->op) {
    case RANDOM_COMPARE:
        change_flags(m);
        break;
    case RANDOM_EXCEPTION_RETURN:
        change_tested(m);
        break;
    case RANDOM_SVC:
        take_exception(m, ETE_CALL, false);
        break;
    case RANDOM_TSTART:
        begin_transaction(m);
        break;
    case RANDOM_TCOMMIT:
        end_transaction(m);
        break;
    case RANDOM_TCANCEL:
        fail_transaction(m);
        break;
    default:
        break;
    }
}

/* What cannot be executed here is an exception, or the end of a transaction. */
static bool is_refused(const struct random_machine *m, const struct random_instruction *i)
{
    return m->transactions > 0
               ? i->op == RANDOM_SVC || i->op == RANDOM_EXCEPTION_RETURN || i->op == RANDOM_WFX
               : (i->op == RANDOM_EXCEPTION_RETURN && m->now.el == 0) || i->op == RANDOM_TCOMMIT ||
                     i->op == RANDOM_TCANCEL;
}

/* A64: it can have a data abort, by its group in the encoding: loads, stores, System instructions.
 */
static bool can_abort(const struct random_machine *m, const struct random_instruction *i)
{
    const bool loads = (i->word & 0x0a000000) == 0x08000000;
    const bool system = i->word >> 22 == 0x354 && i->word >> 13 != 0x6a819; /* hints, barriers */
    return m->now.set != RANDOM_A64 || loads || system;
}

/* Whether control is taken away before the instruction. */
static bool is_interrupted(struct random_machine *m, const struct random_instruction *i)
{
    static const enum ete_exception_type types[] = {
        ETE_IRQ, ETE_FIQ, ETE_INST_FAULT, ETE_SYSTEM_ERROR, ETE_DATA_FAULT, ETE_DATA_DEBUG};
    const size_t count = sizeof types / sizeof types[0] - (can_abort(m, i) ? 0 : 2);
    if (random_below(&m->seed, PER_RESET) == 0) {
        reset(m);
        return true;
    }
    if (m->transactions > 0 && random_below(&m->seed, PER_FAILURE) == 0) {
        fail_transaction(m);
        return true;
    }
    if (m->transactions > 0 || random_below(&m->seed, PER_EVENT) > 0) {
        return false;
    }
    take_exception(m, types[random_below(&m->seed, count)], false);
    return true;
}

static void step(struct random_machine *m)
{
    const struct random_instruction *i = instruction_at(m, &m->now);
    const bool taken = passes(m, i);
    if (is_interrupted(m, i)) {
        return;
    }
    if (!taken || !is_refused(m, i)) {
        execute(m, i, taken);
    } else if (m->transactions > 0) {
        fail_transaction(m);
    } else {
        take_exception(m, ETE_TRAP, true);
    }
}

void random_machine_run(struct random_machine *m, struct ete_unit *unit, bool wfx_is_p0)
{
    m->unit = unit;
    m->wfx_is_p0 = wfx_is_p0;
    m->now.security = NON_SECURE;
    m->now.context_id = m->first_context;
    go_anywhere(m, &m->now, (enum random_set)random_below(&m->seed, RANDOM_SETS));
    say_context(m);
    while (m->length < m->room) {
        step(m);
    }
}
