/* Judging an input with both back ends of the rules: they must agree, whatever it is. */
#ifndef ASSAY_FUZZ_JUDGE_H
#define ASSAY_FUZZ_JUDGE_H

#include <stdlib.h>

#include "common/source.h"
#include "fuzz/target.h"
#include "validator/engine/check.h"

static inline struct assay_check *check_with(const struct assay_check_options *options,
                                             const struct assay_input *input, const uint8_t *data,
                                             size_t size)
{
    struct assay_check *check = NULL;
    struct assay_source *source = NULL;
    if (assay_check_open(options, &check, NULL) != ASSAY_OK ||
        assay_source_memory(data, size, &source) != ASSAY_OK ||
        assay_check_source(check, input, source, NULL, NULL) != ASSAY_OK) {
        abort();
    }
    return check;
}

static inline void judge_with_both(const struct assay_check_options *options,
                                   const struct assay_input *input, const uint8_t *data,
                                   size_t size)
{
    struct assay_check_options evaluating = *options;
    evaluating.evaluate = true;
    struct assay_check *emitted = check_with(options, input, data, size);
    struct assay_check *evaluated = check_with(&evaluating, input, data, size);
    const struct assay_results *a = assay_check_results(emitted);
    const struct assay_results *b = assay_check_results(evaluated);
    for (size_t r = 0; r < a->rule_count; r++) {
        if (a->rules[r].exercised != b->rules[r].exercised ||
            a->rules[r].violated != b->rules[r].violated) {
            abort();
        }
    }
    assay_check_close(emitted);
    assay_check_close(evaluated);
}

#endif
