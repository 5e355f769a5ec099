/* Random programs of A64, and their executions. */
#include "isa/a64.h"
#include "generators/random/pe.h"

enum { SHORT = 40, WORD = 4, PER_EVENT = 150, DOUBLE = 8, LEVELS = 4, VECTOR = 128 };
enum { SVC_CLASS = 0x15, CLASS = 26 /* lowest bit of ESR_ELx.EC */ };
enum {
    LDR = (int)0xf9400020,
    STR = (int)0xf9000020,
    SVC = (int)0xd4000001,
    ERET = (int)0xd69f03e0,
    B = 0x14000000,
    BL = (int)0x94000000,
    B_EQ = 0x54000000,
    ADD = (int)0x91000400,
    ADDS = (int)0xab010000,
    CBZ = 0x34000000,
    CBNZ = 0x35000001,
    TBZ = 0x36000002,
    RET = (int)0xd65f03c0,
    MOV_LINK = (int)0xaa0103fe /* MOV X30, X1 */
};

static const uint32_t plain[] = {0xd503201f,    (uint32_t)ADD,  (uint32_t)LDR,
                                 (uint32_t)STR, (uint32_t)ADDS, (uint32_t)MOV_LINK};
static const uint32_t indirect[] = {0xd61f0200, 0xd63f0200, (uint32_t)RET, 0xd65f0bff,
                                    (uint32_t)RET};
static const uint32_t synchronising[] = {0xd5033fdf, 0xd503207f, 0xd503205f};

/* --- the program --- */

/* A direct branch from a word to another one, most often a near one. */
static uint32_t some_branch(const struct assay_random_program *p, uint64_t *seed, size_t at)
{
    static const uint32_t conditional[] = {B_EQ, CBZ, CBNZ, TBZ};
    const size_t to =
        !assay_random_once_in(seed, 4)
            ? (at + SHORT + 1 + p->count - (size_t)assay_random_below(seed, 2 * SHORT)) % p->count
            : (size_t)assay_random_below(seed, p->count);
    const uint32_t distance = (uint32_t)to - (uint32_t)at;
    const uint64_t kind = assay_random_below(seed, 8);
    if (kind < 3) {
        return (kind == 0 ? (uint32_t)B : (uint32_t)BL) | (distance & 0x3ffffff);
    }
    const uint32_t word = ONE_OF(seed, conditional);
    const uint32_t mask = word == TBZ ? 0x3fff : 0x7ffff;
    return word | (distance & mask) << 5;
}

/* One that is no branch; ADD is of any register that branches test. */
static uint32_t some_plain(uint64_t *seed)
{
    enum { RN = 5 };
    const uint32_t word = ONE_OF(seed, plain);
    const uint32_t n =
        word == (uint32_t)ADD ? (uint32_t)assay_random_below(seed, RANDOM_TESTED) : 0;
    return word | n | n << RN;
}

static uint32_t some_word(const struct random_pe *pe, uint64_t *seed, size_t at)
{
    const uint64_t kind = assay_random_below(seed, 20);
    return kind < 11    ? some_plain(seed)
           : kind < 16  ? some_branch(pe->program, seed, at)
           : kind < 18  ? ONE_OF(seed, indirect)
           : kind == 18 ? ONE_OF(seed, synchronising)
           : pe->options->system && assay_random_once_in(seed, 2) ? (uint32_t)ERET
                                                                  : (uint32_t)SVC;
}

/* At an address of 48 bits, in the lower or in the upper range of virtual addresses. */
static void draw(struct random_pe *pe)
{
    enum { ADDRESS = 48 };
    const uint64_t top = UINT64_C(1) << (ADDRESS - 1);
    struct assay_random_program *p = pe->program;
    uint64_t *seed = &pe->seed;
    const uint64_t low = assay_random(seed) >> (64 - ADDRESS + assay_random_below(seed, 24));
    p->base = ((low ^ top) - top) & ~UINT64_C(0xffff);
    pe->data = p->base ^ UINT64_C(0x100000);
    for (size_t at = 0; at < p->count; at++) {
        p->words[at] = some_word(pe, seed, at);
    }
    p->words[0] = plain[0];
    p->words[p->count - 1] = (uint32_t)B | (0x3ffffff & (uint32_t)(1 - p->count));
}

/* --- its execution --- */

static uint32_t word_at(const struct random_pe *pe, uint64_t pc)
{
    return pe->program->words[(pc - pe->program->base) / WORD];
}

/* Registers are not simulated, but what branches see of them: the flag, which does not change
 * between two branches that look at it, the link register, which does not between a call and a
 * return, and whether a register that is tested is 0, odd, or even and not 0. */
enum { ZERO, ODD, EVEN, LOWS };

static void draw_registers(struct random_pe *pe, uint32_t written)
{
    for (unsigned n = 0; n < RANDOM_TESTED; n++) {
        if ((written >> n & 1) != 0) {
            pe->low[n] = (uint8_t)assay_random_below(&pe->seed, LOWS);
        }
    }
}

/* What is executed in between can change flag and registers. */
static void forget(struct random_pe *pe)
{
    pe->zero = assay_random_once_in(&pe->seed, 2);
    pe->link = 0;
    draw_registers(pe, UINT32_MAX);
}

static bool is_taken(struct random_pe *pe, uint32_t word)
{
    const uint8_t low = pe->low[word & 0x1f];
    switch (word >> 24) {
    case B_EQ >> 24:
        return pe->zero;
    case CBZ >> 24:
        return low == ZERO;
    case CBNZ >> 24:
        return low != ZERO;
    default:
        return low != ODD;
    }
}

