/* The instruction set of the example: words of 4 bytes, little-endian.
 *
 *     10.. ....  ....  ....  oooo oooo oooo oooo   branch by the signed number o of words, or not
 *     11.. ....  ....  ....  .... .... .... ....   branch to an address that is not in the word
 *     anything else                                no branch
 */
#ifndef ASSAY_TESTS_EXAMPLE_PROGRAM_H
#define ASSAY_TESTS_EXAMPLE_PROGRAM_H

#include <stdint.h>

/* X(enumerator, name, meaning) */
#define EXAMPLE_CLASSES(X)                                                                         \
    X(PLAIN, "plain", "no branch")                                                                 \
    X(CONDITIONAL, "conditional", "a branch that is taken or not")                                 \
    X(INDIRECT, "indirect", "a branch to an address that the word does not tell")

enum example_class {
#define X(id, name, text) EXAMPLE_CLASS_##id,
    EXAMPLE_CLASSES(X)
#undef X
};

static inline enum example_class example_classify(uint32_t word)
{
    return word >> 30 == 2   ? EXAMPLE_CLASS_CONDITIONAL
           : word >> 30 == 3 ? EXAMPLE_CLASS_INDIRECT
                             : EXAMPLE_CLASS_PLAIN;
}

/* Where a taken conditional branch goes, from its own address on. */
static inline uint64_t example_displacement(uint32_t word)
{
    const uint64_t words = word & 0xffff;
    return 4 * ((words ^ 0x8000) - 0x8000);
}

#endif
