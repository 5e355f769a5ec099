/* The decoder: a chain of four stages. It does not know what is above it. */
#include "example/example.h"
#include "execution/chain_decoder.h"
#include "model/packet_stage.h"

static struct assay_stage *open_stage(struct assay_chain *chain,
                                      const struct assay_decode_input *input, unsigned layer)
{
    switch (layer) {
    case EXAMPLE_ELEMENT:
        return example_elements_open(input, assay_packet_history(chain->stages[EXAMPLE_PACKET]));
    case EXAMPLE_RESOLVED:
        return example_resolved_open(input, assay_step_history(chain->stages[EXAMPLE_ELEMENT]));
    default:
        return example_instructions_open(input,
                                         assay_step_history(chain->stages[EXAMPLE_RESOLVED]));
    }
}

enum assay_error example_decode_stages(struct assay_chain *chain,
                                       const struct assay_decode_input *input, unsigned layers,
                                       struct assay_diag *diag)
{
    enum assay_error opened = ASSAY_OK;
    enum assay_error error = assay_chain_add(chain, example_packets_open(input, diag, &opened));
    error = error != ASSAY_OK ? error : opened;
    for (unsigned layer = EXAMPLE_ELEMENT; layer < layers && error == ASSAY_OK; layer++) {
        error = assay_chain_add(chain, open_stage(chain, input, layer));
    }
    return error;
}

bool example_decode_expand(struct assay_decoder *d, const struct assay_event *run,
                           struct assay_expansion *expansion)
{
    return example_expand(d->chain.stages[EXAMPLE_INSTRUCTION], run, expansion);
}
