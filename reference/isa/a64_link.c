/* Which A64 instructions certainly leave the link register, X30, as it is (C4.1). What is not known
 * to do so counts as one that may change it: all of SVE and SME, and calls of a debugger or the
 * system. */
#include "isa/a64_group.h"

enum { LINK = 30 };

static bool has(uint32_t word, uint32_t mask, uint32_t value)
{
    return (word & mask) == value;
}

/* Whether the register at a bit of the word is another one. */
static bool other(uint32_t word, unsigned low)
{
    return (word >> low & 0x1f) != LINK;
}

/* Data processing with an immediate has one destination; AUTIASPPC is of the last group of it. */
static bool immediate_keeps(uint32_t word)
{
    return !has(word, 0x7f800000, 0x73800000) && other(word, 0);
}

/* NOP to DGH, ESB to CSDB, CLRBHB and BTI. The hints of pointer authentication write X16, X17 and
 * X30. */
static bool hint_keeps(uint32_t word)
{
    const unsigned hint = word >> 5 & 0x7f;
    return hint <= 6 || (hint >= 16 && hint <= 20) || hint == 22 || has(hint, 0x79, 0x20);
}

/* System instructions without a result: MSR, SYS, barriers, WFET. With one: MRS, SYSL, TSTART. */
static bool system_keeps(uint32_t word)
{
    if (has(word, 0xfffff01f, 0xd503201f)) {
        return hint_keeps(word);
    }
    return has(word, 0xffe00000, 0xd5000000) ||
           (has(word, 0xffe00000, 0xd5200000) && other(word, 0));
}

/* Branches without link keep it, also those that authenticate. */
static bool branch_keeps(uint32_t word, uint64_t info)
{
    if (a64_info_is_branch(info) != 0) {
        return a64_info_is_call(info) == 0 && a64_info_class(info) != A64_TEXIT;
    }
    return system_keeps(word);
}

/* Loads have their destinations in one or two of the fields of registers, and write their base
 * back; stores with exclusive access have a status. CASP loads pairs of an even register and the
 * next, LD64B eight registers. */
static bool access_keeps(uint32_t word, uint64_t info)
{
    enum { RT = 0, RN = 5, RT2 = 10, RS = 16 };
    const bool is_literal = a64_info_is_literal(info) != 0;
    const bool is_scaled = has(word, 0x3b000000, 0x39000000);  /* an offset of 12 bits */
    const bool is_indexed = has(word, 0x3b200c00, 0x38200800); /* by another register */
    if (is_literal || is_scaled || is_indexed) {
        return other(word, RT);
    }
    const bool is_pair = has(word, 0x3a000000, 0x28000000); /* an offset of 7 bits */
    return other(word, RT) && other(word, RN) && other(word, RT2) && (is_pair || other(word, RS)) &&
           a64_info_class(info) != A64_LOAD_64B;
}

bool a64_keeps_link(uint32_t word)
{
    const uint64_t info = a64_classify(word);
    switch (a64_group_of(word, info)) {
    case A64_GROUP_IMMEDIATE:
        return immediate_keeps(word);
    case A64_GROUP_BRANCH:
        return branch_keeps(word, info);
    case A64_GROUP_REGISTER:
    case A64_GROUP_VECTOR:
        return other(word, 0);
    case A64_GROUP_ACCESS:
        return access_keeps(word, info);
    default:
        return false;
    }
}
