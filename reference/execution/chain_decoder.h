/* The decoder of a format with several layers: a chain of stages (model/stage.h), and on top of
 * all of them the comparison with a recorded execution. A format says how its stages are opened;
 * what every such decoder does alike is here.
 *
 *     static enum assay_error open_decoder(const struct assay_decode_input *input,
 *                                          struct assay_decoder **decoder, struct assay_diag *diag)
 *     {
 *         static const struct assay_chain_format format = {LAYERS, open_stages, compare_add};
 *         return assay_chain_decoder_open(&format, input, decoder, diag);
 *     }
 */
#ifndef ASSAY_EXECUTION_CHAIN_DECODER_H
#define ASSAY_EXECUTION_CHAIN_DECODER_H

#include "model/stage.h"

struct assay_decoder {
    struct assay_chain chain; /* stage n is that of layer n */
};

struct assay_chain_format {
    unsigned layers; /* that there are */
    /* Adds the stages of the first `layers` layers, of which the first one owns the source from
     * then on, also if it fails. */
    enum assay_error (*open_stages)(struct assay_chain *chain,
                                    const struct assay_decode_input *input, unsigned layers,
                                    struct assay_diag *diag);
    /* Adds the comparison, if the input has an execution, which it owns from then on. Only called
     * when all layers are open. Null: there is nothing to compare. */
    enum assay_error (*compare_add)(struct assay_chain *chain,
                                    const struct assay_decode_input *input,
                                    struct assay_diag *diag);
};

/* Of struct assay_decoder_ops: open, by the format; next, complete and close. */
enum assay_error assay_chain_decoder_open(const struct assay_chain_format *format,
                                          const struct assay_decode_input *input,
                                          struct assay_decoder **decoder, struct assay_diag *diag);
enum assay_error assay_chain_decoder_next(struct assay_decoder *decoder, struct assay_block *block,
                                          struct assay_diag *diag);
bool assay_chain_decoder_complete(const struct assay_decoder *decoder, unsigned layer,
                                  const char **why);
void assay_chain_decoder_close(struct assay_decoder *decoder);

#endif
