/* The control flow of Arm instructions, A64, A32 and T32 alike: where the execution goes after an
 * instruction, and what a trace unit may have to say of it. A decoder that follows a trace through
 * a program asks this of each instruction; which of them the trace mentions is its own question
 * (of ETE: which are P0 instructions, under TRCIDR2.WFXMODE and in or out of transactions).
 *
 * All functions are pure, and take any word. Sections named here are those of the Arm Architecture
 * Reference Manual for A-profile: chapter C6 for A64, F5 for A32 and T32, by the instruction's
 * name.
 *
 * The facts are those of the bits alone:
 * - A word whose effect on the PC is CONSTRAINED UNPREDICTABLE, as a multiplication that names the
 *   PC as destination, is OTHER. Bits that the manual shows in parentheses, (0) and (1), are not
 *   looked at.
 * - An undefined word is OTHER. That a feature is missing, or that an instruction is disabled or
 *   trapped, is not known here. */
#ifndef ASSAY_ISA_ARM_FLOW_H
#define ASSAY_ISA_ARM_FLOW_H

#include <stdbool.h>
#include <stdint.h>

/* X(enumerator, stable name, meaning). Those from SVC on cause an exception; where it is not taken,
 * or returns as it usually does, the execution continues after them. */
#define ARM_FLOW_KINDS(X)                                                                          \
    X(OTHER, "other", "any other: execution continues after it")                                   \
    X(DIRECT, "direct", "a branch whose target is the PC plus an immediate")                       \
    X(INDIRECT, "indirect", "a branch to an address from a register or from memory")               \
    X(EXCEPTION_RETURN, "exception_return", "an indirect branch that also restores the PSTATE")    \
    X(ISB, "isb", "ISB, and its encoding in AArch32 as a write to a System register, CP15ISB")     \
    X(WFX, "wfx", "WFE, WFI, WFET, WFIT")                                                          \
    X(IT, "it", "IT (T32)")                                                                        \
    X(TSTART, "tstart", "TSTART (A64)")                                                            \
    X(TCOMMIT, "tcommit", "TCOMMIT (A64)")                                                         \
    X(TCANCEL, "tcancel", "TCANCEL (A64)")                                                         \
    X(SVC, "svc", "SVC")                                                                           \
    X(HVC, "hvc", "HVC")                                                                           \
    X(SMC, "smc", "SMC")                                                                           \
    X(BREAKPOINT, "breakpoint", "BRK, BKPT")                                                       \
    X(HALT, "halt", "HLT")                                                                         \
    X(UDF, "udf", "UDF, permanently undefined")                                                    \
    X(DEBUG_STATE, "debug_state", "DCPS1 to DCPS3, DRPS: undefined outside Debug state")

enum arm_flow_kind {
#define X(id, name, text) ARM_FLOW_##id,
    ARM_FLOW_KINDS(X)
#undef X
        ARM_FLOW_KIND_COUNT
};

/* An instruction set. X(enumerator, stable name, meaning) */
#define ARM_SETS(X)                                                                                \
    X(A64, "a64", "A64, of AArch64")                                                               \
    X(A32, "a32", "A32, of AArch32")                                                               \
    X(T32, "t32", "T32, of AArch32")                                                               \
    X(SET_UNKNOWN, "unknown", "the word does not say")

enum arm_set {
#define X(id, name, text) ARM_##id,
    ARM_SETS(X)
#undef X
        ARM_SET_COUNT
};

/* What the word of a branch fixes of where it leads, besides its kind. X(enumerator, stable name,
 * meaning) */
