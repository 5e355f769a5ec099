/* The accesses that the records of an instruction tell, beside those that were executed. */
#ifndef ASSAY_ASTF_COMPARE_H
#define ASSAY_ASTF_COMPARE_H

#include "execution/runs.h"
#include "execution/window.h"

/* The accesses of the present Instruction record, until its last Extra EA record. */
struct astf_comparison {
    bool open;                           /* Extra EA records are due */
    uint64_t known;                      /* the flags that its last record will have */
    const struct assay_access *executed; /* in the pool, until the next Instruction record */
    unsigned count;
    uint64_t first, first_size; /* the access of the Instruction record; size 0: it tells none */
    struct assay_runs reads, writes; /* recorded */
    struct assay_runs executed_reads, executed_writes;
};

/* Places in the derived words, as in layout.def. */
enum {
    ASTF_WORD_PC = 2,
    ASTF_WORD_FLAGS = 3,
    ASTF_WORD_BYTES = 4,
    ASTF_WORD_MISSING_AT = 5,
    ASTF_WORD_INVENTED_AT = 6,
    ASTF_WORD_NEXT = 7,
    ASTF_WORD_EA = 8,
    ASTF_BIT_MISSING = 0,
    ASTF_BIT_INVENTED = 32,
    ASTF_BIT_LEFT_OUT = 45,
    ASTF_LEFT_OUT_MOST = (1 << 19) - 1,
};

#define ASTF_EXECUTED          (UINT64_C(1) << 32)
#define ASTF_ACCESSES_KNOWN    (UINT64_C(1) << 33)
#define ASTF_WRITES_KNOWN      (UINT64_C(1) << 34)
#define ASTF_ACCESSES_COMPLETE (UINT64_C(1) << 35)
#define ASTF_NEXT_KNOWN        (UINT64_C(1) << 36)
#define ASTF_UNEXECUTED        (UINT64_C(1) << 37)
#define ASTF_MOVED             (UINT64_C(1) << 38)
#define ASTF_LOST              (UINT64_C(1) << 39)
#define ASTF_ATTEMPT_KNOWN     (UINT64_C(1) << 40)
#define ASTF_FAULT_KNOWN       (UINT64_C(1) << 41)
#define ASTF_SAME_ACCESSES     (UINT64_C(1) << 42)
#define ASTF_FIRST_IN_PLACE    (UINT64_C(1) << 44)

/* An Instruction record and the executed instruction that it stands for; `all_told`: the recording
 * tells every access of every instruction. Writes the derived words. */
void astf_compare_instr(struct astf_comparison *now, const struct assay_window *window,
                        const struct assay_retired *executed, const uint8_t *record, uint64_t info,
                        bool all_told, uint64_t *words);

/* An Extra EA record behind it. */
void astf_compare_extra_ea(struct astf_comparison *now, const uint8_t *record, uint64_t *words);

#endif
