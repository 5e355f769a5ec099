/* Instruction words as human-readable assembly text. The text is LLVM's, whose library is loaded at
 * run time if present: it is not needed at build time, and commands that do not disassemble do not
 * load it. Without it there is no text, nor where memory is short: the library would end the
 * program. No verdict depends on it. */
#ifndef ASSAY_ISA_DISASSEMBLE_H
#define ASSAY_ISA_DISASSEMBLE_H

#include "model/model.h"

struct assay_disassembler;

/* Opens a disassembler; null when out of memory, which all functions accept. Without the library it
 * gives no text. For use by one thread. */
struct assay_disassembler *assay_disassembler_open(void);

/* Writes the text of an instruction, "ld a0, 8(sp)". False, with an empty text, where there is
 * none: a word that the library does not know, or no library. */
bool assay_disassemble(struct assay_disassembler *disassembler,
                       const struct assay_instruction *instruction, char *out, size_t size);

void assay_disassembler_close(struct assay_disassembler *disassembler);

#endif
