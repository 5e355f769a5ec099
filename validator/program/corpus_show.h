/* assay corpus show: the vectors of a rule, one after the other. */
#ifndef ASSAY_VALIDATOR_CORPUS_SHOW_H
#define ASSAY_VALIDATOR_CORPUS_SHOW_H

#include "validator/program/program.h"

/* Writes the vectors of the rules that are selected as by --only, or those that are named as their
 * files are; of one format, or of all where it is null. Returns the exit status. */
int assay_corpus_show(const struct assay_command *command, const struct assay_format *format,
                      char *const *operands, size_t count);

#endif
