/* The JSON report: what was waived, and by which waivers. */
#include "reports/json_parts.h"

void assay_json_set_waived(struct assay_json_stream *s, json_t *object, uint64_t waived)
{
    if (waived > 0) {
        assay_json_set(s, object, "waived", assay_json_count(waived));
    }
}

static json_t *waiver_object(struct assay_json_stream *s, const struct assay_waiver_used *used)
{
    const struct assay_waiver *waiver = used->waiver;
    json_t *object = json_object();
    assay_json_set(s, object, "rule", assay_json_text(waiver->rule));
    assay_json_set(s, object, "input", assay_json_text(waiver->input));
    assay_json_set(s, object, "reason", assay_json_text(waiver->reason));
    assay_json_set(s, object, "owner", assay_json_text(waiver->owner));
    if (waiver->link != NULL) {
        assay_json_set(s, object, "link", assay_json_text(waiver->link));
    }
    assay_json_set(s, object, "expires", assay_json_text(waiver->expires));
    assay_json_set(s, object, "waived", assay_json_count(used->waived));
    return object;
}

void assay_json_waivers(struct assay_json_stream *s, const struct assay_results *results)
{
    if (results->waiver_count == 0) {
        return;
    }
    assay_json_list_begin(s, "waivers");
    for (size_t i = 0; i < results->waiver_count; i++) {
        assay_json_list_item(s, waiver_object(s, &results->waivers[i]));
    }
    assay_json_list_end(s);
}
