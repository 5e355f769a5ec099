/* Diagnoses that were recognised, beside the causes that they explain. Private to causes.c. */
#ifndef ASSAY_VALIDATOR_DIAGNOSES_H
#define ASSAY_VALIDATOR_DIAGNOSES_H

#include "validator/engine/causes.h"

/* What a stream says of a rule that it violates, or of a diagnosis that is recognised in it; null
 * when there is nothing of the sort. `rule` is its number in the results. */
const struct assay_rule_outcome *assay_outcome_of(const struct assay_stream_result *stream,
                                                  size_t rule);

/* Adds the diagnoses to the causes of a list, and to `causes` those that are beside none; they are
 * in its arena. False when out of memory. */
bool assay_diagnoses_add(const struct assay_results *results, struct assay_cause *list,
                         size_t count, struct assay_causes *causes);

#endif
