/* Random programs of RISC-V, RV32 or RV64 with C, and their executions. Jumps whose target is in
 * the program go forward, so that no loop is without branches: how often such a loop was executed
 * before a trap a trace of branches cannot say. */
#include "isa/rv.h"
#include "common/bytes.h"
#include "generators/random/pe.h"

enum { WORD = 4, HALF = 2, FORWARD = 32, PER_EVENT = 60, CALL_NUMBER = 64 };

/* Levels, where their handlers are (words from the beginning), and causes. */
enum { U = 0, S = 1, M = 3, HANDLER_S = 8, HANDLER_M = 16 };
enum { ILLEGAL = 2, BREAKPOINT = 3, ECALL_FROM_U = 8, LOAD_PAGE_FAULT = 13, STORE_PAGE_FAULT = 15 };

/* Registers: jumps go by A0 anywhere, and by A1 relative to what AUIPC made of it; A2 is loaded
 * from memory and stored there, at addresses in A3. */
enum { X0 = 0, RA = 1, X5 = 5, X7 = 7, A0 = 10, A1 = 11, A2 = 12, A3 = 13 };

enum {
    ADDI_A0 = 0x00150513,
    NOP = 0x00000013,
    AUIPC_A1 = 0x00000597,
    JR_A0 = 0x00050067,
    ECALL = 0x00000073,
    EBREAK = 0x00100073,
    WFI = 0x10500073,
    SRET = 0x10200073,
    MRET = 0x30200073,
    FENCE = 0x0ff0000f,
    C_NOP = 0x0001,
    C_RET = 0x8082,
    C_JR_A0 = 0x8502,
    C_JALR_A0 = 0x9502,
    C_BEQZ_A0 = 0xc101
};

/* --- the program --- */

static uint32_t branch_word(int64_t offset, uint32_t funct3)
{
    const uint32_t o = (uint32_t)offset;
    return (o >> 12 & 1) << 31 | (o >> 5 & 0x3f) << 25 | (uint32_t)A0 << 15 | funct3 << 12 |
           (o >> 1 & 0xf) << 8 | (o >> 11 & 1) << 7 | 0x63;
}

static uint32_t jal_word(uint32_t offset, uint32_t rd)
{
    return (offset >> 1 & 0x3ff) << 21 | (offset >> 11 & 1) << 20 | (offset >> 12 & 0xff) << 12 |
           rd << 7 | 0x6f;
}

static uint32_t jalr_word(uint32_t rd, uint32_t rs1, uint32_t offset)
{
    return offset << 20 | rs1 << 15 | rd << 7 | 0x67;
}

/* A load of A2, or a store of it, of any size; and an atomic addition. */
static uint32_t access_word(const struct random_pe *pe, uint64_t *seed)
{
    enum { DOUBLE = 3, LOADS = 0x03, STORES = 0x23, AMO = 0x2f, WORDS = 2 };
    static const uint32_t loads[] = {0, 1, 2, 4, 5, DOUBLE, 6};
    const bool wide = pe->options->isa == ASSAY_EXECUTION_RISCV64;
    const uint64_t kind = assay_random_below(seed, 5);
    if (kind < 2) {
        const uint32_t funct3 = loads[assay_random_below(seed, wide ? 7 : 5)];
        return (uint32_t)A3 << 15 | funct3 << 12 | (uint32_t)A2 << 7 | LOADS;
    }
    const uint32_t size = (uint32_t)assay_random_below(seed, wide ? 4 : 3);
    if (kind < 4) {
        return (uint32_t)A2 << 20 | (uint32_t)A3 << 15 | size << 12 | STORES;
    }
    const uint32_t atomic = wide && size == DOUBLE ? DOUBLE : WORDS;
    return (uint32_t)A2 << 20 | (uint32_t)A3 << 15 | atomic << 12 | (uint32_t)A2 << 7 | AMO;
}

