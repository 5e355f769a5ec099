/* The course of a trace through the recorded execution: which executed instruction each Instruction
 * record stands for, and what else a record can be. */
#ifndef ASSAY_ASTF_COURSE_H
#define ASSAY_ASTF_COURSE_H

#include "astf/align.h"
#include "astf/executed.h"
#include "astf/locate.h"

enum astf_standing {
    ASTF_STANDS_SAME,     /* the record of the executed instruction */
    ASTF_STANDS_MOVED,    /* the same, in another place of the order */
    ASTF_STANDS_REPLACED, /* it stands in the place of an executed instruction, and is another */
    ASTF_STANDS_EXCESS,   /* nothing was executed for it */
    ASTF_STANDS_LOST,     /* from here on the trace is not found in the execution */
    ASTF_STANDS_UNTOLD,   /* nothing is known: the trace was lost, or the recording was stopped */
};

/* The least that must be shown of the trace ahead of a record, where there is as much. */
enum { ASTF_COURSE_AHEAD = 2048 };

enum { ASTF_COURSE_TILES = 64 };

/* A run of records that stands elsewhere in the execution, within a block of both. */
struct astf_tile {
    unsigned trace, executed, length;
    unsigned heaviest, before;
    bool stays; /* the others moved around it */
};

struct astf_course {
    struct astf_window window;
    const uint8_t *ahead_end; /* records are there until here */
    bool ahead_last;          /* and no others follow */
    bool started, lost;
    uint64_t begins_behind;   /* executed instructions before the first that is traced */
    uint64_t begins_at;       /* its address */
    uint64_t left_out;        /* executed before the next record, and not recorded */
    unsigned planned;         /* records of which the standing is known ... */
    unsigned next;            /* ... and the next of them */
    unsigned covered;         /* executed instructions that they stand for */
    unsigned left_out_behind; /* of those, behind the last record */
    unsigned due;             /* place in the window of the one that is expected next */
    uint8_t standing[ASTF_ALIGN_TRACE];
    uint16_t executed[ASTF_ALIGN_TRACE]; /* place in the window */
    uint16_t left_out_before[ASTF_ALIGN_TRACE];
    /* Working memory. */
    unsigned traced, count;
    struct astf_step trace_steps[ASTF_ALIGN_TRACE];
    struct astf_step executed_steps[ASTF_ALIGN_EXECUTED];
    bool used[ASTF_ALIGN_EXECUTED];
    unsigned tiles;
    struct astf_tile tile[ASTF_COURSE_TILES];
    struct astf_alignment alignment;
    struct astf_search search;
};

struct astf_course_place {
    enum astf_standing standing;
    const struct astf_executed *executed; /* null unless same, moved or replaced; valid until the
                                             next record */
    bool has_next;                        /* the executed instruction behind it is behind it in
                                             memory, too */
    uint64_t left_out;                    /* executed before it and not recorded */
};

/* A record of an instruction that was executed, not of an attempt. */
struct astf_course_place astf_course_next(struct astf_course *course, const uint8_t *record);

/* The attempt that was made where the trace is; null if none is known. */
const struct astf_attempt *astf_course_attempt(struct astf_course *course);

/* How many instructions of the window were executed behind the last that a record stands for, and
 * the address of the first of them, if the window has it. */
uint64_t astf_course_rest(struct astf_course *course, uint64_t *at);

/* Whether a record is of an instruction that took an exception and did not retire. SVC retires. */
bool astf_is_attempt(const uint8_t *record);

#endif
