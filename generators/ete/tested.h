/* What the conditional branches of an execution say of what they test: of the condition flags, and
 * of the registers that CBZ, CBNZ, TBZ and TBNZ test. It holds until an instruction may have
 * changed the flags, or written the register. Private to generators/ete/. */
#ifndef ASSAY_GENERATORS_ETE_TESTED_H
#define ASSAY_GENERATORS_ETE_TESTED_H

#include "isa/a64_condition.h"
#include "isa/a64_register_tests.h"

struct ete_tested {
    uint16_t flags; /* values of NZCV that are possible, by bits */
    struct a64_register_tests registers;
};

/* Whether a word is a conditional branch that tests them. */
static inline bool ete_tests(uint32_t word)
{
    return a64_tests_register(word) || a64_flags_by(word, true) != A64_ALL_FLAGS;
}

/* Nothing is known: what is executed in between can have changed all of it. */
void ete_tested_forget(struct ete_tested *tested);

/* An instruction was executed. */
void ete_tested_pass(struct ete_tested *tested, uint32_t word);

/* Whether a conditional branch can have this outcome. One that tests neither can have both, unless
 * its word says which. */
bool ete_tested_allows(const struct ete_tested *tested, uint32_t branch, bool taken);

/* A conditional branch had this outcome, which is possible. */
void ete_tested_learn(struct ete_tested *tested, uint32_t branch, bool taken);

/* Whether an instruction may change what a branch tests. */
bool ete_tested_is_changed(uint32_t branch, uint32_t word);

#endif
