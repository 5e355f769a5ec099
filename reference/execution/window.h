/* The recorded execution of the traced thread as a window that moves on: executed instructions with
 * their accesses, and the attempts that did not retire. Memory is fixed. */
#ifndef ASSAY_EXECUTION_WINDOW_H
#define ASSAY_EXECUTION_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "execution/execution.h"

/* The address without a tag in its top byte, which AArch64 may ignore. A recorder may tell the
 * pointer as it was used; an access with any other top byte would have faulted. */
static inline uint64_t assay_untagged(uint64_t address)
{
    const uint64_t copies = 0 - ((address >> 55) & 1); /* of bit 55 */
    return (address & (UINT64_MAX >> 8)) | copies << 56;
}

/* An executed instruction. */
struct assay_retired {
    uint64_t pc;
    uint32_t word;
    uint32_t begin;    /* of its accesses in the pool */
    uint32_t attempt;  /* number of the attempt before it, counted from 1; 0 none, or several */
    uint32_t call;     /* number of the system call that it made, plus 1; 0: none, or not told */
    uint16_t accesses; /* how many */
    bool diverted;     /* control was taken away behind it ... */
    bool came_by_diversion; /* ... and before it */
};

/* An instruction that began and did not retire. */
struct assay_attempt {
    uint64_t pc;
    uint64_t fault; /* the address that faulted, without a tag */
    uint32_t word;
    bool fault_known;
};

enum {
    ASSAY_WINDOW_MOST = 8192, /* the most instructions in the window */
    ASSAY_WINDOW_ROOM = 2 * ASSAY_WINDOW_MOST,
    ASSAY_WINDOW_POOL = 1 << 16, /* accesses; half of them are of the window at most */
    ASSAY_WINDOW_ATTEMPTS = 256,
};

struct assay_window {
    struct assay_execution *execution;
    uint32_t thread; /* that the trace is of */
    bool tagged;     /* addresses of accesses are told without their tags */
    bool ended;
    bool whole;  /* it ended where the thread did: nothing ran behind it */
    bool broken; /* by a fault of the recording */
    uint64_t system_id;
    unsigned first, count; /* in the list */
    uint64_t read;         /* instructions that came into the window so far */
    unsigned used;         /* of the pool */
    uint32_t attempts;     /* since the beginning */
    uint32_t pending;      /* as `attempt`, of the instruction that comes next */
    bool several;          /* attempts are pending of which none can be told */
    bool diverted;         /* control was taken away before the instruction that comes next */
    struct assay_retired list[ASSAY_WINDOW_ROOM];
    struct assay_access pool[ASSAY_WINDOW_POOL];
    struct assay_attempt attempt[ASSAY_WINDOW_ATTEMPTS];
};

/* Reads on until the window has `want` instructions (ASSAY_WINDOW_MOST at most), the execution
 * has ended, or there is no room for more. Gives how many there are. */
unsigned assay_window_fill(struct assay_window *window, unsigned want);

/* The instruction that is `n` behind the first; n < count. */
static inline struct assay_retired *assay_window_at(struct assay_window *window, unsigned n)
{
    return &window->list[window->first + n];
}

/* The accesses of an instruction of the window. */
static inline const struct assay_access *assay_window_accesses(const struct assay_window *window,
                                                               const struct assay_retired *executed)
{
    return &window->pool[executed->begin];
}

/* The attempt right before the instruction that is `n` behind the first, n <= count; null if there
 * was none, or several, or it is long ago. */
const struct assay_attempt *assay_window_attempt(const struct assay_window *window, unsigned n);

/* Executed instructions before the first of the window. */
static inline uint64_t assay_window_passed(const struct assay_window *window)
{
    return window->read - window->count;
}

/* Takes the first n out of the window. Their accesses stay until more is read. */
static inline void assay_window_drop(struct assay_window *window, unsigned n)
{
    window->first += n;
    window->count -= n;
}

#endif
