#include "retire.h"

#include "common/bytes.h"

#define RV_ECALL UINT32_C(0x00000073)
#define RV_SRET  UINT32_C(0x10200073)
#define RV_MRET  UINT32_C(0x30200073)

#define A64_ERET UINT32_C(0xd69f03e0)

bool retire_is_call(enum assay_execution_isa isa, uint32_t word)
{
    const unsigned operation = word & 0x1f; /* SVC 1, HVC 2, SMC 3 */
    return isa == ASSAY_EXECUTION_AARCH64
               ? (word >> 21) == 0x6a0 && operation >= 1 && operation <= 3
               : word == RV_ECALL;
}

bool retire_is_return(enum assay_execution_isa isa, uint32_t word)
{
    return isa == ASSAY_EXECUTION_AARCH64 ? word == A64_ERET : word == RV_SRET || word == RV_MRET;
}

/* A64: the top-level groups of the encoding, bits 28 to 25 (Arm ARM, C4.1). */
static enum retire_class class_of_a64(uint32_t word)
{
    const unsigned op0 = (word >> 25) & 15;
    if ((op0 & 14) == 10) {
        const bool exception = (word >> 24) == 0xd4;
        const bool system = (word >> 22) == 0x354;
        if (exception) {
            return (word & 0x00e0001f) == 1 ? RETIRE_TRANSFER : RETIRE_TRAP; /* svc alone returns */
        }
        return system ? RETIRE_PLAIN : RETIRE_TRANSFER;
    }
    if ((op0 & 5) == 4) {
        return RETIRE_MEMORY;
    }
    return op0 == 0 && (word >> 31) == 0 ? RETIRE_TRAP : RETIRE_PLAIN; /* udf */
}

/* RISC-V compressed: quadrant and funct3 (unprivileged specification, "C" instruction listings). */
static enum retire_class class_of_compressed(bool rv32, uint32_t word)
{
    const unsigned funct3 = word >> 13;
    switch (word & 3) {
    case 0:
        return word == 0 ? RETIRE_TRAP : (funct3 & 3) == 0 ? RETIRE_PLAIN : RETIRE_MEMORY;
    case 1:
        return funct3 >= 5 || (rv32 && funct3 == 1) ? RETIRE_TRANSFER : RETIRE_PLAIN;
    default:
        if (funct3 == 4) {
            const bool jump = (word & 0x7c) == 0 && (word & 0xf80) != 0; /* c.jr, c.jalr */
            return word == 0x9002 ? RETIRE_TRAP : jump ? RETIRE_TRANSFER : RETIRE_PLAIN;
        }
        return funct3 == 0 ? RETIRE_PLAIN : RETIRE_MEMORY;
    }
}

static enum retire_class class_of_riscv(uint32_t word)
{
    const unsigned funct3 = (word >> 12) & 7;
    switch (word & 0x7f) {
    case 0x63: /* branch */
    case 0x67: /* jalr */
    case 0x6f: /* jal */
        return RETIRE_TRANSFER;
    case 0x03: /* load */
    case 0x23: /* store */
        return RETIRE_MEMORY;
    case 0x07: /* floating-point loads and stores; the other widths are vectors, maybe empty */
    case 0x27:
        return funct3 >= 1 && funct3 <= 4 ? RETIRE_MEMORY : RETIRE_PLAIN;
    case 0x73: /* ecall continues after itself, or where a signal's return leads */
        return word == 0x00000073   ? RETIRE_TRANSFER
               : word == 0x00100073 ? RETIRE_TRAP
                                    : RETIRE_PLAIN;
    default: /* an sc that fails makes no access: atomics are plain */
        return RETIRE_PLAIN;
    }
}

enum retire_class retire_class_of(enum assay_execution_isa isa, uint32_t word, unsigned size)
{
    if (isa == ASSAY_EXECUTION_AARCH64) {
        return class_of_a64(word);
    }
    return size == 2 ? class_of_compressed(isa == ASSAY_EXECUTION_RISCV32, word)
                     : class_of_riscv(word);
}

