/* Judging an input with both back ends of the rules: they must agree, whatever it is. */
#ifndef ASSAY_FUZZ_JUDGE_H
#define ASSAY_FUZZ_JUDGE_H

#include "fuzz/described.h"
#include "fuzz/reached.h"
#include "validator/engine/check.h"

static inline struct assay_check *judge_check(const struct assay_check_options *options,
                                              const char *path)
{
    struct assay_check *check = NULL;
    const struct assay_input input = {.path = path};
    require(assay_check_open(options, &check, NULL) == ASSAY_OK);
    require(assay_check_inputs(check, &input, 1, NULL) == ASSAY_OK);
    return check;
}

static inline void judge_show(void *context, const struct assay_stream_result *stream,
                              const struct assay_block *block)
{
    (void)context;
    reached_block(stream->format, block);
}

/* By the rules of the format, or of all where it carries streams of others. */
static inline void judge_with_both(const struct described *input, unsigned jobs)
{
    const struct assay_format *const format = input->bundle.input.setup.format;
    const struct assay_catalogue *const own = assay_catalogue_of(format);
    struct assay_check_options options = {.catalogues = &own,
                                          .catalogue_count = 1,
                                          .max_findings = 3,
                                          .jobs = jobs,
                                          .show = reached_wanted() ? judge_show : NULL};
    if (format->carrier != NULL) {
        options.catalogues = assay_catalogues;
        while (assay_catalogues[options.catalogue_count] != NULL) {
            options.catalogue_count++;
        }
    }
    struct assay_check *emitted = judge_check(&options, input->path);
    options.evaluate = true;
    options.show = NULL;
    struct assay_check *evaluated = judge_check(&options, input->path);
    const struct assay_results *a = assay_check_results(emitted);
    const struct assay_results *b = assay_check_results(evaluated);
    for (size_t r = 0; r < a->rule_count; r++) {
        require(a->rules[r].exercised == b->rules[r].exercised &&
                a->rules[r].violated == b->rules[r].violated);
    }
    assay_check_close(emitted);
    assay_check_close(evaluated);
}

#endif
