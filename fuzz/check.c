/* An ASTF trace, judged by all rules. */
#include "fuzz/judge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct assay_facts facts = {.known = {true}, .value = {1}};
    const struct assay_check_options options = {.format = assay_formats[0],
                                                .facts = &facts,
                                                .catalogues = assay_catalogues,
                                                .catalogue_count = 1,
                                                .max_findings = 3,
                                                .jobs = 2};
    judge_with_both(&options, data, size);
    return 0;
}
