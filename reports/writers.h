/* The writers that report.c lists. Private to reports/. */
#ifndef ASSAY_REPORTS_WRITERS_H
#define ASSAY_REPORTS_WRITERS_H

#include "reports/report.h"

enum assay_error assay_report_text(const struct assay_results *results,
                                   const struct assay_report_style *style, struct assay_sink *sink);
enum assay_error assay_report_summary(const struct assay_results *results,
                                      const struct assay_report_style *style,
                                      struct assay_sink *sink);
enum assay_error assay_report_json(const struct assay_results *results,
                                   const struct assay_report_style *style, struct assay_sink *sink);
enum assay_error assay_report_junit(const struct assay_results *results,
                                    const struct assay_report_style *style,
                                    struct assay_sink *sink);
enum assay_error assay_report_sarif(const struct assay_results *results,
                                    const struct assay_report_style *style,
                                    struct assay_sink *sink);
enum assay_error assay_report_sarif_all(const struct assay_results *results,
                                        const struct assay_report_style *style,
                                        struct assay_sink *sink);
enum assay_error assay_report_jsonl(const struct assay_results *results,
                                    const struct assay_report_style *style,
                                    struct assay_sink *sink);
enum assay_error assay_report_html(const struct assay_results *results,
                                   const struct assay_report_style *style, struct assay_sink *sink);
extern const struct assay_report_live assay_jsonl;

#endif
