/* One instruction of the program: read, and what of it is the same whenever it is executed there.
 */
#ifndef ASSAY_ETE_INSTRUCTION_H
#define ASSAY_ETE_INSTRUCTION_H

#include "image/image.h"
#include "isa/arm_flow.h"

/* Where an instruction is. */
struct ete_place {
    uint64_t pc;
    enum arm_set set;
    uint8_t covered; /* T32: instructions from it on that an IT before it can cover, at the most */
};

struct ete_decoded {
    struct arm_flow flow; /* conditional where its word or an IT says so */
    uint64_t pc;
    uint32_t word;         /* T32 of 4 bytes: its first half is high */
    uint32_t written;      /* A64: registers X0 to X30 that it may write, by bits */
    uint8_t size;          /* in bytes; 0: it is absent, and nothing else is said */
    uint8_t set;           /* enum arm_set */
    uint8_t covered_after; /* instructions after it that an IT can cover */
    uint8_t a64_class;     /* enum a64_class; A64_OTHER in A32 and T32 */
    uint8_t lowest_el;     /* Exception level below which it is not executed; 0: none */
    bool undefined : 1;    /* at every Exception level, not conditional */
    bool unallocated : 1;  /* a word of A64 that no instruction has */
    bool semihosting : 1;  /* an SVC by which programs in AArch32 state call a debugger */
    bool keeps_flags : 1;  /* A64 that cannot change the condition flags */
};

/* Reads an instruction. Returns its size in bytes; 0: it is absent. */
unsigned ete_read_instruction(struct assay_image_cursor *cursor, uint64_t pc, enum arm_set set,
                              uint32_t *word);

/* What an instruction does to the flow of execution: `word` of `size` bytes, as above, at `pc`. */
struct arm_flow ete_flow_of(uint32_t word, unsigned size, uint64_t pc, enum arm_set set);

/* Reads and classifies one. */
struct ete_decoded ete_decode_instruction(struct assay_image_cursor *cursor,
                                          const struct ete_place *place);

/* Sets the static fields (ASSAY_STATIC) of its event but for those of its run, is_last and
 * after_tcommit, which the second sets; `cells` are ETE_STATIC_CELLS, 0 before. */
enum { ETE_STATIC_CELLS = 4 };
void ete_say_static(const struct ete_decoded *instruction, uint64_t *cells);
void ete_say_in_run(bool is_last, bool after_tcommit, uint64_t *cells);

#endif
