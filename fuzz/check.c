/* An ASTF trace, judged by all rules. */
#include "fuzz/bounded.h"
#include "fuzz/judge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct assay_facts facts = {.known = {true}, .value = {1}};
    const struct assay_check_options options = {
        .catalogues = assay_catalogues, .catalogue_count = 1, .max_findings = 3, .jobs = 2};
    const struct assay_input input = {.path = "input",
                                      .setup = {.format = assay_formats[0], .facts = &facts}};
    if (is_little(input.setup.format, input.setup.profile, data, size)) {
        judge_with_both(&options, &input, data, size);
    }
    return 0;
}
