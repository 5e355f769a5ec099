/* The assemblers and disassemblers of RISC-V that the tests know. */
#ifndef ASSAY_ISA_TESTS_RV_TOOLS_H
#define ASSAY_ISA_TESTS_RV_TOOLS_H

#include "isa/rv.h"
#include "isa/tests/tools.h"

struct rv_tool {
    struct isa_tool tool;
    char letter; /* in the templates */
    enum rv_isa isa;
    const char *word_directive; /* gives a word of 4 bytes as an instruction */
    const char *half_directive; /* and one of 2 bytes */
};

extern const struct rv_tool rv_tools[];
extern const unsigned rv_tool_count;

#endif
