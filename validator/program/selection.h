/* Which rules are used, with which readings, on which files: the options of
 * `check`.
 */
#ifndef ASSAY_VALIDATOR_PROGRAM_SELECTION_H
#define ASSAY_VALIDATOR_PROGRAM_SELECTION_H

#include "common/arena.h"
#include "validator/engine/check.h"
#include "validator/program/program.h"

enum { ASSAY_MAX_CATALOGUES = 16, ASSAY_MAX_OPTIONS_USED = 32 };

struct assay_selection {
    struct assay_arena arena;
    struct assay_loaded *loaded; /* rules of the user, or null */
    const struct assay_catalogue *catalogues[ASSAY_MAX_CATALOGUES];
    bool *deselected[ASSAY_MAX_CATALOGUES];
    uint16_t *readings[ASSAY_MAX_CATALOGUES];
    size_t count;
    bool only; /* --only was given: all others are left out */
    struct assay_option_used used[ASSAY_MAX_OPTIONS_USED];
    size_t used_count;
};

/* The built-in catalogues, and one of the rule files. Each function returns 0, or the exit status
 * after having said what is wrong. */
int assay_selection_open(struct assay_selection *selection, const struct assay_command *command,
                         const char *const *rule_files, size_t count);

/* "ID,ID": these rules only, or not these. */
int assay_selection_rules(struct assay_selection *selection, const struct assay_command *command,
                          const char *ids, bool only);

/* Says that there is no such rule in the catalogues, and which id is nearest; returns
 * ASSAY_EXIT_USAGE. */
int assay_unknown_rule(const struct assay_command *command,
                       const struct assay_catalogue *const *catalogues, size_t count,
                       const char *id);

/* "INT-ID=reading" */
int assay_selection_interpret(struct assay_selection *selection,
                              const struct assay_command *command, const char *text);

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
