/* A recorded execution beside the records: what of them is compared with what was executed, beyond
 * the order of instructions (execution/compare.h). */
#ifndef ASSAY_ASTF_COMPARE_H
#define ASSAY_ASTF_COMPARE_H

#include "execution/accesses.h"
#include "execution/compare.h"

/* The accesses of the present Instruction record, until its last Extra EA record. All 0 at the
 * beginning; the context of astf_compare_format(). */
struct astf_compare {
    bool open;                           /* Extra EA records are due */
    uint64_t known;                      /* the flags that its last record will have */
    const struct assay_access *executed; /* the stage's, until the next Instruction record */
    unsigned count;
    uint64_t first, first_size; /* the access of the Instruction record; size 0: it tells none */
    struct assay_accesses accesses;
};

const struct assay_compare_format *astf_compare_format(void);

#endif
