#include "execution/chain_decoder.h"

#include <stdlib.h>

#include "execution/execution.h"
#include "io/source.h"

enum assay_error assay_chain_decoder_open(const struct assay_chain_format *format,
                                          const struct assay_decode_input *input,
                                          struct assay_decoder **decoder, struct assay_diag *diag)
{
    const unsigned layers =
        input->layers > 0 && input->layers < format->layers ? input->layers : format->layers;
    *decoder = calloc(1, sizeof **decoder);
    if (*decoder == NULL) {
        assay_source_close(input->source);
        assay_execution_close(input->execution);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    /* The stage that compares changes events of the layer below after it has taken them. */
    struct assay_decode_input each = *input;
    each.lead = input->execution != NULL ? NULL : input->lead;
    enum assay_error error = format->open_stages(&(*decoder)->chain, &each, layers, diag);
    if (error == ASSAY_OK && layers == format->layers && format->compare_add != NULL) {
        error = format->compare_add(&(*decoder)->chain, input, diag);
    } else {
        assay_execution_close(input->execution);
    }
    return error == ASSAY_NO_MEMORY ? assay_fail(diag, error, ASSAY_NO_OFFSET, "out of memory")
                                    : error;
}

enum assay_error assay_chain_decoder_next(struct assay_decoder *decoder, struct assay_block *block,
                                          struct assay_diag *diag)
{
    return assay_chain_next(&decoder->chain, block, diag);
}

bool assay_chain_decoder_complete(const struct assay_decoder *decoder, unsigned layer,
                                  const char **why)
{
    return assay_chain_complete(&decoder->chain, layer, why);
}

void assay_chain_decoder_close(struct assay_decoder *decoder)
{
    if (decoder != NULL) {
        assay_chain_close(&decoder->chain);
        free(decoder);
    }
}
