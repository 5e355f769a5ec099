/* What of the records is compared with a recorded execution beyond the instructions and their order
 * (execution/compare.h): accesses and where execution went on. */
#ifndef ASSAY_ASTF_COMPARE_H
#define ASSAY_ASTF_COMPARE_H

#include "execution/accesses.h"
#include "execution/compare.h"

/* The accesses of the current Instruction record, up to its last Extra EA record. All but
 * of_machine is 0 at the beginning; the context of astf_compare_format(). */
struct astf_compare {
    bool of_machine; /* the recording is of a machine: HVC and SMC are calls in it */
    bool pending;    /* Extra EA records follow */
    uint64_t known;  /* the flags that the last record of the instruction will have */
    const struct assay_access *executed; /* valid until the next Instruction record */
    unsigned count;
    uint64_t first, first_size; /* the access of the Instruction record; size 0: it has none */
    struct assay_accesses accesses;
    struct assay_uncompared *uncompared; /* of the stage */
    struct assay_alignment *alignment; /* after the last instruction that was executed; null: it is
                                          not known, or a Trap came since */
    bool trapped;                      /* the one exception that was taken after it has a Trap */
};

const struct assay_compare_format *astf_compare_format(void);

#endif
