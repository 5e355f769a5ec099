/* A tally: the results of the rules, added up stream by stream and input by input. It copies all
 * that it keeps, so that judges can be closed. Private to validator/. */
#ifndef ASSAY_VALIDATOR_TALLY_H
#define ASSAY_VALIDATOR_TALLY_H

#include "common/arena.h"
#include "validator/engine/check.h"
#include "validator/engine/places.h"

struct assay_tally {
    const struct assay_check_options *options;
    const char *path; /* of the input that the streams are of, for waivers; or null */
    struct assay_arena arena;
    struct assay_rule_total *rules; /* of all catalogues of the options, in their order */
    size_t rule_count;
    size_t *first; /* a catalogue: its first rule in `rules` */
    size_t *finding_room;
    size_t finding_count; /* of all rules */
    uint64_t findings_dropped;
    uint64_t *waived; /* by each waiver of the options; null: there is none */
};

/* An empty tally; it is to be closed also when this fails. ASSAY_NO_MEMORY is the only error of
 * these functions. */
enum assay_error assay_tally_open(struct assay_tally *tally,
                                  const struct assay_check_options *options);

/* Adds what the judges of stream number `stream` of an input say. The verdicts and outcomes of the
 * stream are written to its result; they are of the tally. Waived violations are counted
 * separately, also in the result, whose conclusion no longer depends on them. */
enum assay_error assay_tally_stream(struct assay_tally *tally, struct assay_judge *const *judges,
                                    size_t judge_count, const struct assay_places *places,
                                    size_t stream, struct assay_stream_result *result);

/* Adds the verdicts and outcomes of a stream whose result is known already; findings, spreads and
 * what is missing are not in it. False where it has a violation waived that no waiver waives. */
bool assay_tally_known(struct assay_tally *tally, const struct assay_stream_result *stream);

/* Whether violations of a rule are waived for the input of the tally. */
bool assay_tally_waives(const struct assay_tally *tally, const struct assay_catalogue *catalogue,
                        const struct assay_rule *rule);

/* Adds the tally of an input, which is number `input` of the run. */
enum assay_error assay_tally_merge(struct assay_tally *tally, const struct assay_tally *other,
                                   size_t input);

/* Allowed for one that is zero-initialised. */
void assay_tally_close(struct assay_tally *tally);

#endif
