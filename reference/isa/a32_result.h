/* Where data processing of A32 leads that writes the PC and reads no other register and no flag.
 * Inline, as rules of ETE compute it for each branch. */
#ifndef ASSAY_ISA_A32_RESULT_H
#define ASSAY_ISA_A32_RESULT_H

#include <stdint.h>

/* The result of an instruction of the form CONSTANT (arm_flow.h) at `at`, as it is written to the
 * PC: bit 0 selects T32 (ALUWritePC, BXWritePC). The operand is an immediate, rotated, or the PC,
 * which reads as the address of the instruction plus 8. Any other word gives some number. */
static inline uint32_t a32_result(uint32_t word, uint32_t at)
{
    enum { AND, EOR, SUB, RSB, ADD, ORR = 12, MOV, BIC, MVN };
    const uint32_t pc = at + 8;
    const uint32_t rotation = (word >> 8 & 0xf) * 2;
    const uint64_t twice = (uint64_t)(word & 0xff) << 32 | (word & 0xff);
    const uint32_t operand = (word >> 25 & 1) == 0 ? pc : (uint32_t)(twice >> rotation);
    switch (word >> 21 & 0xf) {
    case AND:
        return pc & operand;
    case EOR:
        return pc ^ operand;
    case SUB:
        return pc - operand;
    case RSB:
        return operand - pc;
    case ADD:
        return pc + operand;
    case ORR:
        return pc | operand;
    case BIC:
        return pc & ~operand;
    case MVN:
        return ~operand;
    default:
        return operand;
    }
}

#endif
