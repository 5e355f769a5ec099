/* The pages of rules and clauses: everything that is needed to understand a finding. */
#ifndef ASSAY_VALIDATOR_PROGRAM_RULE_PAGE_H
#define ASSAY_VALIDATOR_PROGRAM_RULE_PAGE_H

#include "io/sink.h"
#include "validator/engine/catalogue.h"

/* Writes the page of a clause: what it demands, and its disposition: the rules that check it, or
 * the reason why none does and the vectors that show it. */
void assay_clause_page(const struct assay_catalogue *catalogue, const struct assay_clause *clause,
                       struct assay_sink *sink);

/* Writes the page of an interpretation: the question, its readings, which one is taken and why, and
 * the rules that depend on it. */
void assay_interpretation_page(const struct assay_catalogue *catalogue,
                               const struct assay_interpretation *interpretation,
                               struct assay_sink *sink);

/* Writes the page of a rule: requirement, reason, expression, clauses, interpretations, and a
 * vector that passes and one that fails, as dumps. */
void assay_rule_page(const struct assay_catalogue *catalogue, const struct assay_rule *rule,
                     struct assay_sink *sink);

#endif
