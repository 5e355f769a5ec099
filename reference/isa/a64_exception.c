/* Which synchronous exceptions an instruction can cause, by their class in ESR_ELx ("Exception
 * classes", D24.2.40 of the Arm Architecture Reference Manual for A-profile). */
#include "isa/a64.h"

enum exception_class {
    EC_UNKNOWN = 0x00,
    EC_WFX = 0x01,
    EC_SIMD_FP = 0x07,
    EC_PAUTH_TRAP = 0x09,
    EC_OTHER,
    EC_BRANCH_TARGET = 0x0d,
    EC_SYSTEM_128 = 0x14,
    EC_SVC = 0x15,
    EC_HVC,
    EC_SMC,
    EC_SYSTEM = 0x18,
    EC_SVE,
    EC_ERET,
    EC_PAUTH_FAIL = 0x1c,
    EC_SME,
    EC_DATA_ABORT_LOWER = 0x24,
    EC_DATA_ABORT,
    EC_SP_ALIGNMENT,
    EC_MOPS,
    EC_FP_EXCEPTION = 0x2c,
    EC_WATCHPOINT_LOWER = 0x34,
    EC_WATCHPOINT,
    EC_BRK = 0x3c
};

/* Bits [31:22] of hints, barriers, MSR, MRS, SYS and SYSL, and of their forms with two registers.
 */
static bool is_system(uint32_t word)
{
    return (word & 0xffc00000u) == 0xd5000000u;
}

/* Hints are executed as NOP where they do nothing else, and no control traps them or a barrier by
 * one of the classes for system instructions. */
static bool is_trapped_system(uint32_t word, uint64_t info)
{
    return is_system(word) && !a64_info_is_hint(info) && !a64_info_is_barrier(info);
}

/* Accesses a register, or PSTATE.SM and ZA, which belong to SIMD&FP, SVE or SME, perhaps. */
static bool accesses_state(uint32_t word, uint64_t info)
{
    const unsigned class_id = a64_info_class(info);
    return is_trapped_system(word, info) && (class_id == A64_MSR_REG || class_id == A64_MRS ||
                                             class_id == A64_SMSTART || class_id == A64_SMSTOP);
}

/* Never undefined, whatever is implemented: SVC and BRK; hints; branches of the first version of
 * A64 that only name a register or a label. */
static bool is_always_defined(uint64_t info)
{
    switch (a64_info_class(info)) {
    case A64_SVC:
    case A64_BRK:
    case A64_B:
    case A64_BL:
    case A64_B_COND:
    case A64_CBZ:
    case A64_CBNZ:
    case A64_TBZ:
    case A64_TBNZ:
    case A64_BR:
    case A64_BLR:
    case A64_RET:
        return true;
    default:
        return a64_info_is_hint(info);
    }
}

/* What is trapped by a control of its own that has no other class. */
static bool is_trapped_otherwise(uint64_t info)
{
    switch (a64_info_class(info)) {
    case A64_LOAD_64B:
    case A64_STORE_64B:
    case A64_PSB:
    case A64_TSB:
        return true;
    default:
        return false;
    }
}

/* Has SP as base of an access. Literal loads have no base, prefetches do not check it, and memory
 * copies and sets name no SP. Vectors of addresses may be Z31. */
static bool uses_stack_pointer(uint32_t word, uint64_t info)
{
    return a64_info_is_memory(info) && !a64_info_is_literal(info) && !a64_info_is_range(info) &&
           !is_system(word) && (word >> 5 & 31u) == 31;
}

/* "Branches, Exception generating and System instructions", in which a word of no class may be a
 * system instruction. */
static bool is_system_group(uint32_t word)
{
    return (word >> 26 & 7u) == 5;
}

/* Uses SIMD&FP, SVE or SME registers: the groups of these, and loads and stores with bit 26 set,
 * which in memory copies and sets means something else. */
static bool uses_vectors(uint32_t word, uint64_t info)
{
    const bool data = ((word >> 25) & 7u) == 7;
    const bool memory = ((word >> 25) & 5u) == 4 && ((word >> 26) & 1u) == 1;
    return a64_info_is_sve(info) || a64_info_is_sme(info) || data ||
           (memory && !a64_info_is_range(info));
}

