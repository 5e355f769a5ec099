/* Rolling hashes of sequences of instructions, each by a number of it: the hash of a sequence and
 * one more is hash * BASE + number. */
#ifndef ASSAY_EXECUTION_ROLLING_HASH_H
#define ASSAY_EXECUTION_ROLLING_HASH_H

#include <stdint.h>

/* A number for an instruction at an address: different ones have different numbers, but for a
 * coincidence. */
static inline uint64_t assay_instruction_key(uint64_t pc, uint32_t word)
{
    const uint64_t x = (pc ^ (uint64_t)word << 32) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

/* The base, and what undoes a multiplication by it. */
static const uint64_t ASSAY_ROLLING_BASE = UINT64_C(0x9e3779b97f4a7c15);
static const uint64_t ASSAY_ROLLING_INVERSE = UINT64_C(0xf1de83e19937733d);

/* A power of the base: the weight of a number in the hash, with so many after it. */
static inline uint64_t assay_rolling_weight(uint64_t length)
{
    uint64_t weight = 1;
    for (uint64_t square = ASSAY_ROLLING_BASE; length > 0; length >>= 1) {
        weight *= (length & 1) != 0 ? square : 1;
        square *= square;
    }
    return weight;
}

#endif
