/* Which A64 instructions certainly leave the condition flags, PSTATE.NZCV, as they are (C4.1). What
 * is not known to do so counts as one that may change them: all of SVE and SME, accesses to System
 * registers, and instructions with a result that the flags have, such as CPY* and RCW*. */
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

/* Branches, exceptions and the system. */
static bool branch_keeps(uint64_t info)
{
    return (a64_info_is_branch(info) != 0 && a64_info_class(info) != A64_TEXIT) ||
           a64_info_is_hint(info) != 0 || a64_info_is_barrier(info) != 0;
}

/* CPY* and SET* say in the flags how they go on, RCW* and ST64BV* whether they have written. */
static bool access_keeps(uint64_t info)
{
    return (a64_info_is_memory(info) != 0 || a64_info_is_address_operation(info) != 0) &&
           a64_info_is_range(info) == 0 && a64_info_writes_conditionally(info) == 0;
}

bool a64_keeps_flags(uint32_t word)
{
    const uint64_t info = a64_classify(word);
    switch (a64_group_of(word, info)) {
    case A64_GROUP_IMMEDIATE:
        return immediate_keeps(word);
    case A64_GROUP_BRANCH:
        return branch_keeps(info);
    case A64_GROUP_REGISTER:
        return register_keeps(word);
    case A64_GROUP_VECTOR:
        return vector_keeps(word);
    case A64_GROUP_ACCESS:
        return access_keeps(info);
    default:
        return false;
    }
}
