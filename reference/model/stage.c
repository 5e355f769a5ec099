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

/* Whether the blocks of the stage that was asked are for one above it that annotates. */
static bool is_annotated(const struct assay_chain *chain)
{
    return chain->at + 1 < chain->count && chain->stages[chain->at + 1]->ops->annotates;
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

/* The number of the stage that gives a layer; as many as there are, if none does. */
static size_t stage_of(const struct assay_chain *chain, unsigned layer)
{
    size_t n = 0;
    for (; n < chain->count; n++) {
        if (!chain->stages[n]->ops->annotates && layer-- == 0) {
            break;
        }
    }
    return n;
}

static bool is_complete(const struct assay_stage *stage, const char **why)
{
    return stage->ops->complete == NULL || stage->ops->complete(stage, why);
}

/* What annotates a layer can keep it from being complete, too. */
bool assay_chain_complete(const struct assay_chain *chain, unsigned layer, const char **why)
{
    size_t n = stage_of(chain, layer);
    bool complete = n == chain->count || is_complete(chain->stages[n], why);
    *why = complete ? NULL : *why;
    while (complete && ++n < chain->count && chain->stages[n]->ops->annotates) {
        complete = is_complete(chain->stages[n], why);
    }
    return complete;
}

void assay_chain_close(struct assay_chain *chain)
{
    while (chain->count > 0) {
        struct assay_stage *stage = chain->stages[--chain->count];
        stage->ops->close(stage);
    }
}
