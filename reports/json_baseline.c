/* The JSON report: what is new since an earlier run, and what is gone. */
#include "reports/baseline.h"
#include "reports/json_parts.h"

static json_t *change_object(struct assay_json_stream *s,
                             const struct assay_baseline_change *change)
{
    json_t *object = json_object();
    assay_json_set(s, object, "input", assay_json_count(change->input));
    assay_json_set(s, object, "rule", assay_json_text(change->rule->id));
    assay_json_set(s, object, "new", assay_json_count(change->fresh));
    assay_json_set(s, object, "gone", assay_json_count(change->gone));
    return object;
}

void assay_json_baseline(struct assay_json_stream *s, const struct assay_results *results)
{
    const struct assay_baseline_result *baseline = results->baseline;
    if (baseline == NULL) {
        return;
    }
    json_t *object = json_object();
    json_t *changes = json_array();
    for (size_t i = 0; i < baseline->change_count; i++) {
        assay_json_append(s, changes, change_object(s, &baseline->changes[i]));
    }
    assay_json_set(s, object, "path", assay_json_name(baseline->path));
    assay_json_set(s, object, "verdict", json_string(assay_conclusion_name(baseline->conclusion)));
    assay_json_set(s, object, "new", assay_json_count(baseline->fresh));
    assay_json_set(s, object, "known", assay_json_count(baseline->known));
    assay_json_set(s, object, "gone", assay_json_count(baseline->gone));
    assay_json_set(s, object, "not_judged", assay_json_count(baseline->unjudged));
    assay_json_set(s, object, "one_by_one", json_boolean(baseline->exact));
    assay_json_set(s, object, "same_rules", json_boolean(!baseline->other_rules));
    assay_json_set(s, object, "changes", changes);
    assay_json_member(s, "baseline", object);
}
