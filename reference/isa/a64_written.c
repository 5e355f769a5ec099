/* Which general-purpose registers an A64 instruction may write (C4.1). What is not known to leave
 * one as it is counts as one that writes it: all of SVE and SME, and calls of a debugger or the
 * system. */
#include "isa/a64_group.h"

enum { LINK = 30, ALL_REGISTERS = 0x7fffffff };

static bool has(uint32_t word, uint32_t mask, uint32_t value)
{
    return (word & mask) == value;
}

/* The register at a bit of the word; of 31, which is the zero register or the stack pointer, none.
 */
static uint32_t at(uint32_t word, unsigned low)
{
    return (UINT32_C(1) << (word >> low & 0x1f)) & ALL_REGISTERS;
}

/* Data processing with an immediate has one destination; AUTIASPPC is of the last group of it. */
static uint32_t by_immediate(uint32_t word)
{
    return has(word, 0x7f800000, 0x73800000) ? ALL_REGISTERS : at(word, 0);
}

/* NOP to DGH, ESB to CSDB, CLRBHB and BTI write none. The hints of pointer authentication write
 * X16, X17 and X30. */
static bool is_hint_without_result(uint32_t word)
{
    const unsigned hint = word >> 5 & 0x7f;
    return hint <= 6 || (hint >= 16 && hint <= 20) || hint == 22 || has(hint, 0x79, 0x20);
}

/* System instructions without a result: MSR, SYS, barriers, WFET. With one: MRS, SYSL, TSTART. */
static uint32_t by_system(uint32_t word)
{
    if (has(word, 0xfffff01f, 0xd503201f)) {
        return is_hint_without_result(word) ? 0 : ALL_REGISTERS;
    }
    return has(word, 0xffe00000, 0xd5000000)   ? 0
           : has(word, 0xffe00000, 0xd5200000) ? at(word, 0)
                                               : ALL_REGISTERS;
}

/* Branches write the link register at the most. */
static uint32_t by_branch(uint32_t word, uint64_t info)
{
    if (a64_info_is_branch(info) == 0) {
        return by_system(word);
    }
    return a64_info_class(info) == A64_TEXIT ? ALL_REGISTERS
           : a64_info_is_call(info) != 0     ? UINT32_C(1) << LINK
                                             : 0;
}

/* CASP and RCWCASP name an even register, and mean the next one with it. */
static bool is_pair_swap(uint32_t word)
{
    return has(word, 0xbfa07c00, 0x08207c00) || has(word, 0xbf20fc00, 0x19200c00);
}

/* Loads have their destinations in one or two of the fields of registers, and write their base
 * back; stores with exclusive access have a status. LD64B loads eight registers. */
static uint32_t by_access(uint32_t word, uint64_t info)
{
    enum { RT = 0, RN = 5, RT2 = 10, RS = 16 };
    const bool stores = a64_info_writes(info) != 0 && a64_info_reads(info) == 0;
    const bool is_literal = a64_info_is_literal(info) != 0;
    const bool is_scaled = has(word, 0x3b000000, 0x39000000);  /* an offset of 12 bits */
    const bool is_indexed = has(word, 0x3b200c00, 0x38200800); /* by another register */
    const bool is_pair = has(word, 0x3a000000, 0x28000000);    /* an offset of 7 bits */
    if (is_literal || is_scaled || is_indexed) {
        return stores ? 0 : at(word, RT);
    }
    if (a64_info_class(info) == A64_LOAD_64B) {
        return ALL_REGISTERS;
    }
    if (is_pair && stores) {
        return at(word, RN);
    }
    const uint32_t written = at(word, RT) | at(word, RN) | at(word, RT2);
    return is_pair ? written
                   : written | at(word, RS) | (is_pair_swap(word) ? at(word, RS) << 1 : 0);
}

uint32_t a64_written(uint32_t word)
{
    const uint64_t info = a64_classify(word);
    switch (a64_group_of(word, info)) {
    case A64_GROUP_IMMEDIATE:
        return by_immediate(word);
    case A64_GROUP_BRANCH:
        return by_branch(word, info);
    case A64_GROUP_REGISTER:
    case A64_GROUP_VECTOR:
        return at(word, 0);
    case A64_GROUP_ACCESS:
        return by_access(word, info);
    default:
        return ALL_REGISTERS;
    }
}
