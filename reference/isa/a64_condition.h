/* The conditions of A64 branches (C1.2.4). Inline, as rules of ETE compute it for each branch. */
#ifndef ASSAY_ISA_A64_CONDITION_H
#define ASSAY_ISA_A64_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

enum { A64_ALL_FLAGS = 0xffff };

/* Values of the condition flags with which a condition, bits 3:0 of a B.cond or BC.cond, holds, or
 * does not: bit n is for PSTATE.NZCV n. AL and NV always hold: all of them, whatever is asked. */
static inline uint16_t a64_flags_of(unsigned condition, bool holds)
{
    /* EQ, NE, CS, CC, MI, PL, VS, VC, HI, LS, GE, LT, GT, LE, AL, NV */
    static const uint16_t of[][16] = {
        {0x0f0f, 0xf0f0, 0x3333, 0xcccc, 0x00ff, 0xff00, 0x5555, 0xaaaa, 0xf3f3, 0x0c0c, 0x55aa,
         0xaa55, 0xf5fa, 0x0a05, A64_ALL_FLAGS, A64_ALL_FLAGS},
        {0xf0f0, 0x0f0f, 0xcccc, 0x3333, 0xff00, 0x00ff, 0xaaaa, 0x5555, 0x0c0c, 0xf3f3, 0xaa55,
         0x55aa, 0x0a05, 0xf5fa, A64_ALL_FLAGS, A64_ALL_FLAGS}};
    return of[holds][condition & 0xf];
}

/* The same of a branch that is taken or not; of any other word it is all of them. */
static inline uint16_t a64_flags_by(uint32_t word, bool taken)
{
    return (word & 0xff000000) == 0x54000000 ? a64_flags_of(word, taken) : A64_ALL_FLAGS;
}

#endif
