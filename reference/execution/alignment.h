/* The alignment of a trace with one thread of a recorded execution: which executed instruction each
 * instruction record corresponds to, if any. */
#ifndef ASSAY_EXECUTION_ALIGNMENT_H
#define ASSAY_EXECUTION_ALIGNMENT_H

#include "execution/diff.h"
#include "execution/locate.h"
#include "execution/placement.h"
#include "execution/window.h"

/* The result of matching a record. */
enum assay_alignment_outcome {
    ASSAY_OUTCOME_SAME,     /* the record is of the executed instruction */
    ASSAY_OUTCOME_MOVED,    /* the same, but elsewhere in the order of execution */
    ASSAY_OUTCOME_REPLACED, /* the record is in the position of an executed instruction, but differs
                             */
    ASSAY_OUTCOME_EXCESS,   /* nothing was executed for the record */
    ASSAY_OUTCOME_LOST,     /* from this record on, the trace is not found in the execution */
    ASSAY_OUTCOME_UNKNOWN,  /* the trace was lost before, or the recording was stopped */
};

enum { ASSAY_ALIGNMENT_TILES = 64 };

/* A run of records that is found elsewhere in the execution, within a block of both. */
struct assay_tile {
    unsigned trace, executed, length;
    unsigned heaviest, before;
    bool stays; /* the others moved around it */
};

struct assay_alignment {
    struct assay_window window;
    /* The records ahead are in trace_steps; the trace ends there, or is resumed after them. */
    bool has_ahead, ahead_last;
    bool resumed;   /* the current record resumes the trace, and its place was found */
    unsigned ahead; /* number of records ahead */
    bool started, lost;
    /* The part of the trace since it began or was resumed: where it was put in the execution, and
     * whether all its records are of the instructions there, so that it can be put elsewhere. */
    bool is_placed;
    uint64_t placed_at;
    uint64_t left_out_before_part; /* more than was said when the part was put where it was first */
    struct assay_placement_source executed_again; /* what is executed, for the search */
    struct assay_placement placement;
    unsigned unplaced; /* searches without a result */
    /* The last records are of consecutive executed instructions, from number part_from on; not if
     * part_broken: the last one is of none in its place. */
    bool part_broken;
    uint64_t part_from;
    unsigned found_elsewhere; /* how often such a part was found again */
    /* The last record is of this instruction, and it may have been executed again in a silent loop
     * (silent_loop.h); and how many instructions were passed over as such. */
    bool repeats;
    struct assay_retired last;
    uint64_t repeated;
    unsigned strange; /* records that the trace begins with, if none of them is of an instruction
                         that was executed and they are too many for that to be their fault */
    uint64_t begins_after;   /* executed instructions before the first one traced */
    uint64_t begins_at;      /* address of the first one traced */
    uint64_t left_out;       /* executed before the next record, and not recorded */
    unsigned planned;        /* records whose outcome is known in advance ... */
    unsigned next;           /* ... and the next of them */
    unsigned covered;        /* executed instructions that they correspond to */
    unsigned left_out_after; /* of those, the ones after the last record */
    unsigned expected;       /* position in the window of the instruction expected next */
    uint8_t outcome[ASSAY_DIFF_TRACE];
    uint16_t executed[ASSAY_DIFF_TRACE]; /* position in the window */
    uint16_t left_out_before[ASSAY_DIFF_TRACE];
    /* How often the number of records compared at once was halved, because differences are dense;
     * and the position in the execution of the last comparison that did not pay (plan.h). */
    unsigned narrowed;
    uint64_t unpaid_at;
    /* Working memory. */
    unsigned traced, count;
    struct assay_step trace_steps[ASSAY_DIFF_TRACE];
    struct assay_step executed_steps[ASSAY_DIFF_EXECUTED];
    bool used[ASSAY_DIFF_EXECUTED];
    uint64_t ahead_keys[ASSAY_DIFF_TRACE];
    unsigned tiles;
    struct assay_tile tile[ASSAY_ALIGNMENT_TILES];
    struct assay_diff diff;
    struct assay_search search;
};

