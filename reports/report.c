#include "reports/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/walk.h"
#include "reports/writers.h"

const struct assay_report_writer assay_report_writers[] = {
    {.name = "text", .doc = "findings with their evidence, for people", .write = assay_report_text},
    {.name = "json",
     .doc = "everything, for programs (schema assay-report/2)",
     .wants_digest = true,
     .write = assay_report_json},
    {.name = "jsonl",
     .doc = "the same in JSON Lines, while the run lasts (schema assay-report-lines/1)",
     .wants_digest = true,
     .live = &assay_jsonl,
     .write = assay_report_jsonl},
    {.name = "summary",
     .doc = "a line for each input, and the total",
     .write = assay_report_summary},
    {.name = "junit",
     .doc = "JUnit XML, for CI systems: a suite for each input, a case for each rule",
     .write = assay_report_junit},
    {.name = "sarif",
     .doc = "SARIF 2.1.0, for code scanning: a result for each violation",
     .wants_digest = true,
     .write = assay_report_sarif},
    {.name = "sarif-all",
     .doc = "the same with a result for each rule that was not violated, too",
     .wants_digest = true,
     .write = assay_report_sarif_all},
    {.name = "html",
     .doc = "a page to read in a browser: causes, clauses, findings to search",
     .wants_overview = true,
     .write = assay_report_html},
    {.name = NULL},
};

/* The findings of an input. Those of a rule are in the order of the inputs: `next` has the first
 * one of each rule that is of this input or of a later one. */
static void tell_findings(const struct assay_report_live *live, const struct assay_results *results,
                          size_t input, size_t *next, struct assay_sink *sink)
{
    for (size_t r = 0; r < results->rule_count; r++) {
        const struct assay_rule_total *total = &results->rules[r];
        for (; next[r] < total->finding_count && total->findings[next[r]].input == input;
             next[r]++) {
            const struct assay_found found = assay_found_of(results, total, next[r]);
            if (!total->rule->diagnosis) {
                live->found(&found, sink);
            }
        }
    }
}

static enum assay_error tell(const struct assay_report_live *live,
                             const struct assay_results *results, struct assay_sink *sink)
{
    size_t *next = calloc(results->rule_count + 1, sizeof *next);
    if (next == NULL) {
        assay_sink_fail(sink, ASSAY_NO_MEMORY);
        return ASSAY_NO_MEMORY;
    }
    live->start(results, results->input_count, sink);
    for (size_t i = 0; i < results->input_count; i++) {
        live->begun(i, results->inputs[i].path, sink);
        tell_findings(live, results, i, next, sink);
        live->judged(results, i, sink);
    }
    free(next);
    return ASSAY_OK;
}

enum assay_error assay_report_write(const struct assay_report_writer *writer,
                                    const struct assay_results *results,
                                    const struct assay_report_style *style, struct assay_sink *sink)
{
    const enum assay_error error =
        writer->live != NULL ? tell(writer->live, results, sink) : ASSAY_OK;
    return error != ASSAY_OK ? error : writer->write(results, style, sink);
}

bool assay_rule_page_url(const char *pages, const struct assay_rule_total *total, char *url,
                         size_t size)
{
    if (pages == NULL || total->catalogue->compiled == NULL) {
        return false;
    }
    const size_t length = strlen(pages);
    const char *slash = length > 0 && pages[length - 1] == '/' ? "" : "/";
    const int written = snprintf(url, size, "%s%s%s.html", pages, slash, total->rule->id);
    return written > 0 && (size_t)written < size;
}
