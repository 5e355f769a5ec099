#include "ete/facts/register_tests.h"

enum {
    NOT_ZERO_BIT = 24,
    TEST_BIT = 25,
    WIDE_BIT = 31
}; /* of the word: CBNZ, TBNZ; TBZ; X, bit 5 */

/* The bits of the register that a branch tests: one, the lower half, or all. */
static uint64_t bits_of(uint32_t word)
{
    const unsigned wide = word >> WIDE_BIT;
    if ((word >> TEST_BIT & 1) != 0) {
        return UINT64_C(1) << (wide << 5 | (word >> 19 & 0x1f));
    }
    return wide != 0 ? UINT64_MAX : UINT32_MAX;
}

static enum ete_tested say(const struct ete_register *of, uint64_t bits)
{
    if ((of->ones & bits) != 0 || (of->nonzero != 0 && (of->nonzero & ~bits) == 0)) {
        return ETE_TESTED_NOT_ZERO;
    }
    return (of->zeros & bits) == bits ? ETE_TESTED_ZERO : ETE_TESTED_UNKNOWN;
}

/* What the branch at hand says, in place of what was known, if that is not the same. */
static void learn(struct ete_register *of, uint64_t bits, bool zero, enum ete_tested before)
{
    if (before != ETE_TESTED_UNKNOWN) {
        *of = (struct ete_register){0};
    }
    if (zero) {
        of->zeros |= bits;
    } else if ((bits & (bits - 1)) == 0) {
        of->ones |= bits;
    } else {
        of->nonzero = bits;
    }
}

void ete_annotate_register(struct ete_register_tests *tests, uint64_t *run)
{
    const uint32_t word = (uint32_t)run[LAST_WORD];
    const unsigned n = word & 0x1f;
    struct ete_register *of = &tests->of[n];
    if (ete_by_of(run) == ETE_BY_Q || ete_has(run[FACTS], UNCERTAIN_BIT)) {
        return;
    }
    if ((tests->known >> n & 1) == 0) {
        *of = (struct ete_register){0};
        tests->known |= UINT32_C(1) << n;
    }
    const uint64_t bits = bits_of(word);
    const enum ete_tested before = say(of, bits);
    const bool zero = ete_has(run[FACTS], TAKEN_BIT) != ete_has(word, NOT_ZERO_BIT);
    run[FACTS] |= (uint64_t)before << TESTED_BIT;
    if (before != (zero ? ETE_TESTED_ZERO : ETE_TESTED_NOT_ZERO)) {
        learn(of, bits, zero, before);
    }
}
