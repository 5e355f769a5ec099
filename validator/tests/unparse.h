/* Expressions as text again, for messages of tests about mutants. */
#ifndef ASSAY_VALIDATOR_TESTS_UNPARSE_H
#define ASSAY_VALIDATOR_TESTS_UNPARSE_H

#include "validator/engine/catalogue.h"

/* Writes an expression as a rule would have it; `in {...}` becomes what it stands for, comparisons
 * that `or` joins. `asked` is the kind whose fields a condition of instructions reads; null for all
 * other expressions. */
void unparse(const struct assay_catalogue *catalogue, const struct assay_kind *asked,
             const struct assay_expression *expression, char *out, size_t size);

#endif
