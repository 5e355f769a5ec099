/* The memory accesses of one instruction as ASTF tells them (4.5.2), and as what they are compared
 * by: sets of bytes, whatever way they are merged, split or ordered. */
#ifndef ASSAY_ASTF_ACCESS_H
#define ASSAY_ASTF_ACCESS_H

#include "execution/execution.h"

/* 4.3: the address without a tag in its top byte. A recorder may tell the pointer as it was used;
 * an access with any other top byte would have faulted. */
static inline uint64_t astf_untagged(uint64_t address)
{
    const uint64_t copies = 0 - ((address >> 55) & 1); /* of bit 55 */
    return (address & (UINT64_MAX >> 8)) | copies << 56;
}

/* --- as records tell them --- */

/* As many as an instruction can make: 512 accesses of 4096 bytes never occur together; what does
 * not fit is left out and `cut` says so. */
enum { ASTF_ACCESSES = 1024, ASTF_ACCESS_BYTES = 256, ASTF_ACCESS_PAGE = 4096 };

struct astf_access {
    uint64_t address;
    uint32_t size; /* 1 to ASTF_ACCESS_BYTES */
    bool read, write;
};

struct astf_accesses {
    unsigned count;
    bool cut;
    struct astf_access list[ASTF_ACCESSES];
};

/* What is contiguous is one, what is read and written in one cycle is one, and none is larger than
 * 256 bytes or crosses a border of pages of 4 KiB, the smallest there are: beyond it physical
 * memory may go on elsewhere. */
void astf_accesses_from(const struct assay_access *access, unsigned count,
                        struct astf_accesses *out);

/* --- as sets of bytes --- */

enum { ASTF_RUNS = 1024 };

/* Bytes that follow each other, both ends included. */
struct astf_run {
    uint64_t first, last;
};

/* A set of bytes: runs in ascending order that neither overlap nor touch. To empty it, clear
 * `count` and `cut`. */
struct astf_runs {
    unsigned count;
    bool cut; /* more runs than there is room for: the set is not whole */
    struct astf_run list[ASTF_RUNS];
};

/* Adds `size` bytes from the address on, modulo 2^64; 0 adds nothing. */
void astf_runs_add(struct astf_runs *runs, uint64_t address, uint64_t size);

struct astf_surplus {
    uint64_t bytes; /* how many; at most UINT32_MAX for each run */
    uint64_t first; /* the lowest of them; 0 when there are none */
};

/* The bytes of one set that are not in the other. */
struct astf_surplus astf_runs_beyond(const struct astf_runs *runs, const struct astf_runs *other);

#endif
