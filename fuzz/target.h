/* What libFuzzer calls: once for each input. */
#ifndef ASSAY_FUZZ_TARGET_H
#define ASSAY_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