/* Names an address of data. Calls and returns may access a Guarded Control Stack, and what unknown
 * system instructions access is their platform's affair. */
static bool uses_memory(uint32_t word, uint64_t info)
{
    return a64_info_is_memory(info) || a64_info_is_address_operation(info) ||
           a64_info_is_call(info) || a64_info_is_return(info) || is_system(word);
}

/* Compatible with every branch type: BRK, HLT, and BTI jc. */
static bool is_any_target(uint32_t word, unsigned class_id)
{
    return class_id == A64_BRK || class_id == A64_HLT || word == 0xd50324df;
}

bool a64_can_cause(uint32_t word, unsigned exception_class)
{
    const uint64_t info = a64_classify(word);
    const unsigned class_id = a64_info_class(info);
    switch (exception_class) {
    case EC_UNKNOWN:
        return !is_always_defined(info);
    case EC_WFX:
        return a64_info_is_wfx(info);
    case EC_SIMD_FP:
    case EC_SME:
        return uses_vectors(word, info) || accesses_state(word, info);
    case EC_SVE:
        return a64_info_is_sve(info) || a64_info_is_sme(info) || accesses_state(word, info);
    case EC_OTHER:
        return is_trapped_otherwise(info);
    case EC_FP_EXCEPTION:
        return uses_vectors(word, info);
    case EC_PAUTH_TRAP:
    case EC_PAUTH_FAIL:
        return a64_info_is_pauth(info);
    case EC_BRANCH_TARGET:
        return !is_any_target(word, class_id);
    case EC_SYSTEM_128:
        return class_id == A64_MSRR || class_id == A64_MRRS || class_id == A64_SYSP;
    case EC_SVC:
        return class_id == A64_SVC;
    case EC_HVC:
        return class_id == A64_HVC;
    case EC_SMC:
        return class_id == A64_SMC;
    case EC_SYSTEM:
        return is_trapped_system(word, info);
    case EC_ERET:
        return a64_info_is_exception_return(info);
    case EC_MOPS:
        return a64_info_is_range(info) && a64_info_is_memory(info);
    case EC_BRK:
        return class_id == A64_BRK;
    case EC_SP_ALIGNMENT:
        return uses_stack_pointer(word, info);
    case EC_DATA_ABORT_LOWER:
    case EC_DATA_ABORT:
    case EC_WATCHPOINT_LOWER:
    case EC_WATCHPOINT:
        return uses_memory(word, info);
    default:
        return true;
    }
}

bool a64_can_access(uint32_t word)
{
    switch ((enum a64_class)a64_info_class(a64_classify(word))) {
    case A64_OTHER:
        return is_system_group(word);
    case A64_PAC:
    case A64_AUT:
    case A64_XPAC:
    case A64_B:
    case A64_B_COND:
    case A64_BC_COND:
    case A64_CBZ:
    case A64_CBNZ:
    case A64_TBZ:
    case A64_TBNZ:
    case A64_CB:
    case A64_BR:
    case A64_BRAA:
    case A64_BRAB:
    case A64_ERET:
    case A64_ERETAA:
    case A64_ERETAB:
    case A64_DRPS:
    case A64_SVC:
    case A64_HVC:
    case A64_SMC:
    case A64_BRK:
    case A64_DCPS1:
    case A64_DCPS2:
    case A64_DCPS3:
    case A64_WFE:
    case A64_WFI:
    case A64_NOP:
    case A64_YIELD:
    case A64_SEV:
    case A64_SEVL:
    case A64_ESB:
    case A64_PSB:
    case A64_TSB:
    case A64_GCSB:
    case A64_CSDB:
    case A64_BTI:
    case A64_CHKFEAT:
    case A64_HINT:
    case A64_CLREX:
    case A64_DMB:
    case A64_DSB:
    case A64_SSBB:
    case A64_PSSBB:
    case A64_ISB:
    case A64_SB:
    case A64_PREFETCH:
        return false;
    default:
        return true;
    }
}
