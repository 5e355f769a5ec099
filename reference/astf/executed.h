/* The recorded execution of the traced thread as a window that moves on: executed instructions with
 * their accesses, and the attempts that did not retire. Memory is fixed. */
#ifndef ASSAY_ASTF_EXECUTED_H
#define ASSAY_ASTF_EXECUTED_H

#include <stdbool.h>
#include <stdint.h>

#include "execution/execution.h"

/* An executed instruction. */
struct astf_executed {
    uint64_t pc;
    uint32_t iword;
    uint32_t begin;    /* of its accesses in the pool */
    uint32_t attempt;  /* number of the attempt before it, counted from 1; 0 none, or several */
    uint16_t accesses; /* how many */
    bool diverted;     /* control was taken away behind it */
};

/* An instruction that began and did not retire. */
struct astf_attempt {
    uint64_t pc;
    uint64_t fault; /* the address that faulted, without a tag */
    uint32_t iword;
    bool fault_known;
};

enum {
    ASTF_EXECUTED_MOST = 8192, /* the most instructions in the window */
    ASTF_EXECUTED_ROOM = 2 * ASTF_EXECUTED_MOST,
    ASTF_EXECUTED_POOL = 1 << 16, /* accesses; half of them are of the window at most */
    ASTF_EXECUTED_ATTEMPTS = 256,
};

struct astf_window {
    struct assay_execution *execution;
    uint32_t thread; /* that the trace is of */
    bool ended;
    bool whole;  /* it ended where the thread did: nothing ran behind it */
    bool broken; /* by a fault of the recording */
    uint64_t system_id;
    unsigned first, count; /* in the list */
    unsigned used;         /* of the pool */
    uint32_t attempts;     /* since the beginning */
    uint32_t pending;      /* as `attempt`, of the instruction that comes next */
    bool several;          /* attempts are pending of which none can be told */
    struct astf_executed list[ASTF_EXECUTED_ROOM];
    struct assay_access pool[ASTF_EXECUTED_POOL];
    struct astf_attempt attempt[ASTF_EXECUTED_ATTEMPTS];
};

/* Reads on until the window has `want` instructions (ASTF_EXECUTED_MOST at most), the execution
 * has ended, or there is no room for more. Gives how many there are. */
unsigned astf_window_fill(struct astf_window *window, unsigned want);

/* The instruction that is `n` behind the first; n < count. */
static inline struct astf_executed *astf_window_at(struct astf_window *window, unsigned n)
{
    return &window->list[window->first + n];
}

/* The accesses of an instruction of the window. */
static inline const struct assay_access *astf_window_accesses(const struct astf_window *window,
                                                              const struct astf_executed *executed)
{
    return &window->pool[executed->begin];
}

/* The attempt right before the instruction that is `n` behind the first, n <= count; null if there
 * was none, or several, or it is long ago. */
const struct astf_attempt *astf_window_attempt(const struct astf_window *window, unsigned n);

/* Takes the first n out of the window. Their accesses stay until more is read. */
static inline void astf_window_drop(struct astf_window *window, unsigned n)
{
    window->first += n;
    window->count -= n;
}

#endif
