/* The program, walked from a P0 instruction to the next one (K10.5.5.4). Parts of it are decoded
 * once and kept in a cache. */
#ifndef ASSAY_ETE_WALK_H
#define ASSAY_ETE_WALK_H

#include "image/image.h"
#include "image/run_cache.h"
#include "isa/arm_flow.h"

/* Types of P0 instructions, as the field `last` names them. */
enum ete_p0 { ETE_P0_NONE, ETE_P0_DIRECT, ETE_P0_INDIRECT, ETE_P0_ISB, ETE_P0_WFX, ETE_P0_TSTART };

/* Consecutive instructions, of which none but the last one can be a P0 instruction. They end at a
 * P0 instruction, where a page of ETE_WALK_PAGE bytes ends, or before an absent one. */
struct ete_walk {
    uint64_t target;    /* of a direct branch at the end */
    uint32_t count;     /* instructions; 0: the first one is absent */
    uint32_t bytes;     /* of all of them */
    uint32_t last_word; /* the last one; T32 of 4 bytes: its first half is high */
    uint8_t last_size;  /* bytes of it */
    uint8_t p0;         /* enum ete_p0, of it */
    uint8_t target_set; /* enum arm_set, of the target */
    bool conditional;   /* the last one may do nothing; also where an IT before the walk decides */
    bool link;          /* the last one is a Branch with Link */
    bool wfx;         /* it has a WFI or WFE, which TRCIDR2.WFXMODE makes a P0 instruction or not */
    bool undefined;   /* it has a permanently undefined instruction, not conditional */
    bool unallocated; /* it has a word that no instruction has */
    bool call;        /* an SVC, HVC or SMC before its last instruction, not conditional */
    bool last_call;   /* its last instruction is one of these */
};

enum { ETE_WALK_PAGE = 4096 };

/* The instructions of [pc, until), at most `most`; `wfx_p0` is TRCIDR2.WFXMODE. */
struct ete_walk ete_walk(struct assay_image_cursor *cursor, uint64_t pc, enum arm_set set,
                         bool wfx_p0, uint64_t until, uint32_t most);

/* Reads an instruction, as `last_word` has it. Returns its size in bytes; 0: it is absent. */
unsigned ete_read_instruction(struct assay_image_cursor *cursor, uint64_t pc, enum arm_set set,
                              uint32_t *word);

#endif
