/* Which rules are used, with which readings, on which files: the options of
 * `check`.
 */
#ifndef ASSAY_VALIDATOR_PROGRAM_SELECTION_H
#define ASSAY_VALIDATOR_PROGRAM_SELECTION_H

#include "common/arena.h"
#include "validator/engine/check.h"
#include "validator/program/program.h"
#include "validator/program/user_rules.h"

enum {
    ASSAY_MAX_CATALOGUES = 2 * ASSAY_MAX_FORMATS,
    ASSAY_MAX_OPTIONS_USED = 32,
    ASSAY_MAX_RULE_FILES = 64
};

struct assay_selection {
    struct assay_arena arena;
    struct assay_user_rules user;
    const struct assay_catalogue *catalogues[ASSAY_MAX_CATALOGUES];
    bool *deselected[ASSAY_MAX_CATALOGUES];
    uint16_t *readings[ASSAY_MAX_CATALOGUES];
    bool *interpreted[ASSAY_MAX_CATALOGUES]; /* an interpretation: its reading was given */
    size_t count;
    bool only; /* --only was given: all others are left out */
    struct assay_option_used used[ASSAY_MAX_OPTIONS_USED];
    size_t used_count;
};

/* The built-in catalogues, and one of the rule files. Each function returns 0, or the exit status
 * after having said what is wrong. */
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

/* Remembers an option that the results list; the texts stay the caller's. Those beyond
 * ASSAY_MAX_OPTIONS_USED are left out. */
void assay_selection_note(struct assay_selection *selection, const char *name, const char *value);

/* Puts the selection into the options of a check. */
void assay_selection_apply(struct assay_selection *selection, struct assay_check_options *options);

/* Lists the options in the results: those noted, then those that always have a value. */
void assay_selection_options(struct assay_selection *selection,
                             const struct assay_check_options *options,
                             const struct assay_format *format, struct assay_results *results);

void assay_selection_close(struct assay_selection *selection);

#endif
