/* A sliding window over the recorded execution of one thread: executed instructions with their
 * accesses, and attempts that did not retire. Memory is fixed. */
#ifndef ASSAY_EXECUTION_WINDOW_H
#define ASSAY_EXECUTION_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "execution/execution.h"

/* The address without a tag in its top byte, which AArch64 may ignore. A recorder may record the
 * pointer with its tag; an access with any other top byte would have faulted. */
static inline uint64_t assay_untagged(uint64_t address)
{
    const uint64_t copies = 0 - ((address >> 55) & 1); /* of bit 55 */
    return (address & (UINT64_MAX >> 8)) | copies << 56;
}

/* An executed instruction. */
struct assay_retired {
    uint64_t pc;
    uint32_t word;
    uint32_t begin;       /* of its accesses in the pool */
    uint32_t attempt;     /* number of the attempt before it, from 1; 0: none or several */
    uint32_t call;        /* number of the system call that it made, plus 1; 0: none or unknown */
    uint32_t walks;       /* number of its last page table walk, from 1; 0: none */
    uint32_t trap;        /* number of the trap that led to it, from 1; 0: none or several */
    uint16_t accesses;    /* how many */
    bool diverted;        /* control was taken away after it ... */
    bool after_diversion; /* ... and before it: */
    uint8_t diversions;   /* so often; 255 for more */
    uint8_t level;        /* at which it was executed, as in assay_executed */
};

/* The attempted execution of an instruction that did not retire. */
struct assay_attempt {
    uint64_t pc;
    uint64_t fault; /* the address that faulted, without a tag */
    uint32_t word;
    bool fault_known;
    uint8_t diversions; /* as those of an instruction, without this one */
};

/* A trap of a machine. */
struct assay_trap {
    uint64_t cause;   /* xcause, ESR_ELx */
    uint64_t from;    /* xepc, ELR_ELx */
    uint64_t value;   /* xtval, FAR_ELx ... */
    bool value_known; /* ... where the recording has it */
    uint8_t level;    /* that it was taken from, as in assay_executed */
    uint64_t number;  /* of a call, by which the program names it; 0: of none, or not known */
};

/* A page table walk, and the number of the instruction that it is of, from 0. */
struct assay_walk_of {
    uint64_t instruction;
    struct assay_walk walk;
};

enum {
    ASSAY_WINDOW_MAX = 8192, /* instructions in the window */
    ASSAY_WINDOW_ROOM = 2 * ASSAY_WINDOW_MAX,
    ASSAY_WINDOW_POOL = 1 << 16, /* accesses; the window holds at most half of them */
    ASSAY_WINDOW_ATTEMPTS = 256,
    ASSAY_WINDOW_WALKS = 1024,
    ASSAY_WINDOW_TRAPS = 1024,
};

/* Whether an instruction raises an exception, and does not retire, although recordings have it as
 * executed. */
typedef bool assay_window_raises(uint32_t word);

/* Whether execution goes on at `next` after an instruction without anything of that in a trace: the
 * program, and the instruction `before` it, show it. */
typedef bool assay_window_infers(void *context, const struct assay_retired *before,
                                 const struct assay_retired *executed, uint64_t next);

struct assay_window {
    struct assay_execution *execution;
    uint32_t thread;             /* number of the traced thread */
    assay_window_raises *raises; /* such instructions are left out; null: there are none */
    assay_window_infers *infers; /* null: everything leaves something in the trace */
    void *context;               /* of `infers` */
    bool tagged;                 /* tags are removed from the addresses of accesses */
    bool ended;
    bool whole;  /* it ended with the thread: nothing was executed after it */
    bool broken; /* the recording has a fault */
    uint64_t system_id;
    unsigned first, count; /* in the list */
    uint64_t read;         /* instructions that were read into the window so far */
    unsigned used;         /* of the pool */
    uint32_t attempts;     /* since the beginning */
    uint32_t pending;      /* as `attempt`, of the instruction that comes next */
    bool several;          /* several attempts are pending, so that none is known to be the one */
    bool diverted;         /* control was taken away before the instruction that comes next: */
    uint8_t diversions;    /* so often; 255 for more */
    uint32_t walks;        /* since the beginning */
    uint32_t traps;        /* since the beginning */
    uint32_t trap_pending; /* as `trap`, of the instruction that comes next */
    bool several_traps;    /* several traps are pending, so that none is known to be the one */
    uint8_t level;         /* of the instruction that comes next, as in assay_executed */
    struct assay_retired list[ASSAY_WINDOW_ROOM];
    struct assay_access pool[ASSAY_WINDOW_POOL];
    struct assay_attempt attempt[ASSAY_WINDOW_ATTEMPTS];
    struct assay_walk_of walk[ASSAY_WINDOW_WALKS];
    struct assay_trap trap[ASSAY_WINDOW_TRAPS];
};

/* Reads on until the window has `want` instructions (at most ASSAY_WINDOW_MAX), the execution
 * ends, or there is no room for more. Returns how many there are. */
unsigned assay_window_fill(struct assay_window *window, unsigned want);

/* Whether an item of the recording is an instruction for the window. */
static inline bool assay_window_takes(const struct assay_window *window,
                                      const struct assay_executed *item)
{
    return item->kind == ASSAY_EXECUTED_INSTRUCTION && item->thread == window->thread &&
           (window->raises == NULL || !window->raises(item->word));
}

/* Instruction n of the window, counted from 0; n < count. */
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

/* The attempt right before instruction n of the window, n <= count; null if there was none, or
 * several, or it is no longer held. */
const struct assay_attempt *assay_window_attempt(const struct assay_window *window, unsigned n);

/* The trap that led to instruction n of the window, n <= count, after the instruction before it;
 * null if there was none, or several, or it is no longer held. */
const struct assay_trap *assay_window_trap(const struct assay_window *window, unsigned n);

/* The page table walks of an instruction of the window: number n of them, from the last one on;
 * null when there is none, or it is no longer held. */
const struct assay_walk *assay_window_walk(const struct assay_window *window,
                                           const struct assay_retired *executed, unsigned n);

/* The number of executed instructions before the first of the window. */
static inline uint64_t assay_window_passed(const struct assay_window *window)
{
    return window->read - window->count;
}

/* Drops the first n instructions. Their accesses stay valid until more is read. */
static inline void assay_window_drop(struct assay_window *window, unsigned n)
{
    window->first += n;
    window->count -= n;
}

#endif
