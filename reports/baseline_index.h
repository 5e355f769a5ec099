/* What a JSON report says of violations, by input and rule. Private to reports/. */
#ifndef ASSAY_REPORTS_BASELINE_INDEX_H
#define ASSAY_REPORTS_BASELINE_INDEX_H

#include <jansson.h>

#include "validator/engine/results.h"

struct assay_baseline_index {
    json_t *inputs;     /* tidy path: {verdict, rules: {id: {violated, listed, prints: {fingerprint:
                           n}}}} */
    json_t *catalogues; /* digests */
};

struct assay_baseline_input {
    const char *verdict; /* null: the report has no such input */
    json_t *rules;       /* or null */
};

/* The violations of a rule in an input. */
struct assay_baseline_group {
    uint64_t violated;
    uint64_t listed; /* findings of them */
    json_t *prints;  /* or null */
};

/* Reads a report. Free the index in any case. */
enum assay_error assay_baseline_index_load(struct assay_baseline_index *index, const char *path,
                                           struct assay_diag *diag);

struct assay_baseline_input assay_baseline_input_of(const struct assay_baseline_index *index,
                                                    const char *path);

/* Marks the group as asked for. */
struct assay_baseline_group assay_baseline_group_of(const struct assay_baseline_input *input,
                                                    const char *rule);

/* Takes one finding with a fingerprint from those of a group; false when there is none. */
bool assay_baseline_take(const struct assay_baseline_group *group, const char *fingerprint);

/* The violations of groups that were not asked for. */
uint64_t assay_baseline_left(const struct assay_baseline_index *index);

/* Whether the report was made with just the catalogues of a run. */
bool assay_baseline_has_catalogues(const struct assay_baseline_index *index,
                                   const struct assay_results *results);

void assay_baseline_index_free(struct assay_baseline_index *index);

#endif
