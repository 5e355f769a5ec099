/* The state of the second stage (path.c), which follows the program by packets. */
#ifndef ASSAY_ETRACE_PATH_H
#define ASSAY_ETRACE_PATH_H

#include "etrace/etrace.h"
#include "etrace/path/events.h"
#include "etrace/program/branches.h"
#include "etrace/program/calls.h"
#include "etrace/program/targets.h"
#include "etrace/program/walk.h"
#include "model/step_stage.h"

/* --- the stage --- */

/* What a packet of format 0, 1, 2 or 3 asks for. */
struct etrace_report {
    uint64_t address;  /* that is reported; unless `by_branch` */
    uint64_t previous; /* where the path was when the packet came */
    uint64_t index;    /* `indexed`: of the jump target cache, which has the address */
    uint64_t irdepth;
    bool by_branch; /* no address: up to the last branch */
    bool indexed;
    bool found; /* `indexed`: the address is the one that the cache has */
    bool sync;  /* of format 3 */
    bool notify, updiscon, irreport;
    bool privileged;   /* `sync`: it gives another privilege level */
    uint8_t privilege; /* `sync`: of the instruction that is reported */
};

/* The search for a path that comes back (loops.h). The mark is put at steps 1, 2, 4, 8 and so on
 * (Brent), so that it is found after at most three times the steps that it takes. */
struct etrace_loop {
    uint64_t pc;      /* of the mark */
    uint64_t *ring;   /* its return addresses, the newest first */
    uint32_t depth;   /* their number */
    uint64_t steps;   /* since the last outcome */
    uint64_t mark_at; /* steps at which the next mark is put */
};

/* How far the path is followed, and loops that a count of branches passes (loops.h). */
struct etrace_repeats {
    struct etrace_loop loop;      /* whose steps are runs since the search began */
    uint64_t predicted;           /* outcomes that were left at the mark */
    uint64_t runs;                /* since the mark */
    uint64_t instructions, bytes; /* of these */
    uint32_t left;                /* runs that the path may yet be followed for */
    uint32_t most;                /* of these at once */
    uint32_t of_packet;           /* that are added for a packet */
    uint32_t outcomes_most;       /* of a packet, for which runs are added, too */
    bool counts;                  /* repetitions are counted: nothing needs each run of the path */
    bool searches; /* the packet has so many outcomes that repetitions can be left out */
};

/* A walk in the cache, with those that came after it last: a program goes on as it did before. */
struct etrace_cached_walk {
    struct etrace_walk walk;
    uint64_t facts;                                             /* of a run of all of it */
    uint64_t says[ETRACE_RUN_COUNT + 1 - ETRACE_RUN_LAST_WORD]; /* the cells after these */
    uint64_t address; /* with the space what it is in the cache by */
    uint32_t space;
    uint8_t entered[2];                 /* enum etrace_entered, and where: what comes after it */
    uint64_t next[2];                   /* when a branch at its end is not taken, or when it is */
    struct etrace_cached_walk *then[2]; /* after a branch that was not taken or anything else, and
                                      after one that was; null: none */
};

/* A part of a walk, at whose end packets stopped, and what it meets (struct assay_conditions): the
 * path comes there again in each repetition of a loop. */
struct etrace_part_met {
    uint64_t address;
    uint32_t count; /* instructions; 0: none */
    uint32_t space;
    uint64_t met;
};

enum { ETRACE_PARTS_MET = 256 };

struct etrace_path {
    struct assay_step_stage base;
    struct assay_parameter_values *values;
    uint64_t layout[ETRACE_PARAMETER_COUNT]; /* the options in effect */
    struct etrace_reading reading;
    struct assay_image_cursor cursor;
    struct assay_image_cursor shown;      /* where runs are read again, perhaps on another thread */
    struct assay_run_cache cache;         /* of struct etrace_cached_walk */
    struct etrace_cached_walk *at;        /* at whose end the path is; null: somewhere else */
    struct etrace_cached_walk *elsewhere; /* that came last where there is none */
    struct etrace_part_met parts_met[ETRACE_PARTS_MET]; /* by the end of their addresses */
    struct etrace_branches branches;
    struct etrace_calls calls;
    struct etrace_targets targets;

    bool started;                   /* the position is known */
    struct etrace_instruction last; /* that was retired last */
    struct etrace_preceding before; /* where the one that was retired before lies before it */
    bool addressed;                 /* that instruction was reported by its address */
    bool inferred;           /* the address was reported, but maybe not of its first occurrence */
    bool inferred_return;    /* then it was the target of a return that was predicted wrongly */
    uint64_t inferred_depth; /* at this depth */
    uint64_t address;        /* that was reported last */
    uint64_t context;
    uint8_t privilege;

    struct etrace_report report; /* that is being followed, over several steps */
    bool following;
    /* It came to the address where the packet's flags exclude it (6.6.2, 6.6.3). Only who follows
     * both passes of an inferred address knows that: it is a field of path_lost. */
    bool passed;

    struct etrace_loop loop;
    struct etrace_repeats repeats;

    bool traces_data;   /* packets of data trace have events among those of the path */
    bool gaps;          /* as the field of the end */
    bool loss_reported; /* that the path is lost, since it was followed last */
    uint32_t ahead; /* instructions that were walked beyond what packets allow (discontinuity.c) */
    uint64_t offset;
    char why[64];
};

/* --- events (path.c) --- */

/* The path ends because of a packet; what it could not be followed for. */
void etrace_lose(struct etrace_path *p, const struct assay_event *packet, enum etrace_lost reason,
                 uint64_t address);

/* --- asynchronous discontinuities (discontinuity.c) --- */

/* Whether a packet of subformat 0 can be of another hart, or of Debug mode, to which no
 * instruction of the path leads: the last one was reported (table 4.4, ctype 3; table 4.5, halted),
 * and the program does not come to the address of the packet. */
bool etrace_begins_asynchronously(struct etrace_path *p, const struct assay_event *start);

/* --- following (follow.c) --- */

/* Begins to follow a report. */
void etrace_follow(struct etrace_path *p, const struct etrace_report *report);

/* Follows it by a part of the program or several, until there are `room` events in the history or
 * one more. True when it is done. */
bool etrace_advance(struct etrace_path *p, const struct assay_event *packet, uint64_t room);

/* The path begins at an address: its first instruction is a run. */
void etrace_begin(struct etrace_path *p, const struct assay_event *packet,
                  enum etrace_entered entered, uint64_t address);

#endif
