/* Instruction words as assembly text, for people. The text is LLVM's: its library is looked for
 * when the program runs, so that nothing is needed at build time, and what does not disassemble
 * starts as fast as ever. Where it is absent there is no text. No verdict depends on it. */
#ifndef ASSAY_ISA_DISASSEMBLE_H
#define ASSAY_ISA_DISASSEMBLE_H

#include "common/model.h"

struct assay_disassembler;

/* Null when memory is out or there is no library; all functions take that. Of one thread. */
struct assay_disassembler *assay_disassembler_open(void);

/* Writes the text of an instruction, "ld a0, 8(sp)". False, with an empty text, where there is
 * none: a word that the library does not know, or no library. */
bool assay_disassemble(struct assay_disassembler *disassembler,
                       const struct assay_instruction *instruction, char *out, size_t size);

void assay_disassembler_close(struct assay_disassembler *disassembler);

#endif
