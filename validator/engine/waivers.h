/* Waivers: known violations that somebody has accepted for a limited time. They are counted
 * separately and do not affect the verdict. */
#ifndef ASSAY_VALIDATOR_WAIVERS_H
#define ASSAY_VALIDATOR_WAIVERS_H

#include "common/arena.h"
#include "validator/engine/catalogue.h"

struct assay_waiver {
    const char *rule;  /* a selector (select.h), as in the file */
    const char *input; /* a pattern with * and ? and [..] of paths, or of last parts of paths where
                          it has no slash */
    const char *reason;
    const char *owner;
    const char *link;    /* or null */
    const char *expires; /* YYYY-MM-DD: the last day on which it holds */
    const char *file;    /* that it is in */
    uint32_t line;
    bool *const *rules; /* of each catalogue: whether the rule is meant */
};

struct assay_waivers {
    struct assay_arena arena;
    const struct assay_catalogue *const *catalogues;
    size_t catalogue_count;
    bool no_rule_files; /* "@FILE" is no selector here: the file would be one of the waivers' author
                         */
    struct assay_waiver *list;
    size_t count;
    size_t room;
};

/* Adds the waivers of a file, a mapping whose key `waivers` is a list. One that has expired on
 * `today` (YYYY-MM-DD) is an error, ASSAY_OUT_OF_RANGE. The waivers begin zero-initialised but for
 * their catalogues and `no_rule_files`, and are to be freed in any case. */
enum assay_error assay_waivers_load(struct assay_waivers *waivers, const char *path,
                                    const char *today, struct assay_diag *diag);

/* The first waiver of a rule for the input with a path; null when there is none. */
const struct assay_waiver *assay_waiver_of(const struct assay_waivers *waivers, size_t catalogue,
                                           size_t rule, const char *path);

void assay_waivers_free(struct assay_waivers *waivers);

#endif
