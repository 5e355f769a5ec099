/* The accesses of one instruction as ASTF tells them (4.5.2): what is contiguous is one, what is
 * read and written in one cycle is one, and none is larger than 256 bytes. */
#ifndef ASSAY_GENERATORS_ASTF_ACCESS_H
#define ASSAY_GENERATORS_ASTF_ACCESS_H

#include "execution/execution.h"

/* As many as an instruction can make: 512 accesses of 4096 bytes never occur together; what does
 * not fit is left out and `cut` says so. */
enum { ASTF_ACCESSES = 1024, ASTF_ACCESS_BYTES = 256 };

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

void astf_accesses_from(const struct assay_access *access, unsigned count,
                        struct astf_accesses *out);

#endif
