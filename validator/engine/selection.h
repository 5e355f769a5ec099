/* Which rules judge a trace, and with which readings: the built-in ones and a user's, less those
 * that were left out. */
#ifndef ASSAY_VALIDATOR_ENGINE_SELECTION_H
#define ASSAY_VALIDATOR_ENGINE_SELECTION_H

#include "common/arena.h"
#include "validator/engine/check.h"
#include "validator/engine/user_rules.h"

enum { ASSAY_MAX_CATALOGUES = 2 * ASSAY_MAX_FORMATS };

struct assay_selection {
    struct assay_arena arena;
    struct assay_user_rules user;
    const struct assay_catalogue *catalogues[ASSAY_MAX_CATALOGUES];
    bool *deselected[ASSAY_MAX_CATALOGUES];
    uint16_t *readings[ASSAY_MAX_CATALOGUES];
    bool *interpreted[ASSAY_MAX_CATALOGUES]; /* an interpretation: its reading was given */
    size_t count;
    bool only; /* rules were named that alone are used */
};

/* All rules: the built-in ones, and those of rule files, whose faults are told as by
 * assay_user_rules_read. The selection begins zero-initialised and is to be closed also when this
 * fails. */
enum assay_error assay_selection_begin(struct assay_selection *selection,
                                       const char *const *rule_files, size_t count,
                                       const struct assay_load_listener *listener,
                                       struct assay_diag *diag);

/* A list of selectors (select.h): `only` these rules, and those of earlier calls with `only`; or
 * not these. */
enum assay_error assay_selection_narrow(struct assay_selection *selection, const char *selectors,
                                        bool only, struct assay_diag *diag);

/* "INT-ID=reading". A second reading of the same interpretation is an error. */
enum assay_error assay_selection_read_as(struct assay_selection *selection, const char *text,
                                         struct assay_diag *diag);

/* Adds the waivers of a file, by the date of today; they begin zero-initialised and are of this
 * selection, which stays as it is from then on. When this fails there are as many as before. */
enum assay_error assay_selection_waive(const struct assay_selection *selection,
                                       struct assay_waivers *waivers, const char *path,
                                       struct assay_diag *diag);

/* Puts the selection into the options of a check. */
void assay_selection_apply(const struct assay_selection *selection,
                           struct assay_check_options *options);

void assay_selection_close(struct assay_selection *selection);

#endif
