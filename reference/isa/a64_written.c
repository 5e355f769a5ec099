/* Which general-purpose registers an A64 instruction may write (C4.1). What is not known to leave
 * one as it is counts as one that writes it: all of SVE and SME, and calls of a debugger or the
 * system. */
#include "isa/a64_group.h"

enum { LINK = 30, REGISTERS = 31 };

static bool has(uint32_t word, uint32_t mask, uint32_t value)
{
    return (word & mask) == value;
}

/* Whether the register at a bit of the word is another one than register n. */
static bool other(uint32_t word, unsigned low, unsigned n)
{
    return (word >> low & 0x1f) != n;
}

/* CASP and RCWCASP name an even register, and mean the next one with it. */
static bool is_pair_swap(uint32_t word)
{
    return has(word, 0xbfa07c00, 0x08207c00) || has(word, 0xbf20fc00, 0x19200c00);
}

/* Data processing with an immediate has one destination; AUTIASPPC is of the last group of it. */
static bool immediate_keeps(uint32_t word, unsigned n)
{
    return !has(word, 0x7f800000, 0x73800000) && other(word, 0, n);
}

/* NOP to DGH, ESB to CSDB, CLRBHB and BTI. The hints of pointer authentication write X16, X17 and
 * X30. */
static bool hint_keeps(uint32_t word)
{
    const unsigned hint = word >> 5 & 0x7f;
    return hint <= 6 || (hint >= 16 && hint <= 20) || hint == 22 || has(hint, 0x79, 0x20);
}

/* System instructions without a result: MSR, SYS, barriers, WFET. With one: MRS, SYSL, TSTART. */
static bool system_keeps(uint32_t word, unsigned n)
{
    if (has(word, 0xfffff01f, 0xd503201f)) {
        return hint_keeps(word);
    }
    return has(word, 0xffe00000, 0xd5000000) ||
           (has(word, 0xffe00000, 0xd5200000) && other(word, 0, n));
}

/* Branches write the link register at the most. */
static bool branch_keeps(uint32_t word, uint64_t info, unsigned n)
{
    if (a64_info_is_branch(info) != 0) {
        return (n != LINK || a64_info_is_call(info) == 0) && a64_info_class(info) != A64_TEXIT;
    }
    return system_keeps(word, n);
}

/* Loads have their destinations in one or two of the fields of registers, and write their base
 * back; stores with exclusive access have a status. CASP loads pairs of an even register and the
 * next, LD64B eight registers. */
static bool access_keeps(uint32_t word, uint64_t info, unsigned n)
{
    enum { RT = 0, RN = 5, RT2 = 10, RS = 16 };
    const bool stores = a64_info_writes(info) != 0 && a64_info_reads(info) == 0;
    const bool is_literal = a64_info_is_literal(info) != 0;
    const bool is_scaled = has(word, 0x3b000000, 0x39000000);  /* an offset of 12 bits */
    const bool is_indexed = has(word, 0x3b200c00, 0x38200800); /* by another register */
    if (is_literal || is_scaled || is_indexed) {
        return stores || other(word, RT, n);
    }
    const bool is_pair = has(word, 0x3a000000, 0x28000000); /* an offset of 7 bits */
    if (a64_info_class(info) == A64_LOAD_64B) {
        return false;
    }
    if (is_pair && stores) {
        return other(word, RN, n);
    }
    return other(word, RT, n) && other(word, RN, n) && other(word, RT2, n) &&
           (is_pair || (other(word, RS, n) && (!is_pair_swap(word) || other(word, RS, n & ~1U))));
}

static bool keeps(uint32_t word, uint64_t info, enum a64_group group, unsigned n)
{
    switch (group) {
    case A64_GROUP_IMMEDIATE:
        return immediate_keeps(word, n);
    case A64_GROUP_BRANCH:
        return branch_keeps(word, info, n);
    case A64_GROUP_REGISTER:
    case A64_GROUP_VECTOR:
        return other(word, 0, n);
    case A64_GROUP_ACCESS:
        return access_keeps(word, info, n);
    default:
        return false;
    }
}

uint32_t a64_written(uint32_t word)
{
    const uint64_t info = a64_classify(word);
    const enum a64_group group = a64_group_of(word, info);
    uint32_t written = 0;
    for (unsigned n = 0; n < REGISTERS; n++) {
        written |= (uint32_t)!keeps(word, info, group, n) << n;
    }
    return written;
}
