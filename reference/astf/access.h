/* The memory accesses of one instruction as ASTF records them (4.5.2). */
#ifndef ASSAY_ASTF_ACCESS_H
#define ASSAY_ASTF_ACCESS_H

#include "execution/window.h"

/* As many as an instruction can make, as 512 accesses of 4096 bytes never occur together. What does
 * not fit is left out, and `cut` is set. */
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

/* Merges contiguous accesses, and the read and the write of one read-modify-write cycle. No access
 * is larger than 256 bytes or crosses a boundary of 4 KiB, the smallest page: the next page may be
 * elsewhere in physical memory. */
void astf_accesses_from(const struct assay_access *access, unsigned count,
                        struct astf_accesses *out);

#endif
