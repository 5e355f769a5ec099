/* The options about which rules are used, with which readings, and what is waived. */
#ifndef ASSAY_VALIDATOR_PROGRAM_SELECTION_H
#define ASSAY_VALIDATOR_PROGRAM_SELECTION_H

#include "validator/engine/selection.h"
#include "validator/program/program.h"

/* Each function that returns an int returns 0, or the exit status after having said what is wrong.
 */

/* The built-in rules, and those of the rule files. The selection is to be closed in any case. */
int assay_selection_open(struct assay_selection *selection, const char *const *rule_files,
                         size_t count);

/* A list of selectors (engine/select.h): these rules only, or not these. */
int assay_selection_rules(struct assay_selection *selection, const struct assay_command *command,
                          const char *selectors, bool only);

/* Says why a list of selectors is wrong; returns ASSAY_EXIT_USAGE. */
int assay_say_selection(const struct assay_command *command, const struct assay_diag *diag);

/* "INT-ID=reading" */
int assay_selection_interpret(struct assay_selection *selection,
                              const struct assay_command *command, const char *text);

/* Adds the waivers of a file. */
int assay_waive_option(const char *path, struct assay_selection *selection,
                       struct assay_waivers *waivers);

/* Says which waivers waived nothing: 0, or ASSAY_EXIT_USAGE when there is one. */
int assay_say_unused_waivers(const struct assay_results *results);

/* Options that the results list; the texts are the caller's. */
enum { ASSAY_MAX_OPTIONS_USED = 32 };
struct assay_options_noted {
    struct assay_option_used list[ASSAY_MAX_OPTIONS_USED];
    size_t count;
    char max_findings[16];
};

/* Those beyond ASSAY_MAX_OPTIONS_USED are left out. */
void assay_note_option(struct assay_options_noted *noted, const char *name, const char *value);

/* Lists them in the results, with those that always have a value. */
void assay_list_options(struct assay_options_noted *noted,
                        const struct assay_check_options *options,
                        const struct assay_format *format, struct assay_results *results);

#endif
