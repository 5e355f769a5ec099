/* The program, walked from an instruction to the next one that can go elsewhere. Parts of it are
 * decoded once and kept in a cache. */
#ifndef ASSAY_ETRACE_WALK_H
#define ASSAY_ETRACE_WALK_H

#include "image/image.h"
#include "image/run_cache.h"
#include "isa/rv.h"
#include "model/model.h"

/* What an instruction does to the flow of control (4.1.1), as the field `last` names it. */
enum etrace_flow {
    ETRACE_FLOW_NONE,
    ETRACE_FLOW_BRANCH,
    ETRACE_FLOW_JUMP,     /* the target is inferable */
    ETRACE_FLOW_INDIRECT, /* a jump whose target is not */
    ETRACE_FLOW_RETURN,   /* one that is a return */
    ETRACE_FLOW_XRET,     /* URET, SRET, MRET, MNRET, DRET */
    ETRACE_FLOW_TRAP      /* ECALL, EBREAK: it does not retire */
};

/* An instruction. */
struct etrace_instruction {
    uint64_t pc;
    uint64_t target; /* of a branch or an inferable jump */
    uint32_t word;
    uint8_t size; /* bytes; 0: there is none */
    uint8_t flow; /* enum etrace_flow */
    bool call;    /* it pushes a return address */
    bool swap;    /* a jump: a co-routine swap */
    bool links;   /* a jump: its rd is not x0 */
    bool valid;   /* the word is an instruction */
};

/* The instruction that lies right before another one; size 0: none is known. */
struct etrace_preceding {
    uint32_t word;
    uint8_t size;
};

/* Consecutive instructions of which none but the last one can go elsewhere, is an ECALL or EBREAK,
 * or a word that no instruction has. They end there, where a page of ETRACE_WALK_PAGE bytes ends,
 * or before an absent one. */
struct etrace_walk {
    struct etrace_instruction last;
    struct etrace_preceding before; /* the last one, if there are two */
    uint32_t count;                 /* instructions; 0: the first one is absent */
    uint32_t bytes;                 /* of all of them */
    uint64_t met; /* conditions of rules that one of them meets (struct assay_conditions) */
};

enum { ETRACE_WALK_PAGE = 4096 };

/* How a program is read. */
struct etrace_reading {
    enum rv_isa isa;
    bool link_x5;                              /* x5 is a link register, too */
    uint64_t mask;                             /* of addresses */
    const struct assay_conditions *conditions; /* of rules, or null */
};

/* By the parameters of a stream (etrace_layout). */
struct etrace_reading etrace_reading_of(const uint64_t *layout);

/* A word of 2 or 4 bytes as an instruction. */
struct etrace_instruction etrace_classify(uint64_t pc, uint32_t word, unsigned size,
                                          const struct etrace_reading *reading);

/* The instruction at an address; its size is 0 when it is absent. */
struct etrace_instruction etrace_instruction_at(struct assay_image_cursor *cursor, uint64_t pc,
                                                const struct etrace_reading *reading);

struct etrace_walk etrace_walk(struct assay_image_cursor *cursor, uint64_t pc,
                               const struct etrace_reading *reading);

/* Sets the static fields (ASSAY_STATIC) of the event of an instruction; `cells` are
 * ETRACE_STATIC_CELLS, 0 before. */
enum { ETRACE_STATIC_CELLS = 4 };
void etrace_say_static(const struct etrace_instruction *i, const struct etrace_reading *reading,
                       bool is_last, uint64_t *cells);

/* The conditions of rules that one of so many instructions from `pc` on meets. */
uint64_t etrace_met(struct assay_image_cursor *cursor, uint64_t pc, uint32_t count,
                    const struct etrace_reading *reading);

/* The number of instructions of a walk from `pc` up to and including the one at `address`, with the
 * one before that in *before; 0: none begins there. */
uint32_t etrace_walk_to(struct assay_image_cursor *cursor, uint64_t pc, uint64_t address,
                        const struct etrace_reading *reading, struct etrace_instruction *at,
                        struct etrace_instruction *before);

/* Whether a jump, together with the instruction retired before it, has an inferable target
 * (4.1.1): that instruction is LUI, C.LUI or AUIPC, and loads the register of the jump. */
bool etrace_sequential_target(const struct etrace_instruction *before,
                              const struct etrace_instruction *jump,
                              const struct etrace_reading *reading, uint64_t *target);

#endif
