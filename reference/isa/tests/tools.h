/* Independent assemblers and disassemblers, run as programs. */
#ifndef ASSAY_ISA_TESTS_TOOLS_H
#define ASSAY_ISA_TESTS_TOOLS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct isa_tool {
    const char *name;        /* as in the list of differences */
    const char *assemble;    /* command, before the name of the source; gets -o OBJECT */
    const char *disassemble; /* command, before the name of the object */
    bool spaced_bytes;       /* the disassembler prints bytes, not words */
};

/* Whether both programs of the tool run here. */
bool isa_tool_present(const struct isa_tool *tool);

/* One line of disassembly. */
struct isa_line {
    uint64_t address;
    uint32_t word;
    unsigned length; /* of the instruction, in bytes; 0 when they are more than 4 */
    char text[160];  /* mnemonic and operands, without comment and symbol */
};

/* Assembles the source `path`, which must end in ".s", and calls `each` for every instruction of
 * the result. False when the assembler refused it. */
bool isa_tool_run(const struct isa_tool *tool, const char *path,
                  void (*each)(const struct isa_line *line, void *context), void *context);

#endif
