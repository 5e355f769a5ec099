/* Normalizes the accesses of atomic instructions. What QEMU reports depends on whether a second
 * thread exists: without one, the load and the store by which it emulates the instruction; with
 * one, a single store. In the recording a read-modify-write reads and then writes, and a
 * store-exclusive writes, as the instruction set defines. */
#ifndef ASSAY_RECORDER_NORMALIZE_H
#define ASSAY_RECORDER_NORMALIZE_H

#include <stdint.h>

#include "execution/execution.h"

enum normalize_rule {
    NORMALIZE_NOTHING,
    NORMALIZE_READS_AND_WRITES, /* CAS, SWP, LDADD ...; AMO */
    NORMALIZE_ONLY_WRITES       /* STXR, STXP ...; SC */
};

enum normalize_rule normalize_rule_of(enum assay_execution_isa isa, uint32_t word, unsigned size);

/* Normalizes in place; the array holds ASSAY_EXECUTION_ACCESSES_MAX. Returns the new count. */
unsigned normalize_accesses(enum normalize_rule rule, struct assay_access *access,
                            unsigned accesses);

#endif
