/* Whether an instruction retired. QEMU reports that one begins, not that it completed. This is
 * decided by where the thread continued, by the accesses seen, and by the class of the word. */
#ifndef ASSAY_RECORDER_RETIRE_H
#define ASSAY_RECORDER_RETIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "execution/execution.h"

enum retire_class {
    RETIRE_PLAIN,    /* continues at the next address */
    RETIRE_TRANSFER, /* may continue anywhere */
    RETIRE_MEMORY,   /* continues at the next address, after at least one access */
    RETIRE_TRAP      /* never retires */
};

enum retire_class retire_class_of(enum assay_execution_isa isa, uint32_t word, unsigned size);

/* Where a direct transfer leads when it is taken; false for every other instruction. */
bool retire_target_of(enum assay_execution_isa isa, uint64_t address, uint32_t word, unsigned size,
                      uint64_t *target);

/* Whether an instruction generates the exception that it is made for, and by that retires: ECALL,
 * SVC, HVC, SMC. */
bool retire_is_call(enum assay_execution_isa isa, uint32_t word);

/* Whether it returns from a trap: MRET, SRET, ERET. */
bool retire_is_return(enum assay_execution_isa isa, uint32_t word);

enum retire_fate {
    RETIRE_DONE,              /* retired, and control went where it leads */
    RETIRE_DONE_AND_DIVERTED, /* retired, then control was taken away */
    RETIRE_ABORTED,           /* did not retire: control was taken away */
    RETIRE_RESTARTED          /* did not retire: the same instruction begins again */
};

/* What is known of an instruction once the thread's next one begins. */
struct retire_facts {
    uint64_t address;
    uint32_t word;
    uint8_t size;
    bool ends_block;   /* the last one of its translation block, which runs as a whole */
    unsigned accesses; /* seen */
    uint64_t next;     /* address of the instruction that begins now */
    bool system;       /* of a machine, where calls and returns of all levels retire */
};

enum retire_fate retire_fate_of(enum assay_execution_isa isa, const struct retire_facts *facts);

#endif
