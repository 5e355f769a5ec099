/* Rule files of a user. */
#ifndef ASSAY_VALIDATOR_PROGRAM_USER_RULES_H
#define ASSAY_VALIDATOR_PROGRAM_USER_RULES_H

#include "validator/engine/catalogue.h"
#include "validator/program/program.h"

/* One catalogue for each format that the files have rules of. */
enum { ASSAY_MAX_FORMATS = 8 };
struct assay_user_rules {
    struct assay_loaded *loaded[ASSAY_MAX_FORMATS];
    size_t count;
};

/* Loads files; says each fault on standard error. 0 or the exit status; what was loaded is to be
 * freed also then. A file, or a part of one, that names no format is of the first one there is. */
int assay_user_rules_load(const char *const *files, size_t count, struct assay_user_rules *rules);

void assay_user_rules_free(struct assay_user_rules *rules);

#endif
