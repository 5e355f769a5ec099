/* Pure functions that ASTF rules may call. Inline, so that emitted checks can be vectorised; total:
 * every argument has a result. */
#ifndef ASSAY_ASTF_FUNCTIONS_H
#define ASSAY_ASTF_FUNCTIONS_H

#include "common/bytes.h"

/* X(name, arity, gives a flag, meaning) */
#define ASTF_FUNCTIONS(X)                                                                          \
    X(upper_bits_equal, 2, true,                                                                   \
      "upper_bits_equal(address, n): bits 63 to n of the address are all 0 or all 1")              \
    X(sanitized, 3, true,                                                                          \
      "sanitized(address, t0sz, t1sz): in a regime with two ranges, the bits above the input "     \
      "address size all repeat bit 55 (4.3)")

static inline uint64_t astf_upper_bits_equal(uint64_t address, uint64_t n)
{
    const uint64_t ones = UINT64_MAX << (n & 63);
    const uint64_t upper = address & ones;
    return (uint64_t)(upper == 0) | (uint64_t)(upper == ones);
}

static inline uint64_t astf_sanitized(uint64_t address, uint64_t t0sz, uint64_t t1sz)
{
    const uint64_t high = (address >> 55) & 1;
    const uint64_t size = high != 0 ? t1sz : t0sz;
    /* A size of 0 leaves no bit above the address; two shifts keep each below 64. */
    const uint64_t ones = UINT64_MAX << (63 - (size & 63)) << 1;
    return (uint64_t)((address & ones) == (ones & (0 - high)));
}

static inline uint64_t astf_call_upper_bits_equal(uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    return astf_upper_bits_equal(a, b);
}

static inline uint64_t astf_call_sanitized(uint64_t a, uint64_t b, uint64_t c)
{
    return astf_sanitized(a, b, c);
}

#endif
