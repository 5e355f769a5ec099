/* The values of x registers, as far as they follow from a recording: what loads read into them, and
 * addresses that were accessed through them. */
#ifndef ASSAY_GENERATORS_STF_REGISTERS_H
#define ASSAY_GENERATORS_STF_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "execution/execution.h"
#include "isa/rv.h"

struct stf_registers {
    uint64_t value[32];
    uint32_t known; /* bit n: x<n> is */
};

/* Nothing is known but x0. */
void stf_registers_forget(struct stf_registers *registers);

/* An instruction that retired, with its first access; null: it made none. */
void stf_registers_note(struct stf_registers *registers, enum rv_isa isa, uint32_t word,
                        uint64_t info, const struct assay_access *first);

/* Where a load, store or atomic accesses memory, if its base is known. */
bool stf_registers_address(const struct stf_registers *registers, enum rv_isa isa, uint32_t word,
                           uint64_t info, uint64_t *address);

#endif
