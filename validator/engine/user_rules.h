/* Rule files of a user: one catalogue for each format that they have rules of. */
#ifndef ASSAY_VALIDATOR_ENGINE_USER_RULES_H
#define ASSAY_VALIDATOR_ENGINE_USER_RULES_H

#include "validator/engine/catalogue.h"

enum { ASSAY_MAX_FORMATS = 8, ASSAY_MAX_RULE_FILES = 64 };

struct assay_user_rules {
    struct assay_loaded *loaded[ASSAY_MAX_FORMATS];
    size_t count;
};

/* Loads files together, since a rule of one may use variables of another. A file, or a part of one,
 * that names no format is of the first one there is. Each fault is told to the listener, which may
 * be null, and *diag is the first one; of ASSAY_NO_MEMORY nobody is told. What was loaded is to be
 * freed also when this fails. */
enum assay_error assay_user_rules_read(const char *const *files, size_t count,
                                       const struct assay_load_listener *listener,
                                       struct assay_user_rules *rules, struct assay_diag *diag);

void assay_user_rules_free(struct assay_user_rules *rules);

#endif
