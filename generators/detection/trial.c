#include <stdio.h>
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

/* `caught` gets the columns in which a rule of at least the kind's level fails, a bit for each. */
static enum assay_error judge(const struct detection_subject *subject,
                              const struct assay_sink *bytes, enum assay_level level,
                              struct detection_count *count, unsigned *caught,
                              struct assay_diag *diag)
{
    const struct assay_catalogue *catalogue = assay_catalogue_of(subject->format);
    enum assay_error error = ASSAY_OK;
    *caught = 0;
    for (unsigned column = 0; column < DETECTION_COLUMNS && error == ASSAY_OK; column++) {
        const struct detection_verdict *before = &subject->verdicts[column];
        struct detection_verdict now;
        error = detection_judge(subject, bytes, (enum detection_column)column, &now, diag);
        if (error == ASSAY_OK) {
            const bool must = fails(catalogue, &now, before, ASSAY_MUST);
            const bool should = must || (before->complete & ~now.complete) != 0 ||
                                fails(catalogue, &now, before, ASSAY_SHOULD);
            count->must[column] += must;
            count->should[column] += should;
            *caught |= (unsigned)(level == ASSAY_MUST ? must : should) << column;
        }
        free(now.violated);
    }
    return error;
}

static void put_parameters(const struct detection_subject *subject, struct assay_sink *sink)
{
    const struct assay_parameter_values *values = subject->parameters;
    for (size_t i = 0; values != NULL && i < values->table->count; i++) {
        char text[64];
        if (values->known[i] && !values->table->list[i].is_reading) {
            assay_parameter_text(&values->table->list[i], values->value[i], text, sizeof text);
            assay_sink_printf(sink, "%s=%s\n", values->table->list[i].name, text);
        }
    }
}

/* Writes the trace as it was, as it was corrupted, the recording, what configures it, and the
 * record of the interface. */
static enum assay_error keep(const struct detection_trials *trials, size_t kind, unsigned trial,
                             const struct detection_subject *subject,
                             const struct assay_sink *bytes, struct assay_diag *diag)
{
    static const char *const endings[] = {"before", "after", "exec", "cfg", "csv"};
    struct assay_sink parameters;
    const struct assay_sink *files[] = {&subject->trace, bytes, &subject->execution, &parameters,
                                        &subject->record};
    enum assay_error error = ASSAY_OK;
    assay_sink_memory(&parameters, 0);
    put_parameters(subject, &parameters);
    for (unsigned i = 0; i < sizeof files / sizeof files[0] && error == ASSAY_OK; i++) {
        char path[1024];
        struct assay_sink sink;
        if (i > 2 && files[i]->size == 0) {
            continue; /* the format, or the recording, has none */
        }
        snprintf(path, sizeof path, "%s/%s-%zu-%u.%s", trials->keep, subject->format->name,
                 kind + 1, trial, endings[i]);
        error = assay_sink_open(&sink, path, diag);
        if (error == ASSAY_OK) {
            assay_sink_write(&sink, files[i]->data, files[i]->size);
            error = assay_sink_close(&sink, diag);
        }
    }
    assay_sink_close(&parameters, NULL);
    return error;
}

static enum assay_error try_once(const struct detection_subjects *subjects,
                                 const struct detection_table *table, size_t kind, unsigned trial,
                                 const struct detection_trials *trials,
                                 struct detection_count *count, struct assay_diag *diag)
{
    uint64_t seed = detection_seed(trials->seed, kind, trial);
    const struct detection_subject *subject = NULL;
    struct assay_sink bytes;
    unsigned caught = 0;
    enum assay_error error =
        detection_corrupt(subjects, table, kind, &seed, &bytes, &subject, diag);
    if (error == ASSAY_OK && subject != NULL) {
        count->trials++;
        error = judge(subject, &bytes, table->list[kind].level, count, &caught, diag);
    }
    if (error == ASSAY_OK && subject != NULL && trials->keep != NULL &&
        !detection_caught_as_stated(&table->list[kind], caught)) {
        error = keep(trials, kind, trial, subject, &bytes, diag);
    }
    assay_sink_close(&bytes, NULL);
    return error;
}

enum assay_error detection_try(const struct detection_subjects *subjects,
                               const struct detection_table *table,
                               const struct detection_trials *trials, struct detection_tally *tally,
                               struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    tally->table = table;
    tally->accompanied = detection_accompanied(&subjects->list[0]);
    tally->counts = calloc(table->count + 1, sizeof *tally->counts);
    if (tally->counts == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    for (size_t kind = 0; kind < table->count; kind++) {
        for (unsigned trial = 0; trial < trials->count && error == ASSAY_OK; trial++) {
            error = try_once(subjects, table, kind, trial, trials, &tally->counts[kind], diag);
        }
    }
    return error;
}
