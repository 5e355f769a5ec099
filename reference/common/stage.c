#include "common/stage.h"

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

/* Whether a block that a stage gave is for the one that annotates: one of the stage below it, or
 * the empty one at the end of the input. */
static bool is_annotated(const struct assay_chain *chain, const struct assay_block *block)
{
    return annotating(chain) != NULL && chain->at + 1 < chain->count &&
           (block->count > 0 ? chain->at + 2 == chain->count : chain->at == 0 && !chain->ended);
}

enum assay_error assay_chain_next(struct assay_chain *chain, struct assay_block *block,
                                  struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    if (chain->given.count > 0 && chain->at + 1 < chain->count) {
        chain->at++;
        error = chain->stages[chain->at]->ops->take(chain->stages[chain->at], &chain->given, diag);
    }
    *block = (struct assay_block){0};
    while (error == ASSAY_OK) {
        struct assay_stage *stage = chain->stages[chain->at];
        error = stage->ops->next(stage, block, diag);
        if (error != ASSAY_OK) {
            break;
        }
        if (is_annotated(chain, block)) {
            chain->ended = chain->ended || block->count == 0;
            chain->at = chain->count - 1;
            error = annotating(chain)->ops->take(annotating(chain), block, diag);
        } else if (block->count > 0 || chain->at == 0) {
            break;
        } else {
            chain->at--;
        }
    }
    chain->given = *block;
    return error;
}

bool assay_chain_complete(const struct assay_chain *chain, unsigned layer, const char **why)
{
    *why = NULL;
    return layer >= chain->count || chain->stages[layer]->ops->complete(chain->stages[layer], why);
}

void assay_chain_close(struct assay_chain *chain)
{
    while (chain->count > 0) {
        struct assay_stage *stage = chain->stages[--chain->count];
        stage->ops->close(stage);
    }
}
