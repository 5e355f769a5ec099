/* What became of the clauses of a specification: `assay rules coverage`. */
#ifndef ASSAY_VALIDATOR_PROGRAM_RULES_COVERAGE_H
#define ASSAY_VALIDATOR_PROGRAM_RULES_COVERAGE_H

#include "io/sink.h"
#include "validator/engine/catalogue.h"

/* The rules that check a clause, with blanks between them, as far as there is room. */
void assay_coverage_rules(const struct assay_catalogue *c, const struct assay_clause *clause,
                          char *text, size_t size);

/* Counts by area and disposition, then a line for each clause. */
void assay_coverage_text(const struct assay_catalogue *c, struct assay_sink *sink);

#endif
