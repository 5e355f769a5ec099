/* Sets of bytes, as which accesses are compared, however they are merged, split or ordered. */
#ifndef ASSAY_EXECUTION_BYTE_SET_H
#define ASSAY_EXECUTION_BYTE_SET_H

#include <stdbool.h>
#include <stdint.h>

enum { ASSAY_BYTE_SET_RANGES = 1024 };

/* Consecutive bytes, both ends included. */
struct assay_byte_range {
    uint64_t first, last;
};

/* A set of bytes: ranges in ascending order that neither overlap nor touch. To empty it, clear
 * `count` and `overflowed`. */
struct assay_byte_set {
    unsigned count;
    bool overflowed; /* there were more ranges than fit: the set is incomplete */
    struct assay_byte_range list[ASSAY_BYTE_SET_RANGES];
};

/* Adds `size` bytes from the address on, modulo 2^64; 0 adds nothing. */
void assay_byte_set_add(struct assay_byte_set *set, uint64_t address, uint64_t size);

struct assay_byte_difference {
    uint64_t bytes; /* how many; at most UINT32_MAX for each range */
    uint64_t first; /* the lowest of them; 0 when there are none */
};

/* The bytes of one set that are not in the other. */
struct assay_byte_difference assay_byte_set_difference(const struct assay_byte_set *set,
                                                       const struct assay_byte_set *other);

#endif
