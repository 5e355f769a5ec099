/* What came out of a comparison, for people and for CI. */
#ifndef ASSAY_COMPARE_REPORT_H
#define ASSAY_COMPARE_REPORT_H

#include "io/sink.h"
#include "validator/compare/causes.h"
#include "validator/compare/compare.h"
#include "validator/compare/expected.h"

struct assay_compare_summary {
    const struct assay_comparisons *comparisons;
    const struct assay_expected_list *expected;
    struct assay_compare_causes causes; /* of the failures that are not expected */
    size_t failures;                    /* that are not expected */
    size_t stale;                       /* expected ones that do not occur */
    size_t not_run;                     /* vectors, because the run was stopped */
    size_t shown;                       /* causes that the text shows, at the most */
};

/* Settles which failures are expected, counts, and groups them. To be freed in any case.
 * ASSAY_NO_MEMORY. */
enum assay_error assay_compare_summarize(struct assay_comparisons *comparisons,
                                         struct assay_expected_list *expected,
                                         struct assay_compare_summary *summary);

void assay_compare_summary_free(struct assay_compare_summary *summary);

struct assay_compare_writer {
    const char *name;
    enum assay_error (*write)(const struct assay_compare_summary *summary, struct assay_sink *sink);
};

/* A null name ends the list. */
extern const struct assay_compare_writer assay_compare_writers[];

#endif
