/* Where a hart goes on after an instruction of a log of commits, by its word and by the registers
 * that the log shows: so traps are found that the log does not have. */
#ifndef ASSAY_EXECUTION_COMMIT_FLOW_H
#define ASSAY_EXECUTION_COMMIT_FLOW_H

#include "execution/commit_line.h"
#include "execution/commit_log.h"
#include "isa/rv.h"

/* A value, if the log shows it. */
struct assay_commit_known {
    bool known;
    uint64_t value;
};

enum { ASSAY_COMMIT_LEVELS = 4 };

struct assay_commit_flow {
    enum rv_isa isa;
    uint64_t mask;  /* of addresses: XLEN bits */
    uint64_t x[32]; /* sign-extended */
    uint32_t x_known;
    /* By the level of a handler: xepc, xtvec, and the level that it returns to. */
    struct assay_commit_known epc[ASSAY_COMMIT_LEVELS], tvec[ASSAY_COMMIT_LEVELS],
        previous[ASSAY_COMMIT_LEVELS];
    bool has_guests; /* CSRs of the hypervisor are in use: sepc can be that of another level */

    /* The last instruction. */
    bool has_last, returns; /* from a trap */
    bool jumps;             /* anywhere: its target is not known */
    uint8_t priv;
    uint8_t count;                   /* of addresses that it can go on at ... */
    uint64_t to[2];                  /* ... these */
    struct assay_commit_known level; /* that it goes on at */
};

void assay_commit_flow_open(struct assay_commit_flow *flow, enum rv_isa isa);

/* An instruction was executed. */
void assay_commit_flow_take(struct assay_commit_flow *flow, const struct assay_commit_line *line);

/* Whether a trap was taken between the last instruction and this one, if the log does not have
 * traps. */
bool assay_commit_flow_breaks(const struct assay_commit_flow *flow,
                              const struct assay_commit_line *line);

/* What is known of that trap by what comes before it, and by the address of its handler. */
void assay_commit_flow_conclude(const struct assay_commit_flow *flow,
                                const struct assay_commit_line *handler, struct assay_commit *trap);

/* What is known of the level from which a trap was taken that is in the log. */
void assay_commit_flow_leave(const struct assay_commit_flow *flow, struct assay_commit *trap);

/* The same where no instruction of the handler of the trap before it was executed: it was taken at
 * the beginning of that, which xtvec of its level says. */
void assay_commit_flow_leave_handler(const struct assay_commit_flow *flow,
                                     struct assay_commit *trap);

/* A trap was taken, to this instruction. */
void assay_commit_flow_enter(struct assay_commit_flow *flow, const struct assay_commit *trap,
                             const struct assay_commit_line *handler);

/* What an instruction wrote to an x register. False: to none, as x0 is none. */
bool assay_commit_result(const struct assay_commit_line *line, uint64_t *value);

/* Takes from an instruction of a handler what it reads of xcause, xtval and xepc. False: nothing
 * after it says more of the trap. */
bool assay_commit_flow_reads(const struct assay_commit_flow *flow,
                             const struct assay_commit_line *line, uint8_t level,
                             struct assay_commit *trap);

#endif
