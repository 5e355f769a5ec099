/* The state of the PE as far as it follows from the instructions and system calls of a program, for
 * Context records (4.4). A recorder in user mode sees no registers. Known are writes of an
 * immediate by an instruction, the effects of system calls and signals in Linux, and results of
 * prctl; a flag that is written from a register is not known. */
#ifndef ASSAY_GENERATORS_ASTF_STATE_H
#define ASSAY_GENERATORS_ASTF_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "execution/execution.h"

/* The contents of a Context record. */
struct astf_shown {
    bool sm, dit, ssbs;
    uint8_t mte_tcf; /* enum of the field */
    uint8_t evl;     /* of the mode that the PE is in */
};

enum { ASTF_SIGNALS = 16 };

struct astf_state {
    bool sm, dit, ssbs;
    uint8_t mte_tcf;
    uint8_t vl, svl; /* bits / 128 - 1, outside Streaming SVE mode and in it */
    uint64_t args[6];
    /* What signals interrupted, in a ring: a handler may never return. */
    unsigned signals;
    struct astf_saved {
        bool sm, dit, ssbs;
    } saved[ASTF_SIGNALS];
};

/* An instruction is about to be recorded, and its accesses may show the vector length in effect. */
void astf_state_access(struct astf_state *state, const struct assay_executed *item);

/* The instruction completed; `info` is the classification of its word. */
void astf_state_instruction(struct astf_state *state, uint32_t word, uint64_t info);

/* A system call, a return from one, or a diversion. */
void astf_state_event(struct astf_state *state, const struct assay_executed *item);

struct astf_shown astf_state_shown(const struct astf_state *state);

/* The vector lengths that the thread begins with, as far as they are known: from an access of a
 * whole register, or from asking the system, before it sets them. Otherwise *vl and *svl are
 * unchanged. Reads the execution until both are known, or to its end; errors of the recording end
 * it too. */
void astf_state_lengths(struct assay_execution *execution, uint32_t thread, uint8_t *vl,
                        uint8_t *svl);

#endif