struct assay_alignment_match {
    enum assay_alignment_outcome outcome;
    const struct assay_retired *executed; /* null unless same, moved or replaced; valid until the
                                             next record */
    bool has_next;                        /* executed[1] is the instruction executed next */
    uint64_t left_out;                    /* executed before it and not recorded */
};

/* Matches the next record; not for attempts. False: the record is not of the expected instruction
 * and must be passed again after assay_alignment_show. */
bool assay_alignment_next(struct assay_alignment *alignment, const struct assay_step *step,
                          struct assay_alignment_match *match);

/* Fast path of assay_alignment_next: takes the expected instruction if the record is of it, no plan
 * is followed and its successor is known, too. Null: nothing was taken; call assay_alignment_next.
 */
static inline const struct assay_retired *
assay_alignment_take_expected(struct assay_alignment *a, const struct assay_step *step)
{
    struct assay_window *window = &a->window;
    const struct assay_retired *expected = assay_window_at(window, 0);
    if (window->count < 2 || a->planned > 0 || !a->started || a->lost || a->left_out > 0 ||
        !assay_window_is(window, expected, step)) {
        return NULL;
    }
    assay_window_drop(window, 1);
    return expected;
}

/* Consecutive instructions of a trace, as they are in memory. */
struct assay_line {
    uint64_t pc;          /* of the first one */
    const uint8_t *bytes; /* of them */
    size_t length;        /* of these; an instruction that is not whole there ends the line */
    uint32_t count;       /* instructions at most */
    bool compressed;      /* those whose two lowest bits are not both set have 2 bytes (RISC-V); all
                             others have 4 */
};

/* Fast path of assay_alignment_next for many: takes instructions as long as each is the one that is
 * expected, and as assay_alignment_take_expected would. Returns how many, and of how many bytes. */
uint32_t assay_alignment_take_line(struct assay_alignment *alignment, const struct assay_line *line,
                                   size_t *bytes);

/* The same for the first one only, which is returned; null: it is not the expected one. */
const struct assay_retired *assay_alignment_take_first(struct assay_alignment *alignment,
                                                       const struct assay_line *line,
                                                       size_t *bytes);

/* Shows the records ahead: the caller has filled the first `count` of alignment->trace_steps with
 * the instructions of the trace from the current one on, as many as there are or fit, up to where
 * the trace is resumed. With `last` it ends, or is resumed, after them. */
void assay_alignment_show(struct assay_alignment *alignment, unsigned count, bool last);

/* Whether a record is of the expected instruction. *known: this can be decided; it cannot while a
 * plan is followed, or before the trace was found. */
bool assay_alignment_is_expected(struct assay_alignment *alignment, const struct assay_step *step,
                                 bool *known);

/* The attempt recorded at the current position; null if none is known. */
const struct assay_attempt *assay_alignment_attempt(struct assay_alignment *alignment);

/* The trap that was taken at the current position; null if none is known, or several were. */
const struct assay_trap *assay_alignment_trap(struct assay_alignment *alignment);

/* The instruction that retired next after the current position; null if it is not known. Valid
 * until the next record. */
const struct assay_retired *assay_alignment_expected(struct assay_alignment *alignment);

/* Where execution went on after the last record, which was of the executed instruction: *pc; and
 * whether control was taken away there, so that another instruction retired next. False: it is not
 * known. */
bool assay_alignment_goes_on(struct assay_alignment *alignment, uint64_t *pc, bool *diverted);

/* Where execution went on after the last record and so many diversions after it: *pc, at an
 * instruction that retired or was tried. False: it is not known, or there were not so many. */
bool assay_alignment_led(struct assay_alignment *alignment, unsigned diversions, uint64_t *pc);

/* After the last record: passes over what a silent loop executed after it. */
void assay_alignment_finish(struct assay_alignment *alignment);

/* The number of instructions in the window executed after the last one recorded, and the address of
 * the first of them, if it is in the window. */
uint64_t assay_alignment_rest(struct assay_alignment *alignment, uint64_t *at);

#endif
