#include "isa/a64_register_tests.h"

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

static enum a64_tested known_of(const struct a64_tested_register *of, uint64_t bits)
{
    if ((of->ones & bits) != 0 || (of->nonzero != 0 && (of->nonzero & ~bits) == 0)) {
        return A64_TESTED_NOT_ZERO;
    }
    return (of->zeros & bits) == bits ? A64_TESTED_ZERO : A64_TESTED_UNKNOWN;
}

enum a64_tested a64_tested_before(const struct a64_register_tests *tests, uint32_t word)
{
    const unsigned n = word & 0x1f;
    return (tests->known >> n & 1) != 0 ? known_of(&tests->of[n], bits_of(word))
                                        : A64_TESTED_UNKNOWN;
}

enum a64_tested a64_tested_by(uint32_t word, bool taken)
{
    return taken != ((word >> NOT_ZERO_BIT & 1) != 0) ? A64_TESTED_ZERO : A64_TESTED_NOT_ZERO;
}

enum a64_tested a64_learn_test(struct a64_register_tests *tests, uint32_t word, bool taken)
{
    const unsigned n = word & 0x1f;
    const uint64_t bits = bits_of(word);
    const enum a64_tested says = a64_tested_by(word, taken);
    struct a64_tested_register *of = &tests->of[n];
    const bool known = (tests->known >> n & 1) != 0;
    const enum a64_tested before = known ? known_of(of, bits) : A64_TESTED_UNKNOWN;
    if (before == says) {
        return before;
    }
    if (before != A64_TESTED_UNKNOWN || !known) {
        *of = (struct a64_tested_register){0};
        tests->known |= UINT32_C(1) << n;
    }
    if (says == A64_TESTED_ZERO) {
        of->zeros |= bits;
    } else if ((bits & (bits - 1)) == 0) {
        of->ones |= bits;
    } else {
        of->nonzero = bits;
    }
    return before;
}
