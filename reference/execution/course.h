/* The course of a trace through the recorded execution: which executed instruction each Instruction
 * record stands for, and what else a record can be. */
#ifndef ASSAY_EXECUTION_COURSE_H
#define ASSAY_EXECUTION_COURSE_H

#include "execution/align.h"
#include "execution/locate.h"
#include "execution/window.h"

enum assay_standing {
    ASSAY_STANDS_SAME,     /* the record of the executed instruction */
    ASSAY_STANDS_MOVED,    /* the same, in another place of the order */
    ASSAY_STANDS_REPLACED, /* it stands in the place of an executed instruction, and is another */
    ASSAY_STANDS_EXCESS,   /* nothing was executed for it */
    ASSAY_STANDS_LOST,     /* from here on the trace is not found in the execution */
    ASSAY_STANDS_UNTOLD,   /* nothing is known: the trace was lost, or the recording was stopped */
};

enum { ASSAY_COURSE_TILES = 64 };

/* A run of records that stands elsewhere in the execution, within a block of both. */
struct assay_tile {
    unsigned trace, executed, length;
    unsigned heaviest, before;
    bool stays; /* the others moved around it */
};

struct assay_course {
    struct assay_window window;
    bool has_ahead, ahead_last; /* the records ahead are in trace_steps, ... */
    unsigned ahead;             /* ... so many */
    bool started, lost;
    uint64_t begins_behind;   /* executed instructions before the first that is traced */
    uint64_t begins_at;       /* its address */
    uint64_t left_out;        /* executed before the next record, and not recorded */
    unsigned planned;         /* records of which the standing is known ... */
    unsigned next;            /* ... and the next of them */
    unsigned covered;         /* executed instructions that they stand for */
    unsigned left_out_behind; /* of those, behind the last record */
    unsigned due;             /* place in the window of the one that is expected next */
    uint8_t standing[ASSAY_ALIGN_TRACE];
    uint16_t executed[ASSAY_ALIGN_TRACE]; /* place in the window */
    uint16_t left_out_before[ASSAY_ALIGN_TRACE];
    /* How often the rows that are aligned were halved, since differences are dense; and where in
     * the execution the last alignment was that did not pay (plan.h). */
    unsigned narrowed;
    uint64_t unpaid_at;
    /* Working memory. */
    unsigned traced, count;
    struct assay_step trace_steps[ASSAY_ALIGN_TRACE];
    struct assay_step executed_steps[ASSAY_ALIGN_EXECUTED];
    bool used[ASSAY_ALIGN_EXECUTED];
    unsigned tiles;
    struct assay_tile tile[ASSAY_COURSE_TILES];
    struct assay_alignment alignment;
    struct assay_search search;
};

struct assay_course_place {
    enum assay_standing standing;
    const struct assay_retired *executed; /* null unless same, moved or replaced; valid until the
                                             next record */
    bool has_next;                        /* the executed instruction behind it is behind it in
                                             memory, too */
    uint64_t left_out;                    /* executed before it and not recorded */
};

/* A record of an instruction that was executed, not of an attempt. False: the record is not of the
 * instruction that is due, and is to be given again when the records ahead were shown. */
bool assay_course_next(struct assay_course *course, const struct assay_step *step,
                       struct assay_course_place *place);

/* The common case of it, for where the difference counts: takes the executed instruction that is
 * due if the record is of it, no plan is followed and the next one is known, too. Null: nothing was
 * taken, and assay_course_next is to be asked. */
static inline const struct assay_retired *assay_course_take_due(struct assay_course *c,
                                                                const struct assay_step *step)
{
    struct assay_window *window = &c->window;
    const struct assay_retired *due = assay_window_at(window, 0);
    if (window->count < 2 || c->planned > 0 || !c->started || c->lost || c->left_out > 0 ||
        !assay_window_is(window, due, step)) {
        return NULL;
    }
    assay_window_drop(window, 1);
    return due;
}

/* Shows the records ahead: the first `count` of course->trace_steps were filled with the
 * instructions that the trace records from the present one on, as many as there are or as have
 * room. With `last` the trace ends behind them. */
void assay_course_show(struct assay_course *course, unsigned count, bool last);

/* Whether a record is of the instruction that is due; *known: that can be told. It cannot while a
 * plan is followed, and before the trace is found. */
bool assay_course_is_due(struct assay_course *course, const struct assay_step *step, bool *known);

/* The attempt that was made where the trace is; null if none is known. */
const struct assay_attempt *assay_course_attempt(struct assay_course *course);

/* How many instructions of the window were executed behind the last that a record stands for, and
 * the address of the first of them, if the window has it. */
uint64_t assay_course_rest(struct assay_course *course, uint64_t *at);

#endif