static uint64_t next_of(struct random_pe *pe, uint32_t word)
{
    const uint64_t info = a64_classify(word);
    const uint64_t after = pe->pc + WORD;
    if (a64_info_is_call(info) != 0) {
        random_called(pe, after);
        pe->link = after;
    }
    if (a64_info_is_direct(info) != 0) {
        const bool taken = a64_info_is_conditional(info) == 0 || is_taken(pe, word);
        return taken ? a64_direct_target(word, pe->pc) : after;
    }
    if (a64_info_is_return(info) != 0) {
        const uint64_t called = random_returned(pe);
        return word == (uint32_t)RET && pe->link != 0 ? pe->link : called;
    }
    if (a64_info_is_branch(info) != 0 || a64_info_is_exception_return(info) != 0) {
        return random_place(pe);
    }
    return after;
}

static bool accesses_memory(uint32_t word)
{
    return word == (uint32_t)LDR || word == (uint32_t)STR;
}

/* To a level of at least this one, and below another one. */
static void trap(struct random_pe *pe, uint64_t class, unsigned least, unsigned end)
{
    random_trap(pe, (uint8_t)(least + assay_random_below(&pe->seed, end - least)),
                &(struct assay_executed){.cause = class << CLASS, .from = pe->pc});
}

/* The level that takes an exception at the least. */
static unsigned least_level(const struct random_pe *pe)
{
    return pe->level > 1 ? pe->level : 1;
}

/* The vector of an exception that was taken from a level. Bits 8:7 of its address say which kind it
 * is: synchronous, IRQ, FIQ, SError. Where the program is too short for it the handler is at its
 * begin. */
static uint64_t vector(struct random_pe *pe, unsigned from, unsigned kind)
{
    enum { KINDS = 4, FROM_LOWER = 2 };
    const unsigned where =
        pe->level > from ? FROM_LOWER : (unsigned)assay_random_below(&pe->seed, FROM_LOWER);
    const uint64_t at = VECTOR * (uint64_t)(where * KINDS + kind);
    return pe->program->base + (at < WORD * pe->program->count ? at : 0);
}

/* An interrupt or a fault. Aborts, watchpoints and alignment faults are of instructions that access
 * memory. */
static void trap_anywhere(struct random_pe *pe)
{
    static const uint64_t any[] = {0x20, 0x3c, 0x00};
    static const uint64_t of_access[] = {0x24, 0x20, 0x3c, 0x00, 0x26, 0x34};
    const unsigned from = pe->level;
    const bool accesses = accesses_memory(word_at(pe, pe->pc));
    trap(pe, accesses ? ONE_OF(&pe->seed, of_access) : ONE_OF(&pe->seed, any), least_level(pe),
         LEVELS);
    pe->pc = vector(pe, from, (unsigned)assay_random_below(&pe->seed, 4));
}

/* Whether control is taken away before the next instruction. ERET is undefined at EL0. */
static bool divert(struct random_pe *pe)
{
    const uint32_t word = word_at(pe, pe->pc);
    const bool undefined = word == (uint32_t)ERET && pe->level == 0;
    if (!undefined && !assay_random_once_in(&pe->seed, PER_EVENT)) {
        return false;
    }
    if (accesses_memory(word) && assay_random_once_in(&pe->seed, 2)) {
        (void)assay_execution_put_aborted_at(pe->track, pe->pc, word, WORD, pe->data);
    } else {
        (void)assay_execution_put_diverted(pe->track);
    }
    forget(pe);
    if (pe->options->system) {
        trap_anywhere(pe);
    } else {
        pe->pc = random_place(pe);
    }
    return true;
}

/* The handler of an SVC is at the vector of a synchronous exception. A hypervisor can take it in
 * place of the system, from EL0. */
static void after_svc(struct random_pe *pe)
{
    const uint64_t arguments[6] = {0};
    if (pe->options->system) {
        const unsigned from = pe->level;
        trap(pe, SVC_CLASS, least_level(pe), least_level(pe) + (from == 0 ? 2 : 1));
        pe->pc = vector(pe, from, 0);
    } else {
        (void)assay_execution_put_system_call(pe->track, 64, arguments);
        (void)assay_execution_put_system_return(pe->track, 64, 0);
    }
}

static void execute(struct random_pe *pe)
{
    const uint32_t word = word_at(pe, pe->pc);
    const bool accesses = accesses_memory(word);
    const struct assay_access access = {
        .address = pe->data + DOUBLE * assay_random_below(&pe->seed, RANDOM_DATA / DOUBLE),
        .size = DOUBLE,
        .write = word == (uint32_t)STR};
    random_retired(pe, word, WORD, &access, accesses);
    pe->pc = next_of(pe, word);
    draw_registers(pe, a64_written(word));
    if (word == (uint32_t)ADDS) {
        pe->zero = assay_random_once_in(&pe->seed, 2);
    }
    if (word == (uint32_t)MOV_LINK) {
        pe->link = 0;
    }
    if (word == (uint32_t)SVC || word == (uint32_t)ERET) {
        forget(pe);
    }
    if (word == (uint32_t)SVC) {
        after_svc(pe);
    } else if (word == (uint32_t)ERET) {
        pe->level = (uint8_t)assay_random_below(&pe->seed, pe->level + 1u);
        (void)assay_execution_put_level(pe->track, pe->level);
    }
}

const struct random_isa random_a64 = {.draw = draw, .divert = divert, .execute = execute};
