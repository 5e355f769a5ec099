/* What the text of an A32 or T32 instruction, as a disassembler prints it, says about its control
 * flow. Derived from mnemonics and operands alone, without the tables under test. */
#ifndef ASSAY_ISA_TESTS_ARM_FLOW_ORACLE_H
#define ASSAY_ISA_TESTS_ARM_FLOW_ORACLE_H

#include "isa/arm_flow.h"

/* text: "mnemonic operands" with single blanks; set: ARM_A32 or ARM_T32; size: in bytes. */
struct arm_flow arm_flow_expect(const char *text, enum arm_set set, unsigned size, uint32_t pc);

#endif
