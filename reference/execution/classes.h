/* What classes of control flow and of memory operations a recorded execution has. */
#ifndef ASSAY_EXECUTION_CLASSES_H
#define ASSAY_EXECUTION_CLASSES_H

#include "execution/execution.h"

enum assay_execution_class {
#define X(id, name, text) ASSAY_CLASS_##id,
#include "classes.def"
#undef X
    ASSAY_CLASS_COUNT
};

enum { ASSAY_CLASS_CALLS = 64 }; /* that are remembered; a call more forgets the first one */

/* One thread of an execution, followed. All zero, but for `isa`, at the beginning. */
struct assay_execution_classes {
    enum assay_execution_isa isa;
    uint64_t count[ASSAY_CLASS_COUNT];
    uint64_t instructions;
    uint64_t last;              /* the address of the last instruction */
    struct assay_executed held; /* the instruction whose successor is not known; its accesses are
                                   counted and no longer there */
    bool holding;
    uint32_t before;                   /* the word of the one before it, 0: none */
    bool landed;                       /* it is the target of an indirect branch */
    uint64_t calls[ASSAY_CLASS_CALLS]; /* the addresses to return to */
    unsigned depth, branches;
    uint8_t level;
    bool trapped;   /* a trap is held, until its handler begins, */
    uint64_t cause; /* of this cause */
};

/* The stable name of a class, and what an occurrence is. */
const char *assay_execution_class_name(enum assay_execution_class class);
const char *assay_execution_class_text(enum assay_execution_class class);

/* Adds an item of the execution. */
void assay_execution_classes_add(struct assay_execution_classes *trace,
                                 const struct assay_executed *item);

#endif
