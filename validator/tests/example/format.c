/* The decoder as rules need it: with the facts above it, and the comparison with a recorded
 * execution. */
#include "example/example.h"
#include "execution/chain_decoder.h"

/* Both annotate the instructions; the comparison is the last. */
static enum assay_error add_facts(struct assay_chain *chain, const struct assay_decode_input *input,
                                  struct assay_diag *diag)
{
    struct assay_history *instructions = assay_step_history(chain->stages[EXAMPLE_INSTRUCTION]);
    const enum assay_error error = assay_chain_add(chain, example_facts_open(instructions));
    return error != ASSAY_OK ? error : example_compare_add(chain, input, diag);
}

static enum assay_error open_decoder(const struct assay_decode_input *input,
                                     struct assay_decoder **decoder, struct assay_diag *diag)
{
    static const struct assay_chain_format format = {EXAMPLE_INSTRUCTION + 1, example_decode_stages,
                                                     add_facts};
    return assay_chain_decoder_open(&format, input, decoder, diag);
}

const struct assay_decoder_ops example_decoder_ops = {.open = open_decoder,
                                                      .next = assay_chain_decoder_next,
                                                      .complete = assay_chain_decoder_complete,
                                                      .expand = example_decode_expand,
                                                      .close = assay_chain_decoder_close};
