/* What the branches of A64 by the condition flags say of them (C1.2.4): of the values of
 * PSTATE.NZCV that are possible each takes some away, until an instruction may have set the flags.
 */
#ifndef ASSAY_ETE_CONDITION_FLAGS_H
#define ASSAY_ETE_CONDITION_FLAGS_H

#include "ete/executed.h"
#include "isa/a64_condition.h"
#include "isa/arm_flow.h"

enum { TESTS_BIT = ETE_BIT_run_tests_flags, FLAGS_BIT = ETE_BIT_run_flags_left };

/* A run whose last instruction is a branch by the flags. `before` are the values that are possible,
 * bit n for NZCV n; returns those that are left. Of a branch in a Q element no element says whether
 * it was taken. */
static inline uint16_t ete_annotate_branch(uint16_t before, uint64_t *run)
{
    const uint16_t says =
        a64_flags_of((unsigned)run[ETE_RUN_LAST_WORD], ete_has(run[ETE_RUN_FLAGS], TAKEN_BIT));
    if (ete_by_of(run) == ETE_BY_Q) {
        return before;
    }
    if (before != A64_ALL_FLAGS) {
        run[ETE_RUN_COUNT] |= UINT64_C(1) << TESTS_BIT | (uint64_t)(before & says) << FLAGS_BIT;
    }
    return before & says;
}

/* Annotates a run, with the values that are possible before it. Returns those after it. */
static inline uint16_t ete_annotate_flags(uint16_t before, uint64_t *run)
{
    const uint16_t kept = ete_has(run[ETE_RUN_LAST_WORD], KEEPS_FLAGS_BIT) ? before : A64_ALL_FLAGS;
    return ete_has(run[ETE_RUN_LAST_WORD], BY_FLAGS_BIT) ? ete_annotate_branch(kept, run) : kept;
}

#endif
