#include <stdlib.h>

#include "corrupt.h"
#include "page.h"

/* Whether a rule of at least a level fails more often than in the trace as it was. */
static bool fails(const struct assay_catalogue *catalogue, const struct detection_verdict *now,
                  const struct detection_verdict *before, enum assay_level level)
{
    for (size_t r = 0; r < catalogue->rule_count; r++) {
        if (catalogue->rules[r].level >= level && now->violated[r] > before->violated[r]) {
            return true;
        }
    }
    return false;
}

static enum assay_error judge(const struct detection_subject *subject,
                              const struct assay_sink *bytes, struct detection_count *count,
                              struct assay_diag *diag)
{
    const struct assay_catalogue *catalogue = assay_catalogue_of(subject->format);
    enum assay_error error = ASSAY_OK;
    for (unsigned column = 0; column < DETECTION_COLUMNS && error == ASSAY_OK; column++) {
        const struct detection_verdict *before = &subject->verdicts[column];
        struct detection_verdict now;
        error = detection_judge(subject, bytes, (enum detection_column)column, &now, diag);
        if (error == ASSAY_OK) {
            const bool must = fails(catalogue, &now, before, ASSAY_MUST);
            count->must[column] += must;
            count->should[column] +=
                must || !now.complete || fails(catalogue, &now, before, ASSAY_SHOULD);
        }
        free(now.violated);
    }
    return error;
}

/* A seed of its own for each trial, so that fewer trials are the first ones of many. */
static uint64_t seed_of(uint64_t seed, size_t kind, unsigned trial)
{
    const uint64_t mixed = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) ^
                           (kind + 1) * UINT64_C(0xbf58476d1ce4e5b9) ^
                           (trial + 1) * UINT64_C(0x94d049bb133111eb);
    return mixed != 0 ? mixed : 1;
}

enum assay_error detection_try(const struct detection_subjects *subjects,
                               const struct detection_table *table, uint64_t seed, unsigned trials,
                               struct detection_tally *tally, struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    tally->table = table;
    tally->has_facts = subjects->list[0].has_facts;
    tally->counts = calloc(table->count + 1, sizeof *tally->counts);
    if (tally->counts == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    for (size_t kind = 0; kind < table->count; kind++) {
        for (unsigned trial = 0; trial < trials && error == ASSAY_OK; trial++) {
            uint64_t own = seed_of(seed, kind, trial);
            const struct detection_subject *subject = NULL;
            struct assay_sink bytes;
            error = detection_corrupt(subjects, table, kind, &own, &bytes, &subject, diag);
            if (error == ASSAY_OK && subject != NULL) {
                tally->counts[kind].trials++;
                error = judge(subject, &bytes, &tally->counts[kind], diag);
            }
            assay_sink_close(&bytes, NULL);
        }
    }
    return error;
}
