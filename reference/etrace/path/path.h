/* The state of the second stage (path.c), which follows the program by packets. */
#ifndef ASSAY_ETRACE_PATH_H
#define ASSAY_ETRACE_PATH_H

#include "etrace/etrace.h"
#include "etrace/path/data_trace.h"
#include "etrace/program/branches.h"
#include "etrace/program/calls.h"
#include "etrace/program/targets.h"
#include "etrace/program/walk.h"
#include "execution/process.h"
#include "model/step_stage.h"

/* Values of the fields `entered`, `stopped`, `outcome` and `reason` (path.def). */
enum etrace_entered {
    ETRACE_BY_SEQUENCE,
    ETRACE_BY_TAKEN,
    ETRACE_BY_NOT_TAKEN,
    ETRACE_BY_JUMP,
    ETRACE_BY_SEQUENTIAL_JUMP,
    ETRACE_BY_RETURN,
    ETRACE_BY_REPORT,
    ETRACE_BY_SYNC,
    ETRACE_BY_TRAP
};
enum etrace_stopped {
    ETRACE_GOES_ON,
    ETRACE_AT_TARGET,
    ETRACE_AT_ADDRESS,
    ETRACE_AT_NOTIFIED,
    ETRACE_AT_SYNC,
    ETRACE_AT_BRANCH
};
enum etrace_outcome { ETRACE_NO_OUTCOME, ETRACE_NOT_TAKEN, ETRACE_TAKEN };
enum etrace_lost {
    ETRACE_LOST_NOT,
    ETRACE_LOST_NO_SYNC,
    ETRACE_LOST_ABSENT,
    ETRACE_LOST_NO_BRANCH,
    ETRACE_LOST_UNPROCESSED,
    ETRACE_LOST_DISCONTINUITY,
    ETRACE_LOST_ENDLESS,
    ETRACE_LOST_NO_ENTRY,
    ETRACE_LOST_NO_HANDLER,
    ETRACE_LOST_MALFORMED,
    ETRACE_LOST_TOO_FAR,
    ETRACE_LOST_WHICH_ENTRY,
    ETRACE_LOST_ASYNCHRONOUS
};

/* How else an address that no image has can be read; values of the field `instead`. */
enum etrace_misread {
    ETRACE_MISREAD_NONE,
    ETRACE_MISREAD_HALF,
    ETRACE_MISREAD_TWICE,
    ETRACE_MISREAD_ZEROS,
    ETRACE_MISREAD_FULL,
    ETRACE_MISREAD_ONES,
    ETRACE_MISREAD_CUT
};

