/* What the events of the path have in their cells: all that stages above know of the path. The
 * fields are those of path.def; what has no field is named here. */
#ifndef ASSAY_ETRACE_PATH_EVENTS_H
#define ASSAY_ETRACE_PATH_EVENTS_H

#include "etrace/etrace.h"

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

/* Cells of runs and of the other events, and bits (path.def). */
enum {
    ETRACE_RUN_FLAGS = ETRACE_CELL_run_entered,
    ETRACE_RUN_LAST_WORD = ETRACE_CELL_run_last_word,
    ETRACE_RUN_LAST_ADDRESS = ETRACE_CELL_run_last_address,
    ETRACE_RUN_ADDRESS = ETRACE_CELL_run_address,
    ETRACE_RUN_END = ETRACE_CELL_run_end,
    ETRACE_RUN_COUNT = ETRACE_CELL_run_count,
    ETRACE_RUN_CONTEXT = ETRACE_CELL_run_context,
    ETRACE_TRAP_CAUSE = ETRACE_CELL_trap_cause,
    ETRACE_TRAP_TVAL = ETRACE_CELL_trap_tval,
    ETRACE_PATH_LOST_REPORTED = ETRACE_CELL_path_lost_reported,
    ETRACE_INSTRUCTION_WORD = ETRACE_CELL_instruction_word,
    ETRACE_TRACE_END_GAPS = ETRACE_CELL_trace_end_gaps
};
enum {
    SIZE_BIT = ETRACE_BIT_instruction_size,
    REASON_BIT = ETRACE_BIT_path_lost_reason,
    ENTERED_BIT = ETRACE_BIT_run_entered,
    LAST_BIT = ETRACE_BIT_run_last,
    STOPPED_BIT = ETRACE_BIT_run_stopped,
    PENDING_BIT = ETRACE_BIT_run_pending,
    DEPTH_BIT = ETRACE_BIT_run_depth,
    MISPREDICTED_BIT = ETRACE_BIT_run_mispredicted,
    OUTCOME_BIT = ETRACE_BIT_run_outcome,
    WRONG_BIT = ETRACE_BIT_run_wrong,
    SPACE_BIT = ETRACE_BIT_run_space
};
enum {
    INTERRUPT_BIT = ETRACE_BIT_trap_interrupt,
    HANDLER_BIT = ETRACE_BIT_trap_handler_known,
    ENABLE_BIT = ETRACE_BIT_path_end_enable,
    END_PENDING_BIT = ETRACE_BIT_path_end_pending,
    LOST_PENDING_BIT = ETRACE_BIT_path_lost_pending,
    PASSED_BIT = ETRACE_BIT_path_lost_passed,
};

/* Without a field. Of a run: its last instruction pushes a return address; it is entered by a
 * report that an earlier packet made, of an address that came before (6.6.2). Of a trap and of
 * path_lost, as of a run: the number of the address space that the program was read in before it.
 */
enum { CALL_BIT = 16, SECOND_PASS_BIT = 17 };

/* Whether a privilege level is that of programs: U or VU. */
static inline bool etrace_is_user(uint64_t privilege)
{
    enum { USER = 0, VIRTUAL_USER = 5 };
    return privilege == USER || privilege == VIRTUAL_USER;
}

#endif
