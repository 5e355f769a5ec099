/* A line for each input, one for the files that were not judged, and the total: for logs, and for
 * who looks for one trace among many. Lines are not wrapped, whatever the width. */
#include <stdio.h>

#include "reports/text.h"
#include "reports/walk.h"
#include "reports/writers.h"
#include "validator/engine/causes.h"

struct counts {
    uint64_t violations; /* that count for the verdict */
    uint64_t lesser;     /* of levels below; what a diagnosis recognises is no violation */
    uint64_t waived;
};

static void count(const struct assay_results *results, const struct assay_input_result *input,
                  struct counts *sum)
{
    sum->waived += input->waived;
    for (size_t i = 0; i < input->stream_count; i++) {
        for (size_t n = 0; n < input->streams[i].outcome_count; n++) {
            const struct assay_rule_outcome *outcome = &input->streams[i].outcomes[n];
            const struct assay_rule *rule = results->rules[outcome->rule].rule;
            if (assay_rule_counts(results, rule)) {
                sum->violations += outcome->violated;
            } else if (!rule->diagnosis) {
                sum->lesser += outcome->violated;
            }
        }
    }
}

static void put_counts(struct assay_page *page, const struct counts *counts)
{
    char text[96];
    char number[ASSAY_NUMBER_TEXT];
    snprintf(text, sizeof text, "%s violation%s", assay_number_text(counts->violations, number),
             counts->violations == 1 ? "" : "s");
    assay_page_firm(page, ASSAY_INK_PLAIN, text);
    if (counts->lesser > 0) {
        snprintf(text, sizeof text, ", %s that do%s not count",
                 assay_number_text(counts->lesser, number), counts->lesser == 1 ? "es" : "");
        assay_page_firm(page, ASSAY_INK_PLAIN, text);
    }
    if (counts->waived > 0) {
        snprintf(text, sizeof text, " (%s waived)", assay_number_text(counts->waived, number));
        assay_page_firm(page, ASSAY_INK_PLAIN, text);
    }
}

static void put_input(struct assay_page *page, const struct assay_results *results,
                      const struct assay_input_result *input)
{
    struct counts counts = {0};
    char verdict[32];
    snprintf(verdict, sizeof verdict, "%-12s", assay_conclusion_name(input->conclusion));
    assay_page_line(page, 0, 0);
    assay_page_firm(page, assay_conclusion_ink(input->conclusion), verdict);
    assay_page_name(page, ASSAY_INK_STRONG, input->path);
    assay_page_firm(page, ASSAY_INK_PLAIN, ": ");
    if (input->conclusion == ASSAY_UNREADABLE) {
        assay_page_firm(page, ASSAY_INK_PLAIN,
                        input->diag.message[0] != '\0' ? input->diag.message
                                                       : assay_error_text(input->diag.error));
    } else {
        count(results, input, &counts);
        put_counts(page, &counts);
    }
}

/* Files that were found and not judged, by reason; nothing where there are none. */
static void put_skipped(struct assay_page *page, const struct assay_results *results)
{
    size_t sum = 0;
    char text[96];
    for (unsigned reason = 0; reason < ASSAY_SKIP_REASON_COUNT; reason++) {
        sum += assay_skipped_files(results, reason);
    }
    if (sum == 0) {
        return;
    }
    assay_page_line(page, 0, 0);
    snprintf(text, sizeof text, "%-12s%zu file%s", "not judged", sum, sum == 1 ? "" : "s");
    assay_page_firm(page, ASSAY_INK_PLAIN, text);
    const char *separator = ": ";
    for (unsigned reason = 0; reason < ASSAY_SKIP_REASON_COUNT; reason++) {
        const size_t count = assay_skipped_files(results, reason);
        if (count > 0) {
            snprintf(text, sizeof text, "%s%zu %s", separator, count,
                     assay_skip_reason_name(reason));
            assay_page_firm(page, ASSAY_INK_PLAIN, text);
            separator = ", ";
        }
    }
}

static void put_total(struct assay_page *page, const struct assay_results *results)
{
    static const char *const words[ASSAY_CONCLUSION_COUNT] = {
        [ASSAY_CONFORMS] = "conform",
        [ASSAY_VIOLATES] = "violate",
        [ASSAY_INCOMPLETE] = "incomplete",
        [ASSAY_UNREADABLE] = "unreadable",
    };
    size_t inputs[ASSAY_CONCLUSION_COUNT] = {0};
    struct counts counts = {0};
    char text[96];
    for (size_t i = 0; i < results->input_count; i++) {
        inputs[results->inputs[i].conclusion]++;
        count(results, &results->inputs[i], &counts);
    }
    assay_page_line(page, 0, 0);
    snprintf(text, sizeof text, "%-12s%zu input%s: ", "total", results->input_count,
             results->input_count == 1 ? "" : "s");
    assay_page_firm(page, ASSAY_INK_PLAIN, text);
    for (size_t c = 0; c < ASSAY_CONCLUSION_COUNT; c++) {
        snprintf(text, sizeof text, "%zu %s, ", inputs[c], words[c]);
        assay_page_firm(page, ASSAY_INK_PLAIN, inputs[c] > 0 ? text : "");
    }
    put_counts(page, &counts);
}

/* What the exit status is of, where it is not of the verdicts. */
static void put_baseline(struct assay_page *page, const struct assay_results *results)
{
    char text[16];
    if (results->baseline != NULL) {
        assay_page_line(page, 0, 0);
        snprintf(text, sizeof text, "%-12s", "baseline");
        assay_page_firm(page, ASSAY_INK_PLAIN, text);
        assay_text_baseline_counts(page, results);
    }
}

enum assay_error assay_report_summary(const struct assay_results *results,
                                      const struct assay_report_style *style,
                                      struct assay_sink *sink)
{
    struct assay_page page;
    assay_page_begin(&page, style, sink);
    for (size_t i = 0; i < results->input_count; i++) {
        put_input(&page, results, &results->inputs[i]);
    }
    put_skipped(&page, results);
    put_total(&page, results);
    put_baseline(&page, results);
    return assay_page_end(&page);
}
