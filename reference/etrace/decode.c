/* The decoder: a chain of stages. */
#include "etrace/etrace.h"
#include "execution/chain_decoder.h"
#include "execution/execution.h"
#include "model/step_stage.h"

static enum assay_error open_stages(struct assay_chain *chain,
                                    const struct assay_decode_input *input, unsigned layers,
                                    struct assay_diag *diag)
{
    enum assay_error opened = ASSAY_OK;
    enum assay_error error = assay_chain_add(chain, etrace_packets_open(input, diag, &opened));
    error = error != ASSAY_OK ? error : opened;
    if (error == ASSAY_OK && layers > ETRACE_INSTRUCTION) {
        error = assay_chain_add(
            chain, etrace_path_open(input, assay_packet_history(chain->stages[ETRACE_PACKET])));
    }
    return error;
}

/* A table is a record of the interface, and has a layer of its own. */
static enum assay_error add_recorded(struct assay_chain *chain,
                                     const struct assay_decode_input *input,
                                     struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    struct assay_stage *stage = NULL;
    if (input->execution == NULL || assay_execution_table(input->execution) == NULL) {
        return etrace_compare_add(chain, input, diag);
    }
    stage = etrace_ingress_open(input, assay_step_history(chain->stages[ETRACE_INSTRUCTION]), diag,
                                &error);
    return error != ASSAY_OK ? error : assay_chain_add(chain, stage);
}

static enum assay_error open_decoder(const struct assay_decode_input *input,
                                     struct assay_decoder **decoder, struct assay_diag *diag)
{
    static const struct assay_chain_format format = {ETRACE_INGRESS + 1, open_stages, add_recorded};
    return assay_chain_decoder_open(&format, input, decoder, diag);
}

/* What the parameter wire is, a stream does not change. */
static unsigned profile_of(const struct assay_decoder *d)
{
    return etrace_packets_wire(d->chain.stages[ETRACE_PACKET]) >= ETRACE_2_0;
}

static const char *profile_reason(const struct assay_decoder *d)
{
    (void)d;
    return "by the parameter wire";
}

static bool expand(struct assay_decoder *d, const struct assay_event *run,
                   struct assay_expansion *expansion)
{
    return etrace_expand_run(d->chain.stages[ETRACE_INSTRUCTION], run, expansion);
}

const struct assay_decoder_ops etrace_decoder_ops = {.open = open_decoder,
                                                     .next = assay_chain_decoder_next,
                                                     .complete = assay_chain_decoder_complete,
                                                     .expand = expand,
                                                     .close = assay_chain_decoder_close,
                                                     .profile = profile_of,
                                                     .profile_reason = profile_reason};
