/* Numbers for tests: the same ones for the same seed, on every machine. */
#ifndef ASSAY_COMMON_TESTS_RANDOM_H
#define ASSAY_COMMON_TESTS_RANDOM_H

#include <stdint.h>

#include "common/bytes.h"

/* xorshift64*; a seed of 0 is no seed. */
static inline uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * UINT64_C(0x2545f4914f6cdd1d);
}

static inline uint64_t random_below(uint64_t *seed, uint64_t limit)
{
    return (random_next(seed) >> 11) % limit;
}

/* A value of at most `bits` bits; often one at an end of its range. */
static inline uint64_t random_value(uint64_t *seed, unsigned bits)
{
    const uint64_t choice = random_below(seed, 8);
    const uint64_t value = choice == 0 ? 0 : choice == 1 ? UINT64_MAX : random_next(seed);
    return value & assay_mask(bits);
}

static inline void random_fill(uint64_t *seed, uint8_t *bytes, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(random_next(seed) >> 56);
    }
}

#endif
