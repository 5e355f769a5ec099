/* Which register a load writes, and with what. */
#ifndef ASSAY_GENERATORS_STF_OPERANDS_H
#define ASSAY_GENERATORS_STF_OPERANDS_H

#include <stdbool.h>

#include "generators/stf/record.h"
#include "isa/rv.h"

/* The register that an instruction loads, if its value follows from what was read: `read` are
 * `size` bytes with zeros above. Known of loads of x registers, LR and AMO, and of f registers
 * where the load fills 64 bits: whether those of 32 have more above them is not in the instruction.
 */
bool stf_loaded_register(enum rv_isa isa, uint32_t word, uint64_t info, uint64_t read,
                         unsigned size, struct stf_register *out);

#endif
