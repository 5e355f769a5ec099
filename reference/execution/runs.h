/* Sets of bytes, by which accesses are compared, whatever way they are merged, split or ordered. */
#ifndef ASSAY_EXECUTION_RUNS_H
#define ASSAY_EXECUTION_RUNS_H

#include <stdbool.h>
#include <stdint.h>

enum { ASSAY_RUNS = 1024 };

/* Bytes that follow each other, both ends included. */
struct assay_run {
    uint64_t first, last;
};

/* A set of bytes: runs in ascending order that neither overlap nor touch. To empty it, clear
 * `count` and `cut`. */
struct assay_runs {
    unsigned count;
    bool cut; /* more runs than there is room for: the set is not whole */
    struct assay_run list[ASSAY_RUNS];
};

/* Adds `size` bytes from the address on, modulo 2^64; 0 adds nothing. */
void assay_runs_add(struct assay_runs *runs, uint64_t address, uint64_t size);

struct assay_surplus {
    uint64_t bytes; /* how many; at most UINT32_MAX for each run */
    uint64_t first; /* the lowest of them; 0 when there are none */
};

/* The bytes of one set that are not in the other. */
struct assay_surplus assay_runs_beyond(const struct assay_runs *runs,
                                       const struct assay_runs *other);

#endif
