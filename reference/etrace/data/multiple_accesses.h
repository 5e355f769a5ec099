/* Instructions that make several accesses (Zcmp). From version 2.0 on an interface with data
 * accesses reports them once for each, at the same address (4.3). */
#ifndef ASSAY_ETRACE_MULTIPLE_ACCESSES_H
#define ASSAY_ETRACE_MULTIPLE_ACCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "etrace/data/accesses.h"
#include "isa/rv.h"

enum { ETRACE_MULTIPLE_MOST = 13 }; /* ra, and s0 to s11 */

/* Accesses of CM.PUSH, CM.POP, CM.POPRET and CM.POPRETZ: one for each register, of *bytes; 0:
 * another instruction. */
uint32_t etrace_multiple(uint32_t word, enum rv_isa isa, uint32_t *bytes);

/* Another instruction that makes a number of accesses that its word does not say. */
bool etrace_multiple_unknown(uint32_t word, enum rv_isa isa);

/* The reports of an instruction of several accesses, up to some point. */
struct etrace_reports {
    uint64_t address; /* of the instruction */
    uint32_t word;
    uint32_t due;  /* accesses that it makes; 0: that is not known */
    uint32_t made; /* that the reports stand for, one each at least; 0: there are no reports */
    bool partial;  /* there can have been others before them */
};

/* The accesses of one execution of such an instruction, of any order. An implementation may make
 * one of several registers that are beside each other. */
struct etrace_multiple {
    uint64_t low;   /* `known`: the lowest address */
    uint32_t bytes; /* of a register */
    uint32_t due;   /* registers */
    bool known;
    uint32_t count; /* of those that were made */
    struct {
        uint64_t address;
        uint64_t bytes;
    } made[ETRACE_MULTIPLE_MOST];
};

/* None was made yet. The registers are those before the instruction, which is such a one. */
struct etrace_multiple etrace_multiple_of(uint32_t word, enum rv_isa isa,
                                          const struct etrace_registers *registers);

/* Adds an access of so many bytes, at least one. *due is its address if it can be one of the
 * instruction beside those before it, and otherwise that of the next one from above; false: none
 * can be told. Addresses have the bits of the mask. */
bool etrace_multiple_make(struct etrace_multiple *multiple, uint64_t address, uint64_t bytes,
                          uint64_t mask, uint64_t *due);

#endif
