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
    BETWEEN_BIT = ETRACE_BIT_run_between_returns,
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

/* Without a field. Of a run: its last instruction pushes a return address; it is entered by a
 * report that an earlier packet made, of an address that came before (6.6.2). Of a trap and of
 * path_lost, as of a run: the number of the address space that the program was read in before it.
 */
enum { CALL_BIT = 16, AGAIN_BIT = 17 };

/* Whether a privilege level is that of programs: U or VU. */
static inline bool etrace_is_user(uint64_t privilege)
{
    enum { USER = 0, VIRTUAL_USER = 5 };
    return privilege == USER || privilege == VIRTUAL_USER;
}

#endif
