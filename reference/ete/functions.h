/* Pure functions that rules of ETE may call: inline, and defined for all arguments. */
#ifndef ASSAY_ETE_FUNCTIONS_H
#define ASSAY_ETE_FUNCTIONS_H

#include <stdint.h>

/* X(name, arity, gives a flag, meaning) */
#define ETE_FUNCTIONS(X)                                                                           \
    X(flags_by, 2, false,                                                                          \
      "flags_by(word, taken): bit n: with PSTATE.NZCV n the B.cond or BC.cond of A64 goes so; "    \
      "all "                                                                                       \
      "16 bits for another word")

/* The values of NZCV, as bits, with which each condition holds whose lowest bit is 0: EQ, CS, MI,
 * VS, HI, GE, GT, AL. */
static inline uint64_t ete_flags_by(uint64_t word, uint64_t taken)
{
    static const uint16_t holds[8] = {0xf0f0, 0xcccc, 0xff00, 0xaaaa,
                                      0x0c0c, 0xaa55, 0x0a05, 0xffff};
    const uint64_t flags = holds[word >> 1 & 7];
    if ((word & 0xff000000) != 0x54000000 || (word & 0xe) == 0xe) {
        return 0xffff;
    }
    return (word & 1) == (uint64_t)(taken == 0) ? flags : flags ^ 0xffff;
}

static inline uint64_t ete_call_flags_by(uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    return ete_flags_by(a, b);
}

#endif
