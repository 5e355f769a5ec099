/* Which A64 instructions certainly leave the condition flags, PSTATE.NZCV, as they are (C4.1). What
 * is not known to do so counts as one that may change them: all of SVE and SME, what is
 * IMPLEMENTATION DEFINED, and instructions with a result that the flags have, such as CPY* and
 * RCW*. */
#include "isa/a64_group.h"

static bool has(uint32_t word, uint32_t mask, uint32_t value)
{
    return (word & mask) == value;
}

/* Data processing with an immediate: ADDS, SUBS and ANDS set the flags. */
static bool immediate_keeps(uint32_t word)
{
    return !has(word, 0x3f800000, 0x31000000) && !has(word, 0x7f800000, 0x72000000);
}

/* Data processing with registers: of the logical operations ANDS and BICS, of all others those with
 * the bit S, to which CCMP, RMIF, SETF8 and SUBPS belong. */
static bool register_keeps(uint32_t word)
{
    return has(word, 0x1f000000, 0x0a000000) ? !has(word, 0x60000000, 0x60000000)
                                             : (word >> 29 & 1) == 0;
}

/* Floating point and Advanced SIMD: FCMP, FCCMP and FJCVTZS set the flags. All of them are among
 * the scalar floating-point instructions with bit 21. */
static bool vector_keeps(uint32_t word)
{
    if (!has(word, 0x7f200000, 0x1e200000)) {
        return true;
    }
    const uint32_t op = word >> 10 & 0x3f;
    return (op & 3) >= 2 || (op & 7) == 4 || (op & 0x1f) == 0x10 ||
           (op == 0 && !has(word, 0x001f0000, 0x001e0000));
}

/* MSR of NZCV sets the flags, MRS of RNDR and RNDRRS says in them whether there was a number. */
static bool register_access_keeps(uint32_t word)
{
    return !has(word, 0x0000b000, 0x0000b000) && !has(word, 0xffffffe0, 0xd51b4200) &&
           !has(word, 0xffffffc0, 0xd53b2400);
}

/* CFINV, XAFLAG and AXFLAG are the flags' own. Of SYS the operations on caches, TLBs and
 * translations are known. */
static bool system_keeps(uint32_t word, uint64_t info)
{
    switch (a64_info_class(info)) {
    case A64_CLREX:
    case A64_TSTART:
    case A64_TTEST:
    case A64_TCOMMIT:
    case A64_MSR_IMM:
    case A64_DC:
    case A64_DC_ZVA:
    case A64_DC_GVA:
    case A64_DC_GZVA:
    case A64_IC:
    case A64_TLBI:
    case A64_TLBI_RANGE:
    case A64_AT:
        return true;
    case A64_MSR_REG:
    case A64_MRS:
        return register_access_keeps(word);
    default:
        return a64_info_is_hint(info) != 0 || a64_info_is_barrier(info) != 0;
    }
}

/* Branches, exceptions and the system. */
static bool branch_keeps(uint32_t word, uint64_t info)
{
    return a64_info_is_branch(info) != 0 ? a64_info_class(info) != A64_TEXIT
                                         : system_keeps(word, info);
}

/* CPY* and SET* say in the flags how they go on, RCW* whether they have written. Of what writes
 * conditionally, exclusive stores have a status in a register, and CAS and CASP the old value. */
static bool access_keeps(uint32_t word, uint64_t info)
{
    return (a64_info_is_memory(info) != 0 || a64_info_is_address_operation(info) != 0) &&
           a64_info_is_range(info) == 0 &&
           (a64_info_writes_conditionally(info) == 0 || has(word, 0x3f000000, 0x08000000));
}

bool a64_keeps_flags(uint32_t word)
{
    const uint64_t info = a64_classify(word);
    switch (a64_group_of(word, info)) {
    case A64_GROUP_IMMEDIATE:
        return immediate_keeps(word);
    case A64_GROUP_BRANCH:
        return branch_keeps(word, info);
    case A64_GROUP_REGISTER:
        return register_keeps(word);
    case A64_GROUP_VECTOR:
        return vector_keeps(word);
    case A64_GROUP_ACCESS:
        return access_keeps(word, info);
    default:
        return false;
    }
}
