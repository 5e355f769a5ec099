/* What was waived, by whom, until when; and waivers that waived nothing. */
#include "reports/text.h"

static void put_waiver(struct assay_page *page, const struct assay_waiver_used *used)
{
    const struct assay_waiver *waiver = used->waiver;
    assay_page_line(page, 2, 4);
    assay_page_put(page, ASSAY_INK_STRONG, waiver->rule);
    assay_page_put(page, ASSAY_INK_PLAIN, " in ");
    assay_page_put(page, ASSAY_INK_PLAIN, waiver->input);
    assay_page_put(page, ASSAY_INK_PLAIN, ": ");
    if (used->waived > 0) {
        assay_page_count(page, used->waived, "violation", "violations");
    } else {
        assay_page_put(page, used->judged ? ASSAY_INK_BAD : ASSAY_INK_PLAIN,
                       used->judged ? "no violation; remove it" : "left out");
    }
    assay_page_line(page, 4, 4);
    assay_page_put(page, ASSAY_INK_PLAIN, waiver->reason);
    assay_page_line(page, 4, 4);
    assay_page_put(page, ASSAY_INK_DIM, waiver->owner);
    assay_page_put(page, ASSAY_INK_DIM, ", until ");
    assay_page_put(page, ASSAY_INK_DIM, waiver->expires);
    if (waiver->link != NULL) {
        assay_page_put(page, ASSAY_INK_DIM, ", ");
        assay_page_put(page, ASSAY_INK_DIM, waiver->link);
    }
}

void assay_text_waivers(struct assay_page *page, const struct assay_results *results)
{
    if (results->waiver_count == 0) {
        return;
    }
    assay_page_blank(page);
    assay_page_line(page, 0, 0);
    assay_page_put(page, ASSAY_INK_STRONG, "Waived");
    for (size_t i = 0; i < results->waiver_count; i++) {
        put_waiver(page, &results->waivers[i]);
    }
    assay_page_blank(page);
}
