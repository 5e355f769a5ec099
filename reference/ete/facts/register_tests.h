/* What the branches of A64 that test a register say of it, in the runs that end with them. */
#ifndef ASSAY_ETE_REGISTER_TESTS_H
#define ASSAY_ETE_REGISTER_TESTS_H

#include "ete/executed.h"
#include "isa/a64_register_tests.h"

enum { TESTED_BIT = ETE_BIT_run_tested_before };

/* Annotates a run whose last instruction is such a branch, with what the branches before it say,
 * and learns from it. Of one in a Q element, and of one that elements can still correct, no element
 * says for certain whether it was taken. */
static inline void ete_annotate_test(struct a64_register_tests *tests, uint64_t *run)
{
    const uint32_t word = (uint32_t)run[ETE_RUN_LAST_WORD];
    if (ete_by_of(run) == ETE_BY_Q || ete_has(run[ETE_RUN_FLAGS], UNCERTAIN_BIT)) {
        return;
    }
    const enum a64_tested before =
        a64_learn_test(tests, word, ete_has(run[ETE_RUN_FLAGS], TAKEN_BIT));
    run[ETE_RUN_FLAGS] |= (uint64_t)before << TESTED_BIT;
}

/* Annotates a run. */
static inline void ete_annotate_registers(struct a64_register_tests *tests, uint64_t *run)
{
    a64_forget_registers(tests, (uint32_t)run[ETE_WRITTEN]);
    if (ete_has(run[ETE_RUN_LAST_WORD], BY_REGISTER_BIT)) {
        ete_annotate_test(tests, run);
    }
}

#endif
