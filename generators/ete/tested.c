#include "generators/ete/tested.h"

#include "isa/a64.h"
#include "isa/arm_flow.h"

void ete_tested_forget(struct ete_tested *tested)
{
    tested->flags = A64_ALL_FLAGS;
    a64_forget_registers(&tested->registers, UINT32_MAX);
}

void ete_tested_pass(struct ete_tested *tested, uint32_t word)
{
    if (tested->flags != A64_ALL_FLAGS && !a64_keeps_flags(word)) {
        tested->flags = A64_ALL_FLAGS;
    }
    if (tested->registers.known != 0) {
        a64_forget_registers(&tested->registers, a64_written(word));
    }
}

/* Whether the word says that a branch has the other outcome: a comparison of the zero register, or
 * of a register with itself. */
static bool word_excludes(uint32_t branch, bool taken)
{
    const unsigned form = arm_flow_a64(branch, 0).form;
    return taken ? form == ARM_FORM_ZERO_NOT_TAKEN || form == ARM_FORM_ITSELF_NOT_TAKEN
                 : form == ARM_FORM_ZERO_TAKEN || form == ARM_FORM_ITSELF_TAKEN;
}

bool ete_tested_allows(const struct ete_tested *tested, uint32_t branch, bool taken)
{
    if (a64_tests_register(branch)) {
        const enum a64_tested before = a64_tested_before(&tested->registers, branch);
        return before == A64_TESTED_UNKNOWN || before == a64_tested_by(branch, taken);
    }
    return (tested->flags & a64_flags_by(branch, taken)) != 0 && !word_excludes(branch, taken);
}

void ete_tested_learn(struct ete_tested *tested, uint32_t branch, bool taken)
{
    tested->flags &= a64_flags_by(branch, taken);
    if (a64_tests_register(branch)) {
        (void)a64_learn_test(&tested->registers, branch, taken);
    }
}

bool ete_tested_is_changed(uint32_t branch, uint32_t word)
{
    return a64_tests_register(branch) ? (a64_written(word) >> (branch & 0x1f) & 1) != 0
                                      : !a64_keeps_flags(word);
}