/* `width` bits of the word from bit `low` on, times 2^shift, as a part of a signed offset. */
static uint64_t part(uint32_t word, unsigned low, unsigned width, unsigned shift)
{
    return ((uint64_t)(word >> low) & assay_mask(width)) << shift;
}

static uint64_t sign_extend(uint64_t value, unsigned bits)
{
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    return (value ^ sign) - sign;
}

/* The offset of a direct transfer; false for an indirect one. */
static bool offset_of_a64(uint32_t word, uint64_t *offset)
{
    if ((word & 0x7c000000) == 0x14000000) { /* b, bl */
        *offset = sign_extend(part(word, 0, 26, 2), 28);
    } else if ((word & 0xfe000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000) {
        *offset = sign_extend(part(word, 5, 19, 2), 21); /* b.cond, cbz, cbnz */
    } else if ((word & 0x7e000000) == 0x36000000) {      /* tbz, tbnz */
        *offset = sign_extend(part(word, 5, 14, 2), 16);
    } else {
        return false;
    }
    return true;
}

static bool offset_of_riscv(uint32_t word, uint64_t *offset)
{
    if ((word & 0x7f) == 0x63) { /* beq ... */
        *offset = sign_extend(part(word, 31, 1, 12) | part(word, 7, 1, 11) | part(word, 25, 6, 5) |
                                  part(word, 8, 4, 1),
                              13);
    } else if ((word & 0x7f) == 0x6f) { /* jal */
        *offset = sign_extend(part(word, 31, 1, 20) | part(word, 12, 8, 12) |
                                  part(word, 20, 1, 11) | part(word, 21, 10, 1),
                              21);
    } else {
        return false;
    }
    return true;
}

static bool offset_of_compressed(uint32_t word, uint64_t *offset)
{
    if ((word & 3) != 1) {
        return false;
    }
    if (word >> 13 >= 6) { /* c.beqz, c.bnez */
        *offset = sign_extend(part(word, 12, 1, 8) | part(word, 5, 2, 6) | part(word, 2, 1, 5) |
                                  part(word, 10, 2, 3) | part(word, 3, 2, 1),
                              9);
    } else { /* c.j, c.jal */
        *offset = sign_extend(part(word, 12, 1, 11) | part(word, 8, 1, 10) | part(word, 9, 2, 8) |
                                  part(word, 6, 1, 7) | part(word, 7, 1, 6) | part(word, 2, 1, 5) |
                                  part(word, 11, 1, 4) | part(word, 3, 3, 1),
                              12);
    }
    return true;
}

bool retire_target_of(enum assay_execution_isa isa, uint64_t address, uint32_t word, unsigned size,
                      uint64_t *target)
{
    uint64_t offset = 0;
    if (retire_class_of(isa, word, size) != RETIRE_TRANSFER) {
        return false;
    }
    const bool direct = isa == ASSAY_EXECUTION_AARCH64 ? offset_of_a64(word, &offset)
                        : size == 2                    ? offset_of_compressed(word, &offset)
                                                       : offset_of_riscv(word, &offset);
    *target = address + offset;
    return direct;
}

enum retire_fate retire_fate_of(enum assay_execution_isa isa, const struct retire_facts *facts)
{
    if (facts->next == facts->address + facts->size) {
        return RETIRE_DONE;
    }
    const bool again = facts->next == facts->address;
    if (!facts->ends_block) {
        return again ? RETIRE_RESTARTED : RETIRE_ABORTED;
    }
    if (facts->system && (retire_is_call(isa, facts->word) || retire_is_return(isa, facts->word))) {
        return RETIRE_DONE;
    }
    const enum retire_class class = retire_class_of(isa, facts->word, facts->size);
    if (class == RETIRE_TRANSFER) {
        uint64_t target = 0;
        const bool direct =
            retire_target_of(isa, facts->address, facts->word, facts->size, &target);
        return direct && facts->next != target ? RETIRE_DONE_AND_DIVERTED : RETIRE_DONE;
    }
    if (again) {
        return RETIRE_RESTARTED;
    }
    const bool aborted = class == RETIRE_TRAP || (class == RETIRE_MEMORY && facts->accesses == 0);
    return aborted ? RETIRE_ABORTED : RETIRE_DONE_AND_DIVERTED;
}
