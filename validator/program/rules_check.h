/* assay rules check: rule files without a trace. */
#ifndef ASSAY_VALIDATOR_PROGRAM_RULES_CHECK_H
#define ASSAY_VALIDATOR_PROGRAM_RULES_CHECK_H

#include <stddef.h>

/* Says all that is wrong with rule files and, where a folder of vectors is given, which of the
 * vectors below it do not show what they say of these rules. Returns the exit status. */
int assay_rules_check(const char *const *files, size_t count, const char *vectors);

#endif
