/* The address of a store exclusive that failed. A recording has no access for it, but the record
 * has the address (4.5.2). It is that of the load exclusive before it, if both use the same base
 * register and no instruction in between may write that register. */
#ifndef ASSAY_GENERATORS_ASTF_EXCLUSIVE_H
#define ASSAY_GENERATORS_ASTF_EXCLUSIVE_H

#include <stdbool.h>
#include <stdint.h>

struct astf_exclusive {
    bool known;
    unsigned base; /* register */
    uint64_t address;
};

/* An instruction that completed; `address` is that of its first access, if `accessed`. */
void astf_exclusive_instruction(struct astf_exclusive *exclusive, uint32_t word, uint64_t info,
                                bool accessed, uint64_t address);

/* Something happened that may change any register: a system call, a signal. */
static inline void astf_exclusive_forget(struct astf_exclusive *exclusive)
{
    exclusive->known = false;
}

/* Whether the address of this store exclusive is known. */
bool astf_exclusive_address(const struct astf_exclusive *exclusive, uint32_t word,
                            uint64_t *address);

#endif
