/* Stages: how a decoder of several layers is built. Each stage produces the events of one layer;
 * the first one reads the bytes of the input, every other one the blocks of the stage below it.
 *
 *     bytes --> packets --> elements --> resolved elements --> instructions
 *
 * A chain drives them: a block goes to the judge first, then up the chain, and a stage is asked for
 * its next block only when everything above it has consumed the last one. So every stage holds one
 * block, besides its own state. When the first stage has ended, the others are ended from the
 * bottom up: each outputs the events that it still holds before the one above it learns of the end.
 */
#ifndef ASSAY_COMMON_STAGE_H
#define ASSAY_COMMON_STAGE_H

#include "model/model.h"

struct assay_stage;

struct assay_stage_ops {
    /* Takes a block of the stage below, which stays valid until this stage has reported that it has
     * consumed it. An empty block, once, marks the end: nothing more comes from below, and the
     * stage outputs the events that it still holds. Null for the first stage. */
    enum assay_error (*take)(struct assay_stage *stage, const struct assay_block *below,
                             struct assay_diag *diag);
    /* The next block of the stage, valid until the next one is requested; its count is 0 when the
     * block that was taken is consumed (the first stage: when the input has ended). Errors are
     * those of the system. */
    enum assay_error (*next)(struct assay_stage *stage, struct assay_block *block,
                             struct assay_diag *diag);
    /* Whether everything that the stage took could be decoded; if not, *why is the reason in a few
     * words ("no program image at 0x80000000"), valid as long as the stage. Called after the end.
     * Null, of a stage that annotates: it always could. */
    bool (*complete)(const struct assay_stage *stage, const char **why);
    /* Frees the stage. */
    void (*close)(struct assay_stage *stage);
    /* The stage annotates the events of the stage below and passes them on; nothing else sees them
     * before, but for other stages that annotate, which can follow one another. It may hold events
     * back: once it has copied them, the block is consumed. It has no layer of its own. */
    bool annotates;
};

/* The common part of all stages: a stage is a struct that has this as its first member. */
struct assay_stage {
    const struct assay_stage_ops *ops;
};

enum { ASSAY_MAX_STAGES = 8 };

struct assay_chain {
    struct assay_stage *stages[ASSAY_MAX_STAGES];
    size_t count;
    size_t at;                /* the stage that produced the last block */
    struct assay_block given; /* the last block; empty at the beginning */
    size_t ended;             /* number of stages, from the first one on, that have ended */
};

/* Adds a stage on top. The chain owns it, even if there is no room for it (ASSAY_LIMIT). A null
 * stage is one that could not be allocated: ASSAY_NO_MEMORY. */
enum assay_error assay_chain_add(struct assay_chain *chain, struct assay_stage *stage);

/* The next block of any layer, as assay_decoder_ops.next; its count is 0 when all stages have
 * ended. */
enum assay_error assay_chain_next(struct assay_chain *chain, struct assay_block *block,
                                  struct assay_diag *diag);

/* assay_decoder_ops.complete: the stages that do not annotate give the layers, from 0 on. */
bool assay_chain_complete(const struct assay_chain *chain, unsigned layer, const char **why);

/* Closes all stages, from the top down. */
void assay_chain_close(struct assay_chain *chain);

#endif
