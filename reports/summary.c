/* A line for each input, and the total: for logs, and for who looks for one trace among many. Lines
 * are not wrapped, whatever the width. */
#include <stdio.h>

#include "reports/text.h"
#include "reports/writers.h"

static void put_counts(struct assay_page *page, uint64_t violations, uint64_t waived)
{
    char text[96];
    char number[ASSAY_NUMBER_TEXT];
    snprintf(text, sizeof text, "%s violation%s", assay_number_text(violations, number),
             violations == 1 ? "" : "s");
    assay_page_firm(page, ASSAY_INK_PLAIN, text);
    if (waived > 0) {
        snprintf(text, sizeof text, " (%s waived)", assay_number_text(waived, number));
        assay_page_firm(page, ASSAY_INK_PLAIN, text);
    }
}

static void put_input(struct assay_page *page, const struct assay_input_result *input)
{
    char verdict[32];
    snprintf(verdict, sizeof verdict, "%-12s", assay_conclusion_name(input->conclusion));
    assay_page_line(page, 0, 0);
    assay_page_firm(page, assay_conclusion_ink(input->conclusion), verdict);
    assay_page_firm(page, ASSAY_INK_STRONG, input->path);
    assay_page_firm(page, ASSAY_INK_PLAIN, ": ");
    if (input->conclusion == ASSAY_UNREADABLE) {
        assay_page_firm(page, ASSAY_INK_PLAIN,
                        input->diag.message[0] != '\0' ? input->diag.message
                                                       : assay_error_text(input->diag.error));
    } else {
        put_counts(page, input->violations, input->waived);
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
    size_t count[ASSAY_CONCLUSION_COUNT] = {0};
    uint64_t violations = 0;
    uint64_t waived = 0;
    char text[96];
    for (size_t i = 0; i < results->input_count; i++) {
        count[results->inputs[i].conclusion]++;
        violations += results->inputs[i].violations;
        waived += results->inputs[i].waived;
    }
    assay_page_line(page, 0, 0);
    snprintf(text, sizeof text, "%-12s%zu input%s: ", "total", results->input_count,
             results->input_count == 1 ? "" : "s");
    assay_page_firm(page, ASSAY_INK_PLAIN, text);
    for (size_t c = 0; c < ASSAY_CONCLUSION_COUNT; c++) {
        snprintf(text, sizeof text, "%zu %s, ", count[c], words[c]);
        assay_page_firm(page, ASSAY_INK_PLAIN, count[c] > 0 ? text : "");
    }
    put_counts(page, violations, waived);
}

enum assay_error assay_report_summary(const struct assay_results *results,
                                      const struct assay_report_style *style,
                                      struct assay_sink *sink)
{
    struct assay_page page;
    assay_page_begin(&page, style, sink);
    for (size_t i = 0; i < results->input_count; i++) {
        put_input(&page, &results->inputs[i]);
    }
    put_total(&page, results);
    return assay_page_end(&page);
}
