/* Comparison of a run with an earlier one, of which there is a JSON report: which violations are
 * new, and which are gone. */
#ifndef ASSAY_REPORTS_BASELINE_H
#define ASSAY_REPORTS_BASELINE_H

#include "validator/engine/results.h"

/* How the violations of a rule in an input compare with those of the earlier run. */
struct assay_baseline_change {
    size_t input; /* number in the list of inputs */
    const struct assay_rule *rule;
    uint64_t fresh;
    uint64_t gone;
    bool counted; /* a run leaves findings out, so that which ones are new is not known */
};

struct assay_baseline_result {
    const char *path;
    uint64_t fresh;    /* violations of rules of any level that the earlier run did not have */
    uint64_t deciding; /* those of rules that count for the verdict */
    uint64_t known;    /* violations that both have */
    uint64_t gone;     /* those that only the earlier run had */
    uint64_t unjudged; /* of these runs' violations the earlier ones whose rule or input this run
                          did not judge */
    /* The reports list all findings of both, so that they were compared one by one. Where either
     * leaves some out, how many there are of the rule in the input was compared. */
    bool exact;
    bool other_rules;                            /* the catalogues differ */
    enum assay_conclusion conclusion;            /* of what is new */
    const struct assay_baseline_change *changes; /* in order of inputs, then of rules */
    size_t change_count;
    /* Findings that are new and listed, in order of their addresses. */
    const struct assay_located_finding *const *findings;
    size_t finding_count;
};

struct assay_baseline;

/* Reads a report of kind json. Errors: it cannot be read, is no JSON, or no report; memory. */
enum assay_error assay_baseline_load(const char *path, struct assay_baseline **baseline,
                                     struct assay_diag *diag);

/* Compares a run with it, once; the result is the baseline's, and refers to the results. The error
 * is that of memory. */
enum assay_error assay_baseline_compare(struct assay_baseline *baseline,
                                        const struct assay_results *results,
                                        const struct assay_baseline_result **result);

/* Whether a finding is one of those that are new. */
bool assay_baseline_is_fresh(const struct assay_baseline_result *result,
                             const struct assay_located_finding *finding);

/* How the violations of a rule in an input compare; null where none is new or gone. */
const struct assay_baseline_change *
assay_baseline_change_of(const struct assay_baseline_result *result, size_t input,
                         const struct assay_rule *rule);

enum assay_baseline_state {
    ASSAY_BASELINE_KNOWN,
    ASSAY_BASELINE_NEW,
    ASSAY_BASELINE_UNDECIDED /* violations of the rule in the input are new; which, is not known */
};

/* "known", "new", "undecided" */
const char *assay_baseline_state_name(enum assay_baseline_state state);

enum assay_baseline_state assay_baseline_state_of(const struct assay_baseline_result *result,
                                                  const struct assay_rule *rule,
                                                  const struct assay_located_finding *finding);

/* "2 new violations, 14 known, 1 gone since old.json", in which the name is as it was given; cut
 * off where there is no room. */
void assay_baseline_text(const struct assay_baseline_result *result, char *text, size_t size);

/* Null is allowed. */
void assay_baseline_free(struct assay_baseline *baseline);

#endif
