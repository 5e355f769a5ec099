/* The text report: what is new since an earlier run, and what is gone. */
#include <inttypes.h>

#include "reports/baseline.h"
#include "reports/text.h"

void assay_text_baseline_counts(struct assay_page *page, const struct assay_results *results)
{
    const struct assay_baseline_result *baseline = results->baseline;
    char number[ASSAY_NUMBER_TEXT];
    assay_page_format(page, baseline->deciding > 0 ? ASSAY_INK_BAD : ASSAY_INK_PLAIN, "%s new %s",
                      assay_number_text(baseline->fresh, number),
                      baseline->fresh == 1 ? "violation" : "violations");
    assay_page_format(page, ASSAY_INK_PLAIN, ", %s known",
                      assay_number_text(baseline->known, number));
    assay_page_format(page, ASSAY_INK_PLAIN, ", %s gone since ",
                      assay_number_text(baseline->gone, number));
    assay_page_name(page, ASSAY_INK_PLAIN, baseline->path);
    if (baseline->unjudged > 0) {
        assay_page_format(page, ASSAY_INK_PLAIN, ", %s not judged now",
                          assay_number_text(baseline->unjudged, number));
    }
    if (baseline->conclusion != results->conclusion) {
        assay_page_put(page, ASSAY_INK_PLAIN, "; judged by what is new: ");
        assay_page_firm(page, assay_conclusion_ink(baseline->conclusion),
                        assay_conclusion_name(baseline->conclusion));
    }
}

void assay_text_baseline_line(struct assay_page *page, const struct assay_results *results)
{
    if (results->baseline != NULL) {
        assay_text_label(page, "baseline");
        assay_text_baseline_counts(page, results);
    }
}

static void put_counts(struct assay_page *page, const struct assay_baseline_change *change)
{
    char number[ASSAY_NUMBER_TEXT];
    if (change->fresh > 0) {
        assay_page_format(page, ASSAY_INK_BAD, "%s new", assay_number_text(change->fresh, number));
    }
    if (change->gone > 0) {
        assay_page_format(page, ASSAY_INK_GOOD, "%s%s gone", change->fresh > 0 ? ", " : "",
                          assay_number_text(change->gone, number));
    }
}

/* The places of what is new, as far as they are listed. */
static void put_places(struct assay_page *page, const struct assay_results *results,
                       const struct assay_baseline_change *change)
{
    size_t r = 0;
    while (results->rules[r].rule != change->rule) {
        r++;
    }
    const struct assay_rule_total *total = &results->rules[r];
    for (size_t i = 0; i < total->finding_count; i++) {
        const struct assay_located_finding *finding = &total->findings[i];
        if (finding->input == change->input &&
            assay_baseline_is_fresh(results->baseline, finding)) {
            assay_page_line(page, 4, 6);
            assay_text_place(page, results, total, finding);
            assay_page_put(page, ASSAY_INK_PLAIN, ": ");
            assay_page_put(page, ASSAY_INK_PLAIN, finding->finding->message);
        }
    }
}

void assay_text_baseline(struct assay_page *page, const struct assay_results *results)
{
    const struct assay_baseline_result *baseline = results->baseline;
    if (baseline == NULL || (baseline->change_count == 0 && !baseline->other_rules)) {
        return;
    }
    assay_page_blank(page);
    assay_page_line(page, 0, 0);
    assay_page_put(page, ASSAY_INK_STRONG, "Since the baseline");
    if (baseline->other_rules) {
        assay_page_line(page, 2, 2);
        assay_page_put(
            page, ASSAY_INK_PLAIN,
            "It was made with other rules; what is new may be what they did not look at.");
    }
    if (!baseline->exact) {
        assay_page_line(page, 2, 2);
        assay_page_put(page, ASSAY_INK_PLAIN,
                       "Not all findings are listed, so some are only counted, by rule and input; "
                       "--max-findings lists more.");
    }
    for (size_t i = 0; i < baseline->change_count; i++) {
        const struct assay_baseline_change *change = &baseline->changes[i];
        assay_page_line(page, 2, 4);
        assay_page_put(page, ASSAY_INK_STRONG, change->rule->id);
        assay_page_put(page, ASSAY_INK_PLAIN, " in ");
        assay_page_name(page, ASSAY_INK_PLAIN, results->inputs[change->input].path);
        assay_page_put(page, ASSAY_INK_PLAIN, ": ");
        put_counts(page, change);
        put_places(page, results, change);
    }
    assay_page_blank(page);
}
