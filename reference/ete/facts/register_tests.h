/* What the branches of A64 that test a register say of it: CBZ, CBNZ, TBZ and TBNZ (C6.2). It holds
 * until an instruction may have written the register. */
#ifndef ASSAY_ETE_REGISTER_TESTS_H
#define ASSAY_ETE_REGISTER_TESTS_H

#include "ete/executed.h"

enum { TESTED_BIT = ETE_BIT_run_tested_before, ETE_REGISTERS = 31 };

/* Values of the field `tested_before`. */
enum ete_tested { ETE_TESTED_UNKNOWN, ETE_TESTED_ZERO, ETE_TESTED_NOT_ZERO };

/* What is known of the registers of which `known` has the bit. */
struct ete_register_tests {
    uint32_t known;
    struct ete_register {
        uint64_t zeros, ones; /* bits that are 0, and bits that are 1 */
        uint64_t nonzero;     /* of these bits one is 1, which is not known; 0: nothing */
    } of[ETE_REGISTERS];
};

/* Annotates a run that ends with such a branch, with what the branches before it say, and learns
 * from it. Of one in a Q element, and of one that elements can still correct, no element says for
 * certain whether it was taken. */
void ete_annotate_register(struct ete_register_tests *tests, uint64_t *run);

#endif
