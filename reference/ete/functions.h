/* Pure functions that rules of ETE may call: inline, and defined for all arguments. */
#ifndef ASSAY_ETE_FUNCTIONS_H
#define ASSAY_ETE_FUNCTIONS_H

#include "isa/a32_result.h"
#include "isa/a64_condition.h"

/* X(name, arity, gives a flag, meaning) */
#define ETE_FUNCTIONS(X)                                                                           \
    X(flags_by, 2, false,                                                                          \
      "flags_by(word, taken): bit n: with PSTATE.NZCV n the B.cond or BC.cond of A64 goes so; "    \
      "all "                                                                                       \
      "16 bits for another word")                                                                  \
    X(a32_result, 2, false,                                                                        \
      "a32_result(word, end): what the data processing of A32 before `end`, of the form "          \
      "constant, writes to the PC")

static inline uint64_t ete_flags_by(uint64_t word, uint64_t taken)
{
    return a64_flags_by((uint32_t)word, taken != 0);
}

static inline uint64_t ete_call_flags_by(uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    return ete_flags_by(a, b);
}

static inline uint64_t ete_a32_result(uint64_t word, uint64_t end)
{
    return a32_result((uint32_t)word, (uint32_t)end - 4);
}

static inline uint64_t ete_call_a32_result(uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    return ete_a32_result(a, b);
}

#endif