/* Two instructions of 16 bits; jumps go to the first of them, or to the second. */
static uint32_t pair_word(uint64_t *seed)
{
    static const uint16_t halves[] = {C_NOP, C_NOP, C_RET, C_JALR_A0, C_JR_A0, C_BEQZ_A0};
    return ONE_OF(seed, halves) | (uint32_t)C_NOP << 16;
}

/* What only a system has, or shows. */
static uint32_t system_word(const struct random_pe *pe, uint64_t *seed)
{
    static const uint32_t all[] = {ECALL, MRET, MRET, SRET, SRET, EBREAK, WFI, FENCE};
    static const uint32_t of_user[] = {ECALL, FENCE};
    return pe->options->system ? ONE_OF(seed, all) : ONE_OF(seed, of_user);
}

/* The words from `margin` on are not far from the end: of AUIPC, the jump that follows leads
 * nowhere else than into the program. */
static uint32_t some_word(const struct random_pe *pe, uint64_t *seed, size_t at, size_t margin)
{
    static const uint32_t links[] = {X0, X0, RA, RA, X5, X7};
    const uint32_t rd = ONE_OF(seed, links);
    const size_t count = pe->program->count;
    const int64_t near = WORD * ((int64_t)assay_random_below(seed, count) - (int64_t)at);
    const size_t room = count - 1 - at < FORWARD ? count - 1 - at : FORWARD;
    switch (assay_random_below(seed, 20)) {
    case 0:
    case 1:
    case 2:
        return branch_word(near, (uint32_t)assay_random_below(seed, 2));
    case 3:
        return jal_word(WORD * (1 + (uint32_t)assay_random_below(seed, room)), rd);
    case 4:
        return jalr_word(rd, A0, 0);
    case 5:
    case 6:
        return jalr_word(X0, assay_random_once_in(seed, 4) ? X5 : RA, 0);
    case 7:
        return at < margin ? (uint32_t)AUIPC_A1 : (uint32_t)NOP;
    case 8:
        return jalr_word(rd, A1, WORD * (2 + (uint32_t)assay_random_below(seed, FORWARD)));
    case 9:
        return jalr_word(X5, RA, 0); /* a swap */
    case 10:
    case 11:
        return pair_word(seed);
    case 12:
        return system_word(pe, seed);
    case 13:
    case 14:
    case 15:
        return access_word(pe, seed);
    case 16:
        return ADDI_A0;
    default:
        return NOP;
    }
}

/* In the lower half of the virtual addresses of Sv39, or of 32 bits. */
static void draw(struct random_pe *pe)
{
    enum { WIDE = 38, NARROW = 31 };
    struct assay_random_program *p = pe->program;
    const unsigned bits = pe->options->isa == ASSAY_EXECUTION_RISCV32 ? NARROW : WIDE;
    p->base = assay_random(&pe->seed) & assay_mask(bits) & ~UINT64_C(0xffff);
    pe->data = p->base ^ UINT64_C(0x100000);
    const size_t margin = p->count - 2 * FORWARD;
    for (size_t at = 0; at + 1 < p->count; at++) {
        p->words[at] = some_word(pe, &pe->seed, at, margin);
    }
    for (size_t at = 0; at < RANDOM_DATA; at++) {
        pe->memory[at] = (uint8_t)assay_random(&pe->seed);
    }
    p->words[0] = p->words[HANDLER_S] = p->words[HANDLER_M] = NOP;
    p->words[p->count - 1] = JR_A0;
}

/* --- instructions --- */

struct instruction {
    uint32_t word;
    unsigned size;
    uint64_t info;
};

static struct instruction fetch(const struct random_pe *pe)
{
    const uint64_t offset = pe->pc - pe->program->base;
    const uint32_t word = pe->program->words[offset / WORD] >> 8 * (offset % WORD);
    struct instruction i = {.word = word, .size = WORD};
    if (rv_length((uint16_t)word) == HALF) {
        i.word = word & 0xffff;
        i.size = HALF;
    }
    i.info = rv_classify(i.word, pe->options->isa == ASSAY_EXECUTION_RISCV32 ? RV_32 : RV_64);
    return i;
}

