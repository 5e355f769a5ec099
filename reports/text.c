#include "reports/writers.h"

enum assay_error assay_report_text(const struct assay_results *results,
                                   const struct assay_report_style *style, struct assay_sink *sink)
{
    (void)style;
    assay_sink_printf(sink, "%s\n", assay_conclusion_name(results->conclusion));
    return sink->error;
}
