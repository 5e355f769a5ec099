/* Independent assemblers and disassemblers of A64, run as programs. */
#ifndef ASSAY_ISA_TESTS_A64_TOOLS_H
#define ASSAY_ISA_TESTS_A64_TOOLS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct a64_tool {
    const char *name;        /* as in the list of differences */
    const char *assemble;    /* command, before the name of the source; gets -o OBJECT */
    const char *disassemble; /* command, before the name of the object */
    bool spaced_bytes;       /* the disassembler prints bytes, not words */
};

extern const struct a64_tool a64_tools[];
extern const unsigned a64_tool_count;

/* Whether both programs of the tool run here. */
bool a64_tool_present(const struct a64_tool *tool);

/* One line of disassembly. */
struct a64_line {
    uint64_t address;
    uint32_t word;
    char text[160]; /* mnemonic and operands, without comment and symbol */
};

/* Assembles the source `path`, which must end in ".s", and calls `each` for every instruction of
 * the result. False when the assembler refused it. */
bool a64_tool_run(const struct a64_tool *tool, const char *path,
                  void (*each)(const struct a64_line *line, void *context), void *context);

#endif