/* Relative to A1 if that is known; a jump says what it is. Not far from either end of the program,
 * so that other jumps by A1 are in it, too. */
static uint64_t anchored(struct random_pe *pe, uint32_t word)
{
    const uint64_t offset = word >> 20;
    if (pe->anchor == 0) {
        const uint64_t first = 2 * FORWARD;
        const uint64_t words = pe->program->count - 2 * first;
        pe->anchor =
            pe->program->base + WORD * (first + assay_random_below(&pe->seed, words)) - offset;
    }
    return pe->anchor + offset;
}

static uint64_t next_of(struct random_pe *pe, const struct instruction *i)
{
    const enum rv_isa isa = pe->options->isa == ASSAY_EXECUTION_RISCV32 ? RV_32 : RV_64;
    const enum rv_transfer transfer = rv_info_transfer(i->info);
    const uint64_t after = pe->pc + i->size;
    uint64_t next = after;
    if (transfer == RV_TRANSFER_NONE) {
        return after;
    }
    if (rv_direct_target(i->word, isa, pe->pc, &next)) {
        const bool taken =
            transfer != RV_TRANSFER_CONDITIONAL || assay_random_once_in(&pe->seed, 2);
        next = taken ? next : after;
    } else if (transfer == RV_TRANSFER_RETURN || transfer == RV_TRANSFER_SWAP) {
        next = random_returned(pe);
    } else {
        next = (i->word >> 15 & 0x1f) == A1 && i->size == WORD ? anchored(pe, i->word)
                                                               : random_place(pe);
    }
    if (transfer == RV_TRANSFER_CALL || transfer == RV_TRANSFER_INDIRECT_CALL ||
        transfer == RV_TRANSFER_SWAP) {
        random_called(pe, after);
    }
    return next;
}

static uint64_t read_memory(const uint8_t *at, unsigned size)
{
    uint64_t value = 0;
    for (unsigned n = 0; n < size; n++) {
        value |= (uint64_t)at[n] << 8 * n;
    }
    return value;
}

static void write_memory(uint8_t *at, unsigned size, uint64_t value)
{
    for (unsigned n = 0; n < size; n++) {
        at[n] = (uint8_t)(value >> 8 * n);
    }
}

static uint64_t extended(uint64_t value, unsigned size, bool is_unsigned)
{
    const uint64_t sign = UINT64_C(1) << (8 * size - 1);
    return is_unsigned ? value : (value ^ sign) - sign;
}

/* What it does to memory and A2; returns how many accesses that are. */
static unsigned access_memory(struct random_pe *pe, const struct instruction *i,
                              struct assay_access access[2])
{
    enum { UNSIGNED = 1 << 14 };
    const bool reads = rv_info_reads(i->info) != 0;
    const bool writes = rv_info_writes(i->info) != 0;
    if (!reads && !writes) {
        return 0;
    }
    const unsigned size = rv_access_bytes(i->info);
    const uint64_t offset = size * assay_random_below(&pe->seed, RANDOM_DATA / size);
    const uint64_t old = read_memory(pe->memory + offset, size);
    const uint64_t stored = (reads ? old + pe->value : pe->value) & assay_mask(8 * size);
    unsigned count = 0;
    const struct assay_access one = {
        .address = pe->data + offset, .size = size, .content_known = true};
    if (reads) {
        access[count] = one;
        access[count++].content = old;
        pe->value = extended(old, size, !writes && (i->word & UNSIGNED) != 0);
    }
    if (writes) {
        access[count] = one;
        access[count].write = true;
        access[count++].content = stored;
        write_memory(pe->memory + offset, size, stored);
    }
    return count;
}

/* --- traps --- */