/* Cells of runs and of the other events, and bits (path.def). */
enum {
    FACTS = ETRACE_CELL_run_entered,
    LAST_WORD = ETRACE_CELL_run_last_word,
    LAST_ADDRESS = ETRACE_CELL_run_last_address,
    ADDRESS = ETRACE_CELL_run_address,
    END = ETRACE_CELL_run_end,
    COUNT = ETRACE_CELL_run_count,
    CONTEXT = ETRACE_CELL_run_context,
    CAUSE = ETRACE_CELL_trap_cause,
    TVAL = ETRACE_CELL_trap_tval,
    REPORTED = ETRACE_CELL_path_lost_reported,
    WORD = ETRACE_CELL_instruction_word,
    GAPS = ETRACE_CELL_trace_end_gaps
};
enum {
    SIZE_BIT = ETRACE_BIT_instruction_size,
    REASON_BIT = ETRACE_BIT_path_lost_reason,
    ENTERED_BIT = ETRACE_BIT_run_entered,
    LAST_BIT = ETRACE_BIT_run_last,
    CALL_BIT = ETRACE_BIT_run_is_call,
    STOPPED_BIT = ETRACE_BIT_run_stopped,
    PENDING_BIT = ETRACE_BIT_run_pending,
    DEPTH_BIT = ETRACE_BIT_run_depth,
    RETURNED_BIT = ETRACE_BIT_run_returned,
    BRANCHED_BIT = ETRACE_BIT_run_branched,
    MISPREDICTED_BIT = ETRACE_BIT_run_mispredicted,
    OUTCOME_BIT = ETRACE_BIT_run_outcome,
    FULL_MAP_BIT = ETRACE_BIT_run_full_map,
    WRONG_BIT = ETRACE_BIT_run_wrong,
    AS_PREDICTED_BIT = ETRACE_BIT_run_as_predicted,
    NEEDS_DEPTH_BIT = ETRACE_BIT_run_needs_depth,
    ANNOUNCED_BIT = ETRACE_BIT_run_announced,
    INDEX_BYTES_BIT = ETRACE_BIT_run_index_bytes,
    LAST_SIZE_BIT = ETRACE_BIT_run_last_size,
    BETWEEN_BIT = ETRACE_BIT_run_between_returns,
    CROSSES_BIT = ETRACE_BIT_run_crosses,
    SPACE_BIT = ETRACE_BIT_run_space
};
enum {
    INTERRUPT_BIT = ETRACE_BIT_trap_interrupt,
    HANDLER_BIT = ETRACE_BIT_trap_handler_known,
    AFTER_TRAP_BIT = ETRACE_BIT_path_start_after_trap,
    APART_BIT = ETRACE_BIT_path_start_apart,
    RAISED_BIT = ETRACE_BIT_trap_raised_known,
    CALLED_BIT = ETRACE_BIT_trap_called,
    AFTER_JUMP_BIT = ETRACE_BIT_trap_after_jump,
    EPC_FLOW_BIT = ETRACE_BIT_trap_epc_flow,
    EPC_KNOWN_BIT = ETRACE_BIT_trap_epc_known,
    EPC_CALLED_BIT = ETRACE_BIT_trap_epc_called,
    SECOND_TRAP_BIT = ETRACE_BIT_trap_after_trap,
    ENABLE_BIT = ETRACE_BIT_path_end_enable,
    END_PENDING_BIT = ETRACE_BIT_path_end_pending,
    LOST_PENDING_BIT = ETRACE_BIT_path_lost_pending,
    PASSED_BIT = ETRACE_BIT_path_lost_passed,
    INSTEAD_BIT = ETRACE_BIT_path_lost_instead,
    PRECEDED_BIT = ETRACE_BIT_path_lost_preceded,
};

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
    uint64_t facts;                       /* of a run of all of it */
    uint64_t says[COUNT + 1 - LAST_WORD]; /* the cells after these */
    uint64_t address;                     /* with the space what it is in the cache by */
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
    struct assay_image_cursor again;      /* where runs are read again, to be compared */
    struct assay_image_cursor shown;      /* and where for messages, perhaps on another thread */
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
    bool moved;     /* the path has left the instruction that was reported before */
    bool passed;    /* it came to the address where the packet's flags exclude it */
    bool returned;  /* a predicted return came since the last call */
    bool branched;  /* a branch that the report has came since the last predicted return */
    bool announced; /* a packet has the context alone, since the last run */
    bool deep;      /* only its depth says which occurrence of the address was reported last */

    struct etrace_data_trace *accessed; /* null where no data are traced */

    struct assay_process process; /* of the recording that the path is compared with */

    struct etrace_loop loop;
    struct etrace_repeats repeats;

    bool compared;  /* with a recorded execution or a record of the interface */
    bool gaps;      /* as the field of the end */
    bool preceded;  /* the stream had a support or synchronisation packet */
    bool unhandled; /* the last packet has a trap without the address of its handler (2.0) */
    bool said;      /* that the path is lost, since it was followed last */
    bool ended;     /* by a packet, at least once */
    uint64_t since; /* packets of format 3, the one at hand included, since it ended last, or since
                       the stream began */
    uint32_t ahead; /* instructions that were walked beyond what packets allow (discontinuity.c) */
    uint64_t offset;
    char why[64];
};

/* Whether a privilege level is that of programs: U or VU. */
static inline bool etrace_is_user(uint64_t privilege)
{
    enum { USER = 0, VIRTUAL_USER = 5 };
    return privilege == USER || privilege == VIRTUAL_USER;
}

/* --- events (path.c) --- */

/* The path ends because of a packet; what it could not be followed for. */
void etrace_lose(struct etrace_path *p, const struct assay_event *packet, enum etrace_lost reason,
                 uint64_t address);

/* --- addresses that no image has (misread_address.c) --- */

/* Of the address of a packet that is the one reported last. */
enum etrace_misread etrace_misread(struct etrace_path *p, const struct assay_event *packet);

/* --- returns (ambiguous_return.c) --- */

/* A return at which the path is, and which the packet says was predicted wrongly, can as well be a
 * later one: if it was predicted rightly the program comes, without an outcome or a report in
 * between, to another return at the same depth, and no decoder can tell the two apart. How many
 * instructions that are, up to the later return; 0: there is none within 4096. */
unsigned etrace_between_returns(struct etrace_path *path);

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
