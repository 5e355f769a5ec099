/* What the branches of A64 that test a register say of it: CBZ, CBNZ, TBZ and TBNZ (C6.2), of any
 * register but XZR (ARM_FORM_BY_REGISTER). It holds until an instruction may have written the
 * register (a64_written). */
#ifndef ASSAY_ISA_A64_REGISTER_TESTS_H
#define ASSAY_ISA_A64_REGISTER_TESTS_H

#include <stdbool.h>
#include <stdint.h>

enum { A64_TESTED_REGISTERS = 31 };

/* What is known of a register, or of the bits of it that a branch tests. */
enum a64_tested { A64_TESTED_UNKNOWN, A64_TESTED_ZERO, A64_TESTED_NOT_ZERO };

/* What is known of the registers of which `known` has the bit. */
struct a64_register_tests {
    uint32_t known;
    struct a64_tested_register {
        uint64_t zeros, ones; /* bits that are 0, and bits that are 1 */
        uint64_t nonzero;     /* of these bits one is 1, which is not known; 0: nothing */
    } of[A64_TESTED_REGISTERS];
};

/* Whether a word is such a branch. */
static inline bool a64_tests_register(uint32_t word)
{
    return (word & 0x7c000000) == 0x34000000 && (word & 0x1f) != A64_TESTED_REGISTERS;
}

/* An instruction was executed that may write these registers, X0 to X30, by bits. */
static inline void a64_forget_registers(struct a64_register_tests *tests, uint32_t written)
{
    tests->known &= ~written;
}

/* What is known of what a branch tests, by the branches before it. */
enum a64_tested a64_tested_before(const struct a64_register_tests *tests, uint32_t word);

/* What such a branch says of what it tests. */
enum a64_tested a64_tested_by(uint32_t word, bool taken);

/* Learns from a branch. Where it contradicts those before it, these say nothing from then on.
 * Returns what was known by them. */
enum a64_tested a64_learn_test(struct a64_register_tests *tests, uint32_t word, bool taken);

#endif