/* To S or M, but not to a lower level. The handler begins at a fixed place. */
static void trap(struct random_pe *pe, uint64_t cause, uint64_t value)
{
    const bool machine = pe->level == M || assay_random_once_in(&pe->seed, 2);
    random_trap(pe, machine ? M : S,
                &(struct assay_executed){
                    .cause = cause, .from = pe->pc, .fault = value, .number = CALL_NUMBER});
    pe->pc = pe->program->base + (machine ? WORD * HANDLER_M : WORD * HANDLER_S);
}

/* The handler of a signal is anywhere. */
static void take_away(struct random_pe *pe, uint64_t cause, uint64_t value)
{
    if (pe->options->system) {
        trap(pe, cause, value);
    } else {
        pe->pc = random_place(pe);
    }
}

static bool abort_at(struct random_pe *pe, const struct instruction *i, uint64_t cause)
{
    (void)assay_execution_put_aborted(pe->track, pe->pc, i->word, i->size);
    take_away(pe, cause, cause == ILLEGAL ? i->word : pe->pc);
    return true;
}

static bool is_illegal(const struct random_pe *pe, uint32_t word)
{
    return (word == MRET && pe->level < M) || (word == SRET && pe->level < S);
}

/* An access that fails; elsewhere an interrupt, of a system. */
static bool divert(struct random_pe *pe)
{
    static const uint64_t interrupts[] = {1, 3, 5, 7, 9, 11};
    const struct instruction i = fetch(pe);
    if (i.word == EBREAK || is_illegal(pe, i.word)) {
        return abort_at(pe, &i, i.word == EBREAK ? BREAKPOINT : ILLEGAL);
    }
    if (!assay_random_once_in(&pe->seed, PER_EVENT)) {
        return false;
    }
    if (rv_info_reads(i.info) != 0 || rv_info_writes(i.info) != 0) {
        (void)assay_execution_put_aborted_at(pe->track, pe->pc, i.word, i.size, pe->data);
        take_away(pe, rv_info_writes(i.info) != 0 ? STORE_PAGE_FAULT : LOAD_PAGE_FAULT, pe->data);
        return true;
    }
    if (pe->options->system) {
        const unsigned top = pe->options->isa == ASSAY_EXECUTION_RISCV32 ? 31 : 63;
        (void)assay_execution_put_diverted(pe->track);
        trap(pe, UINT64_C(1) << top | ONE_OF(&pe->seed, interrupts), 0);
        return true;
    }
    return false;
}

static void after_ecall(struct random_pe *pe, uint64_t after)
{
    const uint64_t arguments[6] = {0};
    if (pe->options->system) {
        trap(pe, (uint64_t)ECALL_FROM_U + pe->level, 0);
    } else {
        (void)assay_execution_put_system_call(pe->track, CALL_NUMBER, arguments);
        (void)assay_execution_put_system_return(pe->track, CALL_NUMBER, 0);
        pe->pc = after;
    }
}

static void execute(struct random_pe *pe)
{
    static const uint8_t from_m[] = {U, U, S, S, M};
    const struct instruction i = fetch(pe);
    struct assay_access access[2];
    const unsigned accesses = access_memory(pe, &i, access);
    random_retired(pe, i.word, i.size, access, accesses);
    if (i.word == ECALL) {
        after_ecall(pe, pe->pc + i.size);
        return;
    }
    pe->anchor = i.word == AUIPC_A1 ? pe->pc : pe->anchor;
    pe->pc = next_of(pe, &i);
    if (i.word == MRET || i.word == SRET) {
        pe->level = i.word == MRET ? ONE_OF(&pe->seed, from_m)
                                   : (uint8_t)assay_random_below(&pe->seed, S + 1);
        (void)assay_execution_put_level(pe->track, pe->level);
        pe->pc = random_place(pe);
    }
}

const struct random_isa random_rv = {
    .draw = draw, .level = M, .divert = divert, .execute = execute};
