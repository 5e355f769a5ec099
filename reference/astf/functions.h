/* Pure functions that ASTF rules may call: inline, so that emitted checks can be vectorised, and
 * defined for all arguments. */
#ifndef ASSAY_ASTF_FUNCTIONS_H
#define ASSAY_ASTF_FUNCTIONS_H

#include "common/bytes.h"
#include "isa/a64.h"

/* X(name, arity, gives a flag, meaning) */
#define ASTF_FUNCTIONS(X)                                                                          \
    X(upper_bits_equal, 2, true,                                                                   \
      "upper_bits_equal(address, n): bits 63 to n of the address are all 0 or all 1")              \
    X(sanitized, 3, true,                                                                          \
      "sanitized(address, t0sz, t1sz): in a regime with two ranges, the bits above the input "     \
      "address size all repeat bit 55 (4.3)")                                                      \
    X(truncated, 3, true,                                                                          \
      "truncated(ea, address, pc): ea is the address of a target, or what sanitizing leaves of "   \
      "it, "                                                                                       \
      "where execution is at pc (4.3)")                                                            \
    X(can_cause, 2, true,                                                                          \
      "can_cause(iword, ec): an exception of the class ec can be caused by the instruction")

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

/* A range has 2^n bytes, 16 <= n <= 56. Where ea is not the address itself, n is at most the number
 * of the lowest bit in which they differ, and the larger it is the fewer bits it puts to the test.
 * In a regime with one range the bits from n on are 0; with two they repeat bit 55, and the other
 * range may have another size. */
static inline uint64_t astf_truncated(uint64_t ea, uint64_t address, uint64_t pc)
{
    const uint64_t differ = ea ^ address;
    const uint64_t lowest = differ & (0 - differ);
    const uint64_t above = (0 - lowest) | UINT64_MAX << 56;
    const uint64_t copies = 0 - ((address >> 55) & 1); /* of bit 55 */
    const uint64_t in_other = ((pc ^ address) >> 55) & 1;
    const uint64_t in_range = in_other | (uint64_t)(((pc ^ copies) & above) == 0);
    const uint64_t of_one = (uint64_t)(((ea | pc) & above) == 0);
    const uint64_t of_two = (uint64_t)(((ea ^ copies) & above) == 0) & in_range;
    return (uint64_t)(differ == 0) | ((uint64_t)(lowest >> 16 != 0) & (of_one | of_two));
}

static inline uint64_t astf_can_cause(uint64_t iword, uint64_t ec)
{
    return a64_can_cause((uint32_t)iword, (unsigned)ec);
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

static inline uint64_t astf_call_truncated(uint64_t a, uint64_t b, uint64_t c)
{
    return astf_truncated(a, b, c);
}

static inline uint64_t astf_call_can_cause(uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    return astf_can_cause(a, b);
}

#endif
