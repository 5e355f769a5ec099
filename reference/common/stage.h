/* Stages: how a decoder of several layers is built. Each stage gives the events of one layer; the
 * first reads the bytes of the input, each other one the blocks of the stage below it.
 *
 *     bytes --> packets --> elements --> resolved elements --> instructions
 *
 * A chain drives them: a block goes to the judge first, then up the chain, and a stage is asked for
 * its next block only when everything above it has used up the last one. So every stage holds one
 * block, and what else it has to keep in mind. When the first stage has given all, the others are
 * ended from the bottom up: each gives what it still holds before the one above it learns of the
 * end.
 */
#ifndef ASSAY_COMMON_STAGE_H
#define ASSAY_COMMON_STAGE_H

#include "common/model.h"

struct assay_stage;

struct assay_stage_ops {
    /* Takes a block of the stage below. The block stays valid until this stage has said that it has
     * used it up. At last, once, an empty one: nothing more comes from below, and the stage gives
     * what it still holds. Null for the first stage. */
    enum assay_error (*take)(struct assay_stage *stage, const struct assay_block *below,
                             struct assay_diag *diag);
    /* The next block of the stage, valid until the next one; its count is 0 when all that was taken
     * is used up (the first stage: when the input has ended). Errors are those of the system. */
    enum assay_error (*next)(struct assay_stage *stage, struct assay_block *block,
                             struct assay_diag *diag);
    /* Whether all that the stage took could be decoded; if not, *why says it in a few words ("no
     * program image at 0x80000000"), valid as long as the stage. Asked after the end. */
    bool (*complete)(const struct assay_stage *stage, const char **why);
    /* Frees the stage. */
    void (*close)(struct assay_stage *stage);
    /* The stage adds to the events of the stage below and gives them on: these are seen by nobody
     * before. It may hold events back, and has used up the block when it copied them. Only the last
     * stage can be one; it is of no layer of its own. */
    bool annotates;
};

/* What every stage begins with; a stage is a struct that has this as its first member. */
struct assay_stage {
    const struct assay_stage_ops *ops;
};

enum { ASSAY_MAX_STAGES = 8 };

struct assay_chain {
    struct assay_stage *stages[ASSAY_MAX_STAGES];
    size_t count;
    size_t at;                /* the stage that gave the last block */
    struct assay_block given; /* the last block; empty at the beginning */
    size_t ended;             /* so many stages, from the first on, have given all */
};

/* Puts a stage on top; the chain owns it from now on, also when there is no room for it, which is
 * ASSAY_LIMIT. A null stage is one that could not be made: ASSAY_NO_MEMORY. */
enum assay_error assay_chain_add(struct assay_chain *chain, struct assay_stage *stage);

/* The next block of any layer, as assay_decoder_ops.next; its count is 0 when all stages have given
 * all. */
enum assay_error assay_chain_next(struct assay_chain *chain, struct assay_block *block,
                                  struct assay_diag *diag);

/* assay_decoder_ops.complete: stage n gives layer n. */
bool assay_chain_complete(const struct assay_chain *chain, unsigned layer, const char **why);

/* Closes all stages, from the top down. */
void assay_chain_close(struct assay_chain *chain);

#endif
