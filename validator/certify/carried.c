/* Whether the sentences of a level, and of the features that are claimed, are carried by what was
 * judged: rules that were exercised, and the comparison with recorded executions. */
#include <inttypes.h>
#include <string.h>

#include "validator/certify/parts.h"

bool assay_certify_covered(const struct assay_stream_result *stream, uint32_t *covered)
{
    const struct assay_uncompared *compared = stream->uncompared;
    if (compared == NULL || compared->recorded == 0) {
        return false;
    }
    const uint64_t matched =
        compared->matched < compared->recorded ? compared->matched : compared->recorded;
    *covered = (uint32_t)((long double)matched * ASSAY_CERTIFY_ALL_COVERED /
                          (long double)compared->recorded);
    return true;
}

/* Streams that are carried are compared, and what carries them is not. */
static bool is_compared(const struct assay_certification *c,
                        const struct assay_stream_result *stream)
{
    return c->submission->format->carrier != NULL
               ? stream->format != NULL && stream->format->carrier == NULL
               : stream->format == c->submission->format;
}

bool assay_certify_least_covered(const struct assay_certification *c,
                                 const struct assay_input_result *input, uint32_t *least)
{
    bool all = true;
    bool any = false;
    *least = ASSAY_CERTIFY_ALL_COVERED;
    for (size_t i = 0; i < input->stream_count; i++) {
        uint32_t covered = 0;
        if (!is_compared(c, &input->streams[i])) {
            continue;
        }
        any = true;
        all = all && assay_certify_covered(&input->streams[i], &covered);
        *least = covered < *least ? covered : *least;
    }
    return any && all;
}

/* What of a trace was not compared, of what has to be; ASSAY_UNCOMPARED_COUNT: nothing. */
static enum assay_uncompared_reason not_compared(const struct assay_certification *c,
                                                 const struct assay_input_result *input,
                                                 uint64_t reasons, uint64_t *count)
{
    for (size_t i = 0; i < input->stream_count; i++) {
        const struct assay_stream_result *stream = &input->streams[i];
        for (unsigned r = 0; r < ASSAY_UNCOMPARED_COUNT; r++) {
            if (stream->format == c->submission->format && stream->uncompared != NULL &&
                (reasons >> r & 1) != 0 && stream->uncompared->count[r] > 0) {
                *count = stream->uncompared->count[r];
                return (enum assay_uncompared_reason)r;
            }
        }
    }
    return ASSAY_UNCOMPARED_COUNT;
}

/* Whether a trace is compared with its recording as a sentence needs it. */
static enum assay_error demand_compared(struct assay_certification *c,
                                        const struct assay_certify_sentence *sentence,
                                        const struct assay_input_result *input, bool *met)
{
    uint32_t covered = 0;
    uint64_t count = 0;
    const bool compared = assay_certify_least_covered(c, input, &covered);
    const enum assay_uncompared_reason reason = not_compared(c, input, sentence->compared, &count);
    enum assay_error error = ASSAY_OK;
    if (!compared) {
        *met = false;
        return assay_certify_add(&c->demands, "execution", input->path, false,
                                 "it was not compared with a recorded execution");
    }
    if (covered < sentence->covered) {
        *met = false;
        error = assay_certify_add(
            &c->demands, "execution", input->path, false,
            "%u.%03u %% of the recorded execution is in the trace (%u.%03u %% "
            "required)",
            covered / 1000, covered % 1000, sentence->covered / 1000, sentence->covered % 1000);
    }
    if (error == ASSAY_OK && reason != ASSAY_UNCOMPARED_COUNT) {
        *met = false;
        error = assay_certify_add(&c->demands, "compared", input->path, false,
                                  "not compared: %" PRIu64 " %s", count,
                                  assay_uncompared_text(reason, count));
    }
    return error;
}

/* Of a feature one trace is enough, whichever. */
static enum assay_error carry(struct assay_certification *c,
                              const struct assay_certify_sentence *sentence, const char *feature,
                              struct assay_diag *diag)
{
    bool met = true;
    enum assay_error error =
        assay_certify_exercised(c, &sentence->exercise, feature != NULL, &met, diag);
    const bool compared = sentence->executions || sentence->compared != 0;
    for (size_t i = 0; error == ASSAY_OK && compared && i < c->results.input_count; i++) {
        error = demand_compared(c, sentence, &c->results.inputs[i], &met);
    }
    return error != ASSAY_OK
               ? error
               : assay_certify_add(&c->demands, feature != NULL ? "feature" : "sentence",
                                   feature != NULL ? feature : sentence->says, met, "%s",
                                   met ? "carried" : "not carried");
}

enum assay_error assay_certify_sentences(struct assay_certification *c, struct assay_diag *diag)
{
    const struct assay_certify_sentences *sentences = &c->level->sentences;
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; error == ASSAY_OK && i < sentences->count; i++) {
        error = carry(c, &sentences->list[i], NULL, diag);
    }
    for (size_t i = 0; error == ASSAY_OK && i < c->submission->features.count; i++) {
        const char *name = c->submission->features.list[i]->text;
        error = carry(c, &assay_certify_feature_named(c->profile, name)->sentence, name, diag);
    }
    return error;
}
