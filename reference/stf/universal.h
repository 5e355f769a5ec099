/* Words that every hart of RISC-V executes. */
#ifndef ASSAY_STF_UNIVERSAL_H
#define ASSAY_STF_UNIVERSAL_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a field that may have an opcode alone has a whole word of an integer instruction, branch,
 * jump, load or store of RV32E ("RV32E and RV64E Base Integer Instruction Sets"). It is in all
 * bases, and raises no illegal-instruction exception in any mode. NOP, FENCE and SYSTEM are not
 * counted. */
bool stf_word_universal(uint64_t field);

#endif
