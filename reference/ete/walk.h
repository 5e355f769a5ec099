/* The program, walked from a P0 instruction to the next one (K10.5.5.4). Parts of it are decoded
 * once and kept in a cache. */
#ifndef ASSAY_ETE_WALK_H
#define ASSAY_ETE_WALK_H

#include "ete/instruction.h"
#include "image/run_cache.h"
#include "model/model.h"

/* Types of P0 instructions, as the field `last` names them. */
enum ete_p0 { ETE_P0_NONE, ETE_P0_DIRECT, ETE_P0_INDIRECT, ETE_P0_ISB, ETE_P0_WFX, ETE_P0_TSTART };

/* Whether an instruction is an SVC, HVC or SMC, as the field `last_call` names it. */
enum ete_call { ETE_CALL_NONE, ETE_CALL_CONDITIONAL, ETE_CALL_ALWAYS, ETE_CALL_SEMIHOSTING };

/* Which of them it is, as the field `after_call` names it. */
enum ete_call_kind { ETE_NO_CALL, ETE_SVC, ETE_HVC, ETE_SMC };

/* Consecutive instructions, of which none but the last one can be a P0 instruction. They end at a
 * P0 instruction, where a page of ETE_WALK_PAGE bytes ends, or before an absent one. */
struct ete_walk {
    uint64_t target;    /* of a direct branch at the end */
    uint64_t facts;     /* what the analysis makes of the rest; 0 at first */
    uint64_t last;      /* and of the last instruction; likewise */
    uint64_t met;       /* conditions of rules that one of them meets (struct assay_conditions) */
    uint32_t count;     /* instructions; 0: the first one is absent */
    uint32_t bytes;     /* of all of them */
    uint32_t written;   /* A64: registers X0 to X30 that one of them may write, by bits */
    uint32_t last_word; /* the last one; T32 of 4 bytes: its first half is high */
    uint8_t last_size;  /* bytes of the last one */
    uint8_t p0;         /* enum ete_p0, of it */
    uint8_t target_set; /* enum arm_set, of the target */
    uint8_t covered;    /* T32: instructions after it that an IT can cover, at the most */
    uint8_t last_call;  /* enum ete_call, of the last one */
    uint8_t call_kind;  /* enum ete_call_kind, likewise */
    uint8_t form;       /* enum arm_form, likewise */
    bool conditional;   /* the last one may do nothing; also where an IT before the walk decides */
    bool link;          /* the last one is a Branch with Link */
    bool wfx; /* it has a WFI or WFE, which TRCIDR2.WFXMODE makes a P0 instruction or not */
    bool is_return : 1;   /* the last one is an exception return */
    bool tcommit : 1;     /* TCOMMIT */
    bool keeps_flags : 1; /* all of it is A64 that cannot change the condition flags */
    uint8_t noted;        /* of its instructions by ete_note, by bits; 0 of the decoder's walks */
};

_Static_assert(sizeof(struct ete_walk) <= 64, "a walk in the cache of walks takes a cache line");

enum { ETE_WALK_PAGE = 4096, ETE_IT_MOST = 4 /* instructions that an IT covers */ };

/* Whether the last instruction of a walk can be taken, and whether it can be passed. Of a branch
 * that compares the zero register, a register with itself, or whether one is lower than 0 without
 * sign, the word says which. */
static inline bool ete_can_be_taken(const struct ete_walk *walk)
{
    return walk->form != ARM_FORM_ZERO_NOT_TAKEN && walk->form != ARM_FORM_ITSELF_NOT_TAKEN;
}

static inline bool ete_can_be_passed(const struct ete_walk *walk)
{
    return walk->conditional && walk->form != ARM_FORM_ZERO_TAKEN &&
           walk->form != ARM_FORM_ITSELF_TAKEN;
}

/* Whether it is a branch that can be either. */
static inline bool ete_is_open(const struct ete_walk *walk)
{
    return (walk->p0 == ETE_P0_DIRECT || walk->p0 == ETE_P0_INDIRECT) && ete_can_be_taken(walk) &&
           ete_can_be_passed(walk);
}

/* What a stage above the decoder notes of an instruction that comes after others of its walk, or
 * is the first one; by bits of its own. */
typedef uint8_t ete_note(const struct ete_walk *before, const struct ete_decoded *instruction);

/* Where a walk begins. */
struct ete_walk_from {
    uint64_t pc;
    enum arm_set set;
    uint8_t covered; /* T32: instructions that an IT before it can cover, at the most */
    bool wfx_p0;     /* TRCIDR2.WFXMODE */
    const struct assay_conditions *conditions; /* of rules, or null */
    ete_note *note;                            /* or null */
};

/* The instructions up to before `until`, at most `most`. */
struct ete_walk ete_walk(struct assay_image_cursor *cursor, const struct ete_walk_from *from,
                         uint64_t until, uint32_t most);

#endif
