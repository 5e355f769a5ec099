/* What the writers of a comparison share. Private to validator/compare/. */
#ifndef ASSAY_COMPARE_REPORT_PARTS_H
#define ASSAY_COMPARE_REPORT_PARTS_H

#include "validator/compare/report.h"

/* Counts of the vectors of a format. */
struct assay_compare_row {
    const char *format;
    size_t outcomes[ASSAY_COMPARE_OUTCOMES];
    size_t expected;
    size_t vectors;
    size_t not_run; /* of the vectors */
};

/* Those of the vectors from `from` on that are of one format, which stand together. Returns the
 * vector after them. */
size_t assay_compare_count_row(const struct assay_comparisons *c, size_t from,
                               struct assay_compare_row *row);

enum assay_error assay_compare_write_text(const struct assay_compare_summary *summary,
                                          struct assay_sink *sink);
enum assay_error assay_compare_write_json(const struct assay_compare_summary *summary,
                                          struct assay_sink *sink);
enum assay_error assay_compare_write_junit(const struct assay_compare_summary *summary,
                                           struct assay_sink *sink);

#endif
