/* The assemblers and disassemblers of A64 that the tests know. */
#ifndef ASSAY_ISA_TESTS_A64_TOOLS_H
#define ASSAY_ISA_TESTS_A64_TOOLS_H

#include "isa/tests/tools.h"

extern const struct isa_tool a64_tools[];
extern const unsigned a64_tool_count;

#endif
