/* The decoder: a chain of stages. */
#include <stdlib.h>

#include "common/source.h"
#include "ete/ete.h"
#include "execution/execution.h"

struct assay_decoder {
    struct assay_chain chain;
};

/* Each stage reads the history of the one below. */
static enum assay_error open_stages(struct assay_chain *chain,
                                    const struct assay_decode_input *input)
{
    enum assay_error opened = ASSAY_OK;
    enum assay_error error = assay_chain_add(chain, ete_packets_open(input, &opened));
    error = error != ASSAY_OK ? error : opened;
    if (error == ASSAY_OK) {
        error = assay_chain_add(
            chain, ete_elements_open(input, ete_packets_history(chain->stages[ETE_PACKET])));
    }
    if (error == ASSAY_OK) {
        error = assay_chain_add(
            chain, ete_resolve_open(input, assay_step_history(chain->stages[ETE_ELEMENT])));
    }
    if (error == ASSAY_OK) {
        error = assay_chain_add(
            chain,
            ete_analyse_open(input, assay_step_history(chain->stages[ETE_RESOLVED_ELEMENT])));
    }
    return error;
}

static enum assay_error open_decoder(const struct assay_decode_input *input,
                                     struct assay_decoder **decoder, struct assay_diag *diag)
{
    *decoder = calloc(1, sizeof **decoder);
    if (*decoder == NULL) {
        assay_source_close(input->source);
        assay_execution_close(input->execution);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    enum assay_error error = open_stages(&(*decoder)->chain, input);
    if (error == ASSAY_OK) {
        error = ete_compare_add(&(*decoder)->chain, input, diag);
    } else {
        assay_execution_close(input->execution);
    }
    return error == ASSAY_NO_MEMORY ? assay_fail(diag, error, ASSAY_NO_OFFSET, "out of memory")
                                    : error;
}

static enum assay_error next_block(struct assay_decoder *d, struct assay_block *block,
                                   struct assay_diag *diag)
{
    return assay_chain_next(&d->chain, block, diag);
}

static bool complete(const struct assay_decoder *d, unsigned layer, const char **why)
{
    return assay_chain_complete(&d->chain, layer, why);
}

static bool expand(struct assay_decoder *d, const struct assay_event *run,
                   struct assay_expansion *expansion)
{
    switch (run->kind) {
    case ETE_elem_atoms:
        return ete_expand_elements(run, expansion);
    case ETE_resolved_atoms:
        return ete_expand_resolved(run, expansion);
    default:
        return ete_expand_run(d->chain.stages[ETE_INSTRUCTION], run, expansion);
    }
}

static void close_decoder(struct assay_decoder *d)
{
    if (d != NULL) {
        assay_chain_close(&d->chain);
        free(d);
    }
}

const struct assay_decoder_ops ete_decoder_ops = {.open = open_decoder,
                                                  .next = next_block,
                                                  .complete = complete,
                                                  .expand = expand,
                                                  .close = close_decoder};
