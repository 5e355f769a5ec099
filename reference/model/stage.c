#include "model/stage.h"

enum assay_error assay_chain_add(struct assay_chain *chain, struct assay_stage *stage)
{
    if (stage == NULL) {
        return ASSAY_NO_MEMORY;
    }
    if (chain->count == ASSAY_MAX_STAGES) {
        stage->ops->close(stage);
        return ASSAY_LIMIT;
    }
    chain->stages[chain->count++] = stage;
    return ASSAY_OK;
}

/* The last stage, if it annotates; or null. */
static struct assay_stage *annotating(const struct assay_chain *chain)
{
    struct assay_stage *last = chain->stages[chain->count - 1];
    return last->ops->annotates ? last : NULL;
}

/* Whether the blocks of the stage that was asked are for the one that annotates. */
static bool is_annotated(const struct assay_chain *chain)
{
    return chain->at + 2 == chain->count && annotating(chain) != NULL;
}

/* Goes up to the next stage, with a block of the one below it. */
static enum assay_error go_up(struct assay_chain *chain, const struct assay_block *block,
                              struct assay_diag *diag)
{
    struct assay_stage *stage = chain->stages[++chain->at];
    return stage->ops->take(stage, block, diag);
}

/* Where to go on when the stage that was asked has nothing to give: the one below it, or, when that
 * has given all, the next one up, which learns of it. *done: all stages have given all. */
static enum assay_error turn_back(struct assay_chain *chain, bool *done, struct assay_diag *diag)
{
    if (chain->at > chain->ended) {
        chain->at--;
        return ASSAY_OK;
    }
    *done = chain->at + 1 == chain->count;
    if (*done) {
        return ASSAY_OK;
    }
    chain->ended++;
    return go_up(chain, &(struct assay_block){0}, diag);
}

enum assay_error assay_chain_next(struct assay_chain *chain, struct assay_block *block,
                                  struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    bool done = false;
    if (chain->given.count > 0 && chain->at + 1 < chain->count) {
        error = go_up(chain, &chain->given, diag);
    }
    *block = (struct assay_block){0};
    while (error == ASSAY_OK && !done) {
        struct assay_stage *stage = chain->stages[chain->at];
        error = stage->ops->next(stage, block, diag);
        if (error != ASSAY_OK || (block->count > 0 && !is_annotated(chain))) {
            break;
        }
        error = block->count > 0 ? go_up(chain, block, diag) : turn_back(chain, &done, diag);
    }
    chain->given = *block;
    return error;
}

bool assay_chain_complete(const struct assay_chain *chain, unsigned layer, const char **why)
{
    *why = NULL;
    return layer >= chain->count || chain->stages[layer]->ops->annotates ||
           chain->stages[layer]->ops->complete(chain->stages[layer], why);
}

void assay_chain_close(struct assay_chain *chain)
{
    while (chain->count > 0) {
        struct assay_stage *stage = chain->stages[--chain->count];
        stage->ops->close(stage);
    }
}
