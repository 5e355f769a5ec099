/* Rule files of a user, and what is said of them. */
#ifndef ASSAY_VALIDATOR_PROGRAM_USER_RULES_H
#define ASSAY_VALIDATOR_PROGRAM_USER_RULES_H

#include "validator/engine/user_rules.h"
#include "validator/program/program.h"

/* Who says each fault of rule files on standard error; *told counts them, from 0. */
struct assay_load_listener assay_rule_faults_said(size_t *told);

/* The exit status for the error of loading; says that memory is out, which no listener is told. */
int assay_exit_of_rules(enum assay_error error, const struct assay_diag *diag);

/* Loads files; says each fault on standard error. 0 or the exit status; what was loaded is to be
 * freed also then. */
int assay_user_rules_load(const char *const *files, size_t count, struct assay_user_rules *rules);

#endif
