/* What a run's comparison with an earlier one says of a rule in an input, and of a finding. */
#include <inttypes.h>
#include <stdio.h>

#include "reports/baseline.h"

const struct assay_baseline_change *
assay_baseline_change_of(const struct assay_baseline_result *result, size_t input,
                         const struct assay_rule *rule)
{
    size_t first = 0;
    size_t end = result->change_count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (result->changes[middle].input < input) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    for (; first < result->change_count && result->changes[first].input == input; first++) {
        if (result->changes[first].rule == rule) {
            return &result->changes[first];
        }
    }
    return NULL;
}

const char *assay_baseline_state_name(enum assay_baseline_state state)
{
    static const char *const names[] = {"known", "new", "undecided"};
    return names[state];
}

enum assay_baseline_state assay_baseline_state_of(const struct assay_baseline_result *result,
                                                  const struct assay_rule *rule,
                                                  const struct assay_located_finding *finding)
{
    const struct assay_baseline_change *change =
        assay_baseline_change_of(result, finding->input, rule);
    if (change == NULL || change->fresh == 0) {
        return ASSAY_BASELINE_KNOWN;
    }
    if (change->counted) {
        return ASSAY_BASELINE_UNDECIDED;
    }
    return assay_baseline_is_fresh(result, finding) ? ASSAY_BASELINE_NEW : ASSAY_BASELINE_KNOWN;
}

void assay_baseline_text(const struct assay_baseline_result *result, char *text, size_t size)
{
    snprintf(text, size, "%" PRIu64 " new %s, %" PRIu64 " known, %" PRIu64 " gone since %s",
             result->fresh, result->fresh == 1 ? "violation" : "violations", result->known,
             result->gone, result->path);
}
