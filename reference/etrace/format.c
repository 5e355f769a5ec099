/* The decoder as rules need it: with the facts above it, and what it is compared with. */
#include "etrace/facts/facts.h"
#include "execution/execution.h"
#include "model/step_stage.h"

/* Places in the chain; the last one is that of a stage where the encoder traces data. */
enum { PACKETS, FACTS_OF_PACKETS, PATH, FACTS_OF_PATH, DATA_TRACE };

static enum assay_error add_facts(struct assay_chain *chain, const struct assay_decode_input *input,
                                  struct assay_history *packets)
{
    return assay_chain_add(chain, etrace_facts_open(input, packets));
}

/* Whether each run of the path is compared with a record, or can have accesses. */
static bool needs_each_run(const struct assay_decode_input *input)
{
    uint64_t layout[ETRACE_PARAMETER_COUNT];
    etrace_layout(input->parameters, layout);
    return input->execution != NULL || etrace_traces_data(layout);
}

static enum assay_error open_stages(struct assay_chain *chain,
                                    const struct assay_decode_input *input, unsigned layers,
                                    struct assay_diag *diag)
{
    const struct etrace_decode_options options = {.above_packets = add_facts,
                                                  .each_run = needs_each_run(input)};
    enum assay_error error = etrace_decode_stages(chain, input, layers, &options, diag);
    if (error != ASSAY_OK || layers <= ETRACE_INSTRUCTION) {
        return error;
    }
    struct assay_stage *facts = chain->stages[FACTS_OF_PACKETS];
    struct assay_history *path = assay_step_history(chain->stages[PATH]);
    error = assay_chain_add(chain, etrace_facts_of_path(facts, path));
    return error != ASSAY_OK ? error : etrace_data_trace_add(chain, facts, input);
}

/* A table is a record of the interface, and has a layer of its own. */
static enum assay_error add_recorded(struct assay_chain *chain,
                                     const struct assay_decode_input *input,
                                     struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    struct assay_stage *stage = NULL;
    if (input->execution == NULL || assay_execution_table(input->execution) == NULL) {
        return etrace_compare_add(chain, chain->stages[FACTS_OF_PACKETS], input, diag);
    }
    const size_t last = chain->count > DATA_TRACE ? DATA_TRACE : PATH;
    stage = etrace_ingress_open(input, assay_step_history(chain->stages[last]), diag, &error);
    if (error == ASSAY_OK && etrace_ingress_has_harts(stage)) {
        etrace_facts_decide_harts(chain->stages[FACTS_OF_PACKETS]);
    }
    return error != ASSAY_OK ? error : assay_chain_add(chain, stage);
}

static enum assay_error open_decoder(const struct assay_decode_input *input,
                                     struct assay_decoder **decoder, struct assay_diag *diag)
{
    static const struct assay_chain_format format = {ETRACE_INGRESS + 1, open_stages, add_recorded};
    return assay_chain_decoder_open(&format, input, decoder, diag);
}

const struct assay_decoder_ops etrace_decoder_ops = {.open = open_decoder,
                                                     .next = assay_chain_decoder_next,
                                                     .complete = assay_chain_decoder_complete,
                                                     .expand = etrace_decode_expand,
                                                     .close = assay_chain_decoder_close,
                                                     .profile = etrace_decode_profile,
                                                     .profile_reason = etrace_decode_reason};
