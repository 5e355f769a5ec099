/* assay rules fields: what rules can read. */
#ifndef ASSAY_VALIDATOR_PROGRAM_RULE_FIELDS_H
#define ASSAY_VALIDATOR_PROGRAM_RULE_FIELDS_H

#include "validator/program/program.h"

/* Writes the kinds of events of a format (null: of all) with their fields, or those that are called
 * `name`, to standard output; returns the exit status. */
int assay_rule_fields(const struct assay_command *self, const struct assay_format *format,
                      const char *name);

#endif
