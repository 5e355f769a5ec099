/* What RISC-V instructions compute: results of integer instructions from their sources, how loads
 * extend the bytes that they read, what atomics store. All functions are pure. */
#ifndef ASSAY_ISA_RV_COMPUTE_H
#define ASSAY_ISA_RV_COMPUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/rv.h"

/* Combines two values to `width` bits, 32 or 64. Both are sign-extended from there, and of the
 * result only the low `width` bits count. */
typedef uint64_t rv_operation(uint64_t a, uint64_t b, unsigned width);

enum { RV_NO_REGISTER = 32 };

/* An integer computation: rd becomes operation(first, second). */
struct rv_computation {
    rv_operation *operation;
    uint64_t immediate; /* the second value where it is not a register */
    uint32_t read;      /* the x registers that it needs, as a set without x0 */
    uint8_t rd;
    uint8_t first;       /* RV_NO_REGISTER: 0 */
    uint8_t second;      /* RV_NO_REGISTER: the immediate */
    uint8_t width;       /* 32 or 64 */
    bool unsigned_first; /* the first value is zero-extended from 32 bits: ADD.UW and its kin */
};

/* The computation of a word of RV32 or RV64, `info` being its classification: those of RV32I,
 * RV64I, M, Zicond, Zba, Zbb, Zbc and Zbs, and their compressed forms. False for all other words.
 * AUIPC and links are not here: they depend on the address of the instruction. */
bool rv_computation(uint32_t word, uint64_t info, enum rv_isa isa,
                    struct rv_computation *computation);

/* Its result, sign-extended from its width. A value that no register gives is ignored. */
uint64_t rv_compute(const struct rv_computation *computation, uint64_t first, uint64_t second);

/* Whether a load of x registers fills what is above the bytes that it reads with zeros, and not
 * with their sign. */
bool rv_load_is_unsigned(uint32_t word, uint64_t info);

/* What an AMO (class amo) of as many bytes stores, from what it loads and its rs2; only the low
 * bytes of all three count. */
uint64_t rv_amo_stores(uint32_t word, unsigned bytes, uint64_t loaded, uint64_t operand);

/* Whether what an AMO stores does not depend on what it loads. */
bool rv_amo_swaps(uint32_t word);

/* The low `width` bits of a value, 1 to 64, sign-extended. */
static inline uint64_t rv_sign_extend(uint64_t value, unsigned width)
{
    const uint64_t sign = UINT64_C(1) << (width - 1);
    return ((value & (sign | (sign - 1))) ^ sign) - sign;
}

#endif
