/* An ASTF trace with what a manifest gives, judged by all rules (described.h). */
#include "fuzz/bounded.h"
#include "fuzz/judge.h"

extern const struct assay_format assay_format_astf;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct described input;
    if (described_open(&input, &assay_format_astf, data, size) &&
        bounded_bytes(&input.bundle.input.setup, input.trace, input.size, NULL, NULL) !=
            BOUNDED_LONG) {
        judge_with_both(&input, 2);
    }
    described_close(&input);
    return 0;
}
