/* Iteration over the rules of a report. Private to reports/. */
#ifndef ASSAY_REPORTS_WALK_H
#define ASSAY_REPORTS_WALK_H

#include "validator/engine/causes.h"

/* A run has the catalogues of all formats; the rules of a format that no input had were not judged,
 * which is not the same as not exercised. The iteration leaves them out. */
struct assay_rule_walk {
    const struct assay_results *results;
    size_t next;
    const struct assay_catalogue *catalogue; /* of the rule before */
    bool asked;                              /* an input was of its format */
};

static inline struct assay_rule_walk assay_rule_walk(const struct assay_results *results)
{
    return (struct assay_rule_walk){.results = results};
}

/* The next rule, in the order of the catalogues; null at the end. */
const struct assay_rule_total *assay_rule_walk_next(struct assay_rule_walk *walk);

/* The same for the rules with one verdict; of diagnoses, which judge nothing, only those that are
 * recognised. */
const struct assay_rule_total *assay_rule_walk_verdict(struct assay_rule_walk *walk,
                                                       enum assay_verdict verdict);

/* The reading in effect of an interpretation that a rule depends on. */
uint16_t assay_reading_of(const struct assay_results *results,
                          const struct assay_interpretation *interpretation);

/* Finding number `n` of a rule. */
struct assay_found assay_found_of(const struct assay_results *results,
                                  const struct assay_rule_total *total, size_t n);

/* The waiver of a rule for the input with a path; or null. */
const struct assay_waiver *assay_waiver_for(const struct assay_results *results,
                                            const struct assay_rule_total *total, const char *path);

/* Why a rule is not checkable, with what was not given. */
void assay_not_checkable_text(const struct assay_rule_total *total, char *text, size_t size);

/* The clause with this id; null when the catalogue has none. */
const struct assay_clause *assay_clause_of(const struct assay_catalogue *catalogue, const char *id);

/* Why a stream could not be judged whole, in the words of its lowest layer that is not complete; or
 * null. */
const char *assay_incomplete(const struct assay_input_result *input,
                             const struct assay_stream_result *stream);

/* Events of an input, the end of the trace not counted; 0 for an unreadable one. */
uint64_t assay_input_events(const struct assay_input_result *input);

/* Violations of an input that count for the verdict. */
uint64_t assay_counted_violations(const struct assay_results *results,
                                  const struct assay_input_result *input);

/* How many files were found and, for this reason, not judged. Those that the data of a manifest
 * explains need no mention and are not counted. */
size_t assay_skipped_files(const struct assay_results *results, enum assay_skip_reason reason);

/* Whether rules that were judged depend on the catalogue of an interpretation. */
bool assay_reading_asked(const struct assay_results *results,
                         const struct assay_reading_used *reading);

/* Whether a rule's `require` reads a leaf: the others are read by `when`. */
bool assay_leaf_required(const struct assay_rule *rule, uint16_t leaf);

/* The meaning of a flag that is set; null for other leaves, and if the format does not give it. */
const char *assay_flag_meaning(const struct assay_catalogue *catalogue, uint16_t leaf);

/* What a rule requires, in words: the meaning of a single flag, else the rule's title. */
const char *assay_expected_words(const struct assay_catalogue *catalogue,
                                 const struct assay_rule *rule);

#endif
