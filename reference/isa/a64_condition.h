/* The conditions of A64 branches (C1.2.4). Inline, as rules of ETE compute it for each branch. */
#ifndef ASSAY_ISA_A64_CONDITION_H
#define ASSAY_ISA_A64_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

enum { A64_ALL_FLAGS = 0xffff };

/* Values of the condition flags with which a B.cond or BC.cond is taken, or is not: bit n is for
 * PSTATE.NZCV n. Of AL and NV, which are always taken, and for any other word it is all of them. */
static inline uint16_t a64_flags_by(uint32_t word, bool taken)
{
    /* with which each condition holds whose lowest bit is 0: EQ, CS, MI, VS, HI, GE, GT, AL */
    static const uint16_t holds[] = {0xf0f0, 0xcccc, 0xff00, 0xaaaa,
                                     0x0c0c, 0xaa55, 0x0a05, A64_ALL_FLAGS};
    const uint16_t flags = holds[word >> 1 & 7];
    if ((word & 0xff000000) != 0x54000000 || (word & 0xe) == 0xe) {
        return A64_ALL_FLAGS;
    }
    return (word & 1) != taken ? flags : flags ^ A64_ALL_FLAGS;
}

#endif
