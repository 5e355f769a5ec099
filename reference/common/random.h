/* Numbers that generators and encoders draw: splitmix64, the same for the same seed everywhere. */
#ifndef ASSAY_COMMON_RANDOM_H
#define ASSAY_COMMON_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t assay_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* 0 .. limit - 1. */
static inline uint64_t assay_random_below(uint64_t *state, uint64_t limit)
{
    return (assay_random(state) >> 11) % limit;
}

/* True once in `times`. */
static inline bool assay_random_once_in(uint64_t *state, uint64_t times)
{
    return assay_random_below(state, times) == 0;
}

#endif
