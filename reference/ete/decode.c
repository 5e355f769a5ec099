/* The decoder: packets, elements, those that are resolved, and what was executed. */
#include "ete/ete.h"
#include "execution/chain_decoder.h"
#include "model/facts.h"

static struct assay_stage *open_stage(struct assay_chain *chain,
                                      const struct assay_decode_input *input, unsigned layer)
{
    switch (layer) {
    case ETE_ELEMENT:
        return ete_elements_open(input, ete_packets_history(chain->stages[ETE_PACKET]));
    case ETE_RESOLVED_ELEMENT:
        return ete_resolve_open(input, assay_step_history(chain->stages[ETE_ELEMENT]));
    default:
        return ete_analyse_open(input, assay_step_history(chain->stages[ETE_RESOLVED_ELEMENT]));
    }
}

/* Each stage reads the history of the one below. */
enum assay_error ete_decode_stages(struct assay_chain *chain,
                                   const struct assay_decode_input *input, unsigned layers,
                                   struct assay_diag *diag)
{
    enum assay_error opened = ASSAY_OK;
    enum assay_error error = assay_chain_add(chain, ete_packets_open(input, layers, &opened));
    (void)diag;
    error = error != ASSAY_OK ? error : opened;
    for (unsigned layer = ETE_ELEMENT; layer < layers && error == ASSAY_OK; layer++) {
        error = assay_chain_add(chain, open_stage(chain, input, layer));
    }
    return error;
}

/* FEAT_RME is of the PE, so that a platform fact can say it as well as the configuration. */
enum assay_error ete_decode_fact(const struct assay_decode_input *input, struct assay_diag *diag)
{
    const struct assay_facts *facts = input->facts;
    struct assay_parameter_values *values = input->parameters;
    if (facts == NULL || values == NULL || !facts->known[ASSAY_FACT_FEAT_RME]) {
        return ASSAY_OK;
    }
    const uint64_t value = facts->value[ASSAY_FACT_FEAT_RME];
    if (values->known[ETE_FEAT_RME] && values->value[ETE_FEAT_RME] != value) {
        return assay_parameter_fail(values, ETE_FEAT_RME, diag, ASSAY_CONTRADICTION,
                                    "FEAT_RME is another one than that of the platform facts");
    }
    assay_parameter_default(values, ETE_FEAT_RME, value);
    return ASSAY_OK;
}

static enum assay_error open_decoder(const struct assay_decode_input *input,
                                     struct assay_decoder **decoder, struct assay_diag *diag)
{
    static const struct assay_chain_format format = {ETE_LAYER_COUNT, ete_decode_stages, NULL};
    const enum assay_error opened = assay_chain_decoder_open(&format, input, decoder, diag);
    return opened == ASSAY_OK ? ete_decode_fact(input, diag) : opened;
}

bool ete_decode_expand(struct assay_decoder *d, const struct assay_event *run,
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

const struct assay_decoder_ops ete_decode_ops = {.open = open_decoder,
                                                 .next = assay_chain_decoder_next,
                                                 .complete = assay_chain_decoder_complete,
                                                 .expand = ete_decode_expand,
                                                 .close = assay_chain_decoder_close};
