/* The decoder: packets, and the path that they give. */
#include "etrace/etrace.h"
#include "model/step_stage.h"

enum assay_error etrace_decode_stages(struct assay_chain *chain,
                                      const struct assay_decode_input *input, unsigned layers,
                                      const struct etrace_decode_options *options,
                                      struct assay_diag *diag)
{
    enum assay_error opened = ASSAY_OK;
    enum assay_error error = assay_chain_add(chain, etrace_packets_open(input, diag, &opened));
    error = error != ASSAY_OK ? error : opened;
    if (error != ASSAY_OK || layers <= ETRACE_INSTRUCTION) {
        return error;
    }
    struct assay_history *packets = assay_packet_history(chain->stages[ETRACE_PACKET]);
    if (options->above_packets != NULL) {
        error = options->above_packets(chain, input, packets);
    }
    return error != ASSAY_OK
               ? error
               : assay_chain_add(chain, etrace_path_open(input, packets, options->each_run));
}

static enum assay_error open_stages(struct assay_chain *chain,
                                    const struct assay_decode_input *input, unsigned layers,
                                    struct assay_diag *diag)
{
    static const struct etrace_decode_options options = {.above_packets = NULL};
    return etrace_decode_stages(chain, input, layers, &options, diag);
}

static enum assay_error open_decoder(const struct assay_decode_input *input,
                                     struct assay_decoder **decoder, struct assay_diag *diag)
{
    static const struct assay_chain_format format = {ETRACE_INSTRUCTION + 1, open_stages, NULL};
    return assay_chain_decoder_open(&format, input, decoder, diag);
}

unsigned etrace_decode_profile(const struct assay_decoder *d)
{
    return etrace_packets_wire(d->chain.stages[ETRACE_PACKET]) >= ETRACE_2_0;
}

/* What the parameter wire is, a stream does not change. */
const char *etrace_decode_reason(const struct assay_decoder *d)
{
    (void)d;
    return "by the parameter wire";
}

bool etrace_decode_expand(struct assay_decoder *d, const struct assay_event *run,
                          struct assay_expansion *expansion)
{
    size_t path = ETRACE_INSTRUCTION;
    while (d->chain.stages[path]->ops->annotates) {
        path++;
    }
    return etrace_expand_run(d->chain.stages[path], run, expansion);
}

const struct assay_decoder_ops etrace_decode_ops = {.open = open_decoder,
                                                    .next = assay_chain_decoder_next,
                                                    .complete = assay_chain_decoder_complete,
                                                    .expand = etrace_decode_expand,
                                                    .close = assay_chain_decoder_close,
                                                    .profile = etrace_decode_profile,
                                                    .profile_reason = etrace_decode_reason};
