/* The accesses recorded for an instruction, compared with those that it made: as sets of bytes, so
 * that it does not matter how they are merged, split or ordered. */
#ifndef ASSAY_EXECUTION_ACCESSES_H
#define ASSAY_EXECUTION_ACCESSES_H

#include "execution/byte_set.h"
#include "execution/window.h"

struct assay_accesses {
    struct assay_byte_set reads, writes, any; /* recorded */
    struct assay_byte_set executed_reads, executed_writes;
};

/* Bytes on one side and not on the other. */
enum {
    ASSAY_MISSING_READ,  /* read by the execution, not by the records */
    ASSAY_MISSING_WRITE, /* likewise */
    ASSAY_SPURIOUS_READ, /* read by the records, not by the execution */
    ASSAY_SPURIOUS_WRITE,
    ASSAY_ACCESS_DIFFERENCES
};

/* Removes the recorded accesses. */
void assay_accesses_clear(struct assay_accesses *accesses);

/* Adds a recorded access. */
void assay_accesses_add(struct assay_accesses *accesses, uint64_t address, uint64_t size, bool read,
                        bool write);

/* Compares the recorded accesses with those executed. With `either_way` an executed access may be
 * recorded as a read or as a write. *cell gets the number of bytes of each difference, 16 bits
 * each, 65535 for more: the cell ASSAY_COMPARE_BYTES of an event. False: there are too many to be
 * compared. */
bool assay_accesses_compare(struct assay_accesses *accesses, const struct assay_access *executed,
                            unsigned count, bool either_way,
                            struct assay_byte_difference differ[ASSAY_ACCESS_DIFFERENCES],
                            uint64_t *cell);

/* The lowest address of some differences; 0 when there are none. */
uint64_t assay_accesses_lowest(const struct assay_byte_difference *differ, unsigned count);

#endif
