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
        if (error != ASSAY_OK || block->count > 0 || chain->at == 0) {
            break;
        }
        chain->at--;
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
