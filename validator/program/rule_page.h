/* The page of a rule: all that a stranger needs to understand a finding. */
#ifndef ASSAY_VALIDATOR_PROGRAM_RULE_PAGE_H
#define ASSAY_VALIDATOR_PROGRAM_RULE_PAGE_H

#include "common/sink.h"
#include "validator/engine/catalogue.h"

/* Writes the page: requirement, reason, expression, clauses, interpretations, and a vector that
 * passes and one that fails, as dumps. */
void assay_rule_page(const struct assay_catalogue *catalogue, const struct assay_rule *rule,
                     struct assay_sink *sink);

#endif
