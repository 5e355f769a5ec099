/* What libFuzzer calls: once for each input; and what a target holds to be so of any input. */
#ifndef ASSAY_FUZZ_TARGET_H
#define ASSAY_FUZZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the run when something is not so, and says what. */
#define require(so) require_at((so), #so, __FILE__, __LINE__)

static inline void require_at(bool so, const char *what, const char *file, int line)
{
    if (!so) {
        fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
        abort();
    }
}

#endif
