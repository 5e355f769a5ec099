/* QEMU's accesses of atomic instructions depend on whether a second thread exists: without one it
 * reports the load and the store by which it emulates the instruction, with one a single store.
 * This makes of both what the instruction set says: a read-modify-write reads and then writes, a
 * store-exclusive writes. */
#ifndef ASSAY_RECORDER_MEND_H
#define ASSAY_RECORDER_MEND_H

#include <stdint.h>

#include "execution/execution.h"

enum mend_habit {
    MEND_NOTHING,
    MEND_READS_AND_WRITES, /* CAS, SWP, LDADD ...; AMO */
    MEND_ONLY_WRITES       /* STXR, STXP ...; SC */
};

enum mend_habit mend_habit_of(enum assay_execution_isa isa, uint32_t word, unsigned size);

/* Mends in place; the array holds ASSAY_EXECUTION_ACCESSES_MAX. Returns the new count. */
unsigned mend_accesses(enum mend_habit habit, struct assay_access *access, unsigned accesses);

#endif