#define ARM_FORMS(X)                                                                               \
    X(OPEN, "open", "nothing")                                                                     \
    X(ZERO_TAKEN, "zero_taken", "a comparison with zero that always holds: taken")                 \
    X(ZERO_NOT_TAKEN, "zero_not_taken", "one that never holds: not taken")                         \
    X(ITSELF_TAKEN, "itself_taken", "CB<cc> of a register with itself, which is taken")            \
    X(ITSELF_NOT_TAKEN, "itself_not_taken", "CB<cc> of a register with itself, which is not")      \
    X(TBB, "tbb", "TBB: forward by twice a byte")                                                  \
    X(TBH, "tbh", "TBH: forward by twice a halfword")                                              \
    X(BX_PC, "bx_pc", "BX PC: to the PC as A32")                                                   \
    X(CONSTANT, "constant", "data processing of A32 with one result: there (a32_result.h)")        \
    X(TO_ZERO, "to_zero", "BR, BLR or RET of XZR: to address 0")                                   \
    X(TO_LINK, "to_link", "BR, BLR or RET of X30: to the address in the link register")            \
    X(BY_FLAGS, "by_flags", "B.cond or BC.cond of A64: as the condition flags say")                \
    X(BY_REGISTER, "by_register", "CBZ, CBNZ, TBZ or TBNZ of A64: as the register says")

enum arm_form {
#define X(id, name, text) ARM_FORM_##id,
    ARM_FORMS(X)
#undef X
};

struct arm_flow {
    /* Of DIRECT, where it goes if taken: modulo 2^64 in A64, 2^32 in A32 and T32. Else 0. */
    uint64_t target;
    uint8_t kind; /* enum arm_flow_kind */
    uint8_t size; /* bytes of the instruction: 4, or 2 in T32 */
    /* enum arm_set: the instruction set of the target if taken; of what is no branch, its own.
     * SET_UNKNOWN where bit 0 of the target address selects it (interworking: BX, BLX (register),
     * BXJ, loads of the PC, and in A32 data processing), and of an exception return. */
    uint8_t target_set;
    /* Of any kind but OTHER: it may do nothing, so that execution continues after it, by the
     * condition in its word or, of CBZ and its like, by an operand. An IT before it isn't known
     * here: it makes all instructions that it covers conditional, except for BKPT and HLT. To
     * follow an ETE trace no IT is needed: a branch whose condition fails is still a P0
     * instruction, traced with an N Atom (K10.5.5.4). */
    bool conditional;
    /* A branch with link: it writes the address of the next instruction to the link register (BL,
     * BLX, BLR, BLRA*). When one is traced with an E Atom, the trace unit pushes that address and
     * the instruction set of the branch on its return stack (K10.5.5.3). */
    bool link;
    /* A return from a function, by its form: RET, RETA*; BX LR, MOV PC, LR, and loads of the PC
     * from the stack. Nothing follows from it for ETE's return stack, from which any indirect
     * branch can take its target. */
    bool is_return;
    uint8_t form; /* enum arm_form */
    /* Of IT: how many of the instructions after it it makes conditional, 1 to 4; 0 where its
     * condition is AL. Else 0. */
    uint8_t covers;
};

struct arm_flow arm_flow_a64(uint32_t word, uint64_t pc);
struct arm_flow arm_flow_a32(uint32_t word, uint32_t pc);

/* `second` is the halfword at pc + 2. It is ignored when the instruction has one halfword, and may
 * then be anything. */
struct arm_flow arm_flow_t32(uint16_t first, uint16_t second, uint32_t pc);

/* Whether a T32 instruction with this first halfword has a second one (F3.1, "T32 instruction set
 * encoding"). */
static inline bool arm_t32_is_wide(uint16_t first)
{
    return first >= 0xe800;
}

/* Whether the execution goes elsewhere, if the instruction is executed and, of a conditional one,
 * its condition holds: DIRECT, INDIRECT, EXCEPTION_RETURN. */
static inline bool arm_flow_is_branch(const struct arm_flow *flow)
{
    return flow->kind >= ARM_FLOW_DIRECT && flow->kind <= ARM_FLOW_EXCEPTION_RETURN;
}

/* The stable name of a kind ("indirect"); "unknown" for a value outside the enumeration. */
const char *arm_flow_kind_name(unsigned kind);

/* The stable name of an instruction set ("t32"); "unknown" for any other value. */
const char *arm_set_name(unsigned set);

#endif
