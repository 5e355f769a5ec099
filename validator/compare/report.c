#include "validator/compare/report.h"

#include "validator/compare/report_parts.h"

enum assay_error assay_compare_summarize(struct assay_comparisons *comparisons,
                                         struct assay_expected_list *expected,
                                         struct assay_compare_summary *summary)
{
    *summary = (struct assay_compare_summary){
        .comparisons = comparisons, .expected = expected, .shown = 20};
    for (size_t i = 0; i < comparisons->corpus->count; i++) {
        struct assay_compared *one = &comparisons->list[i];
        const struct assay_expected *by =
            one->failure != NULL ? assay_expected_of(expected, one->vector->name, one->outcome)
                                 : NULL;
        one->reason = by != NULL ? by->reason : NULL;
        summary->failures += one->failure != NULL && by == NULL;
    }
    summary->not_run = comparisons->corpus->count - comparisons->run;
    /* What was not run could still fail. */
    summary->stale =
        summary->not_run == 0 ? assay_expected_settle(expected, comparisons->corpus) : 0;
    return assay_compare_causes_find(&summary->causes, comparisons);
}

void assay_compare_summary_free(struct assay_compare_summary *summary)
{
    assay_compare_causes_free(&summary->causes);
}

const struct assay_compare_writer assay_compare_writers[] = {{"text", assay_compare_write_text},
                                                             {"json", assay_compare_write_json},
                                                             {"junit", assay_compare_write_junit},
                                                             {NULL, NULL}};
