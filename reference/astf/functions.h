/* Pure functions that ASTF rules may call: inline, so that emitted checks can be vectorised, and
 * defined for all arguments. */
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

/* The bits above an input address of 64 - tnsz bits; in two shifts, as each must be below 64. */
static inline uint64_t astf_above(uint64_t tnsz)
{
    return UINT64_MAX << (63 - (tnsz & 63)) << 1;
}

/* Branch-free, with masks that are invariant in a loop over addresses. */
static inline uint64_t astf_sanitized(uint64_t address, uint64_t t0sz, uint64_t t1sz)
{
    const uint64_t low = astf_above(t0sz);
    const uint64_t high = astf_above(t1sz);
    const uint64_t copies = 0 - ((address >> 55) & 1); /* of bit 55 */
    const uint64_t above = (low & ~copies) | (high & copies);
    return (uint64_t)((address & above) == (above & copies));
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
