/* Where in the recorded execution a part of a trace is: the part between two gaps.
 *
 * In a loop each iteration executes the same instructions, so that the part after a gap is also
 * found where it was not executed, and that shows only where it goes on, an arbitrary number of
 * instructions later. The part is then at the next place where all of it was executed. If each part
 * is put at the first place after the part before it, and there is none for one of them, then no
 * other places are possible for all of them either.
 *
 * The execution is read for this by two readers of its own, which follow each other at a distance
 * of the length of the part. */
#ifndef ASSAY_EXECUTION_PLACEMENT_H
#define ASSAY_EXECUTION_PLACEMENT_H

#include "execution/diff.h"
#include "execution/window.h"

enum {
    /* Instructions by which a reader can be set back. */
    ASSAY_PLACEMENT_BACK = 2 * ASSAY_DIFF_TRACE,
    /* Searches without a result, each of which reads the recording to its end, until no more are
     * made: such a trace is wrong anyway. */
    ASSAY_PLACEMENT_FAILURES = 16,
};

/* An instruction that was read, and how execution came to it. */
struct assay_placement_item {
    uint64_t key;
    uint64_t pc;   /* where execution went on: at it, or at one that did not retire before it */
    bool diverted; /* control was taken away before it ... */
    bool unknown;  /* ... so that it is not known where execution went on */
};

/* A reader of the instructions of one thread. */
struct assay_placement_reader {
    struct assay_execution *execution;                      /* null: not open */
    uint64_t read;                                          /* instructions that were read */
    uint64_t at;                                            /* the one that comes next, from 0 */
    struct assay_placement_item last[ASSAY_PLACEMENT_BACK]; /* by their number */
};

struct assay_placement {
    struct assay_placement_reader rear, front, beyond;
    unsigned failures;
    bool unreadable; /* the recording cannot be read again */
};

struct assay_event;

/* Where a part of the trace leads at its end. What went on elsewhere contradicts it, where `can`
 * says that the branch can have led there (compare.h, can_lead). */
struct assay_placement_lead {
    uint64_t to;
    bool (*can)(void *context, const struct assay_event *event, uint64_t pc, bool diverted);
    void *context;
    const struct assay_event *event;
};

/* What is searched: instructions that were executed from `first` on, `matched` of them, then any
 * `between`, and then those of `ahead`, compared by their addresses and words. `window` is of the
 * thread. With `lead`, where no records are ahead, what was executed next does not contradict it.
 */
struct assay_placement_part {
    const struct assay_window *window;
    uint64_t first, matched, between;
    const struct assay_step *ahead;
    unsigned count;
    const struct assay_placement_lead *lead; /* or null */
};

/* The first place of the part after `first`, or at it with nothing matched: *moved is by how many
 * instructions it is further on. False, with *moved as it was: there is none, the recording cannot
 * be read again, or addresses of instructions or accesses are such that a search by instructions is
 * no use. */
bool assay_placement_find(struct assay_placement *placement,
                          const struct assay_placement_part *part, uint64_t *moved);

/* Closes the readers. */
void assay_placement_close(struct assay_placement *placement);

#endif
