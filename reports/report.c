#include "reports/report.h"

#include "reports/writers.h"

const struct assay_report_writer assay_report_writers[] = {
    {.name = "text", .doc = "findings with their evidence, for people", .write = assay_report_text},
    {.name = "json",
     .doc = "everything, for programs (schema assay-report/2)",
     .wants_digest = true,
     .write = assay_report_json},
    {.name = "summary",
     .doc = "a line for each input, and the total",
     .write = assay_report_summary},
    {.name = "junit",
     .doc = "JUnit XML, for CI systems: a suite for each input, a case for each rule",
     .write = assay_report_junit},
    {.name = NULL},
};
