#include "validator/engine/listener.h"

/* Tells a finding of the stream that is judged. */
static void tell(const struct assay_input_run *run, const struct assay_session *session,
                 const struct assay_catalogue *catalogue, const struct assay_finding *finding,
                 const struct assay_places *places)
{
    struct assay_located_finding placed = {
        .finding = finding, .input = run->number, .stream = run->result.stream_count};
    assay_places_find(places, &placed);
    const struct assay_found found = {.path = run->input->path,
                                      .stream = &session->result,
                                      .catalogue = catalogue,
                                      .placed = &placed};
    run->options->found(run->options->found_context, &found);
}

void assay_listener_found(void *context, const struct assay_session *session,
                          const struct assay_catalogue *catalogue,
                          const struct assay_finding *finding)
{
    const struct assay_input_run *run = context;
    const struct assay_places places = {.parts = session->filtered ? NULL : run->input->parts};
    if (!assay_tally_waives(&run->tally, catalogue, finding->rule)) {
        tell(run, session, catalogue, finding, &places);
    }
}

void assay_listener_carried(const struct assay_input_run *run, const struct assay_session *session,
                            const struct assay_places *places)
{
    for (size_t i = 0; i < session->judge_count; i++) {
        const struct assay_catalogue *catalogue = assay_judge_catalogue(session->judges[i]);
        for (size_t r = 0; r < catalogue->rule_count; r++) {
            const struct assay_rule_result result = assay_judge_result(session->judges[i], r);
            const bool waived = assay_tally_waives(&run->tally, catalogue, &catalogue->rules[r]);
            for (size_t f = 0; f < result.finding_count && !waived; f++) {
                tell(run, session, catalogue, result.findings[f], places);
            }
        }
    }
}
