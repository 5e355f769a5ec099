/* What libFuzzer calls: once for each input; and what a target holds to be so of any input. */
#ifndef ASSAY_FUZZ_TARGET_H
#define ASSAY_FUZZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(bool so)
{
    if (!so) {
        abort();
    }
}

#endif
