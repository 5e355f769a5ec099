/* Whether the results of judging the trace of a vector are what the vector states. */
#ifndef ASSAY_VALIDATOR_VECTOR_STATEMENT_H
#define ASSAY_VALIDATOR_VECTOR_STATEMENT_H

#include "validator/engine/results.h"
#include "validator/vector/vector.h"

/* Whether what was found of a stream is what its vector states of rules and clauses, by `fails`,
 * `passes`, `silent`, `conforms` or `violates`; other statements are not looked at. If not, *rule
 * is the first rule that is not as stated, or null where a violation is missing that any of several
 * rules could find. */
bool assay_vector_is_as_stated(const struct assay_vector *vector,
                               const struct assay_results *results,
                               const struct assay_stream_result *stream,
                               const struct assay_rule **rule);

/* The first rule that the vector names, under `fails`, `passes` or `silent`, and that is not of the
 * profile by which the stream was judged; null when there is none. */
const struct assay_rule *assay_vector_rule_of_others(const struct assay_vector *vector,
                                                     const struct assay_results *results,
                                                     const struct assay_stream_result *stream);

#endif
