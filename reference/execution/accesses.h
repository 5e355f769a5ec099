/* The accesses that the records of an instruction tell, compared with those that it made: as sets
 * of bytes, so that it does not matter how they are merged, split or ordered. */
#ifndef ASSAY_EXECUTION_ACCESSES_H
#define ASSAY_EXECUTION_ACCESSES_H

#include "execution/runs.h"
#include "execution/window.h"

struct assay_accesses {
    struct assay_runs reads, writes, any; /* recorded */
    struct assay_runs executed_reads, executed_writes;
};

/* Bytes on one side and not on the other. */
enum {
    ASSAY_MISSING_READ,  /* read by the execution, not by the records */
    ASSAY_MISSING_WRITE, /* the same of writes */
    ASSAY_SPURIOUS_READ, /* read by the records, not by the execution */
    ASSAY_SPURIOUS_WRITE,
    ASSAY_ACCESS_DIFFERENCES
};

/* No accesses are recorded, yet. */
void assay_accesses_clear(struct assay_accesses *accesses);

/* One that is recorded. */
void assay_accesses_add(struct assay_accesses *accesses, uint64_t address, uint64_t size, bool read,
                        bool write);

/* Compares those recorded with those executed. With `either_way` what was executed may be recorded
 * as a read or as a write. *word gets the number of bytes of each difference, 16 bits each, 65535
 * for more: as the word ASSAY_COMPARE_BYTES of an event. False: there are too many to be compared.
 */
bool assay_accesses_compare(struct assay_accesses *accesses, const struct assay_access *executed,
                            unsigned count, bool either_way,
                            struct assay_surplus differ[ASSAY_ACCESS_DIFFERENCES], uint64_t *word);

/* The lowest address of some differences; 0 when there are none. */
uint64_t assay_accesses_lowest(const struct assay_surplus *differ, unsigned count);

#endif
