/* The decoder as rules need it: with the facts above it, and what it is compared with. */
#include "ete/facts/facts.h"

static enum assay_error open_decoder(const struct assay_decode_input *input,
                                     struct assay_decoder **decoder, struct assay_diag *diag)
{
    static const struct assay_chain_format format = {ETE_LAYER_COUNT, ete_decode_stages,
                                                     ete_facts_add};
    const enum assay_error opened = assay_chain_decoder_open(&format, input, decoder, diag);
    return opened == ASSAY_OK ? ete_decode_fact(input, diag) : opened;
}

const struct assay_decoder_ops ete_decoder_ops = {.open = open_decoder,
                                                  .next = assay_chain_decoder_next,
                                                  .complete = assay_chain_decoder_complete,
                                                  .expand = ete_decode_expand,
                                                  .close = assay_chain_decoder_close};
