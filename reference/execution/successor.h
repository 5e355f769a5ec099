/* Whether a machine can execute what a recording has: which instruction can follow one. */
#ifndef ASSAY_EXECUTION_SUCCESSOR_H
#define ASSAY_EXECUTION_SUCCESSOR_H

#include "execution/execution.h"

/* Whether execution can go on at `next` right after an instruction that retired, by its word and
 * address: after it, or, of a branch, at its target; of an indirect one, of a call of the system,
 * of a return from a trap, and of what is not known, anywhere. */
bool assay_execution_can_follow(enum assay_execution_isa isa, const struct assay_executed *before,
                                uint64_t next);

#endif
