/* The events of the layer `instruction`, as the decoder (analyse.c) leaves them: their cells and
 * bits (elements.def), and what they have besides fields for the stages above, which annotate them
 * (facts/) and compare them with a recording. */
#ifndef ASSAY_ETE_EXECUTED_H
#define ASSAY_ETE_EXECUTED_H

#include "ete/ete.h"
#include "image/image.h"
#include "isa/arm_flow.h"

/* Values of the fields `by`, `goes_by`, `reached` and `reason`. */
enum ete_by { ETE_BY_ATOM, ETE_BY_SOURCE, ETE_BY_EXCEPTION, ETE_BY_Q };
enum ete_goes_by {
    ETE_GOES_UNKNOWN,
    ETE_GOES_SEQUENCE,
    ETE_GOES_BRANCH,
    ETE_GOES_STATED,
    ETE_GOES_STACK,
    ETE_GOES_UNSTATED,
    ETE_GOES_RESET
};
enum ete_reached {
    ETE_NOT_FOLLOWED,
    ETE_REACHED,
    ETE_BEHIND,
    ETE_PASSED,
    ETE_REACHES_ABSENT,
    ETE_REACHES_CHANGING,
    ETE_REACHES_GIVEN_UP,
    ETE_TOO_FAR
};
enum ete_lost {
    ETE_LOST_START,
    ETE_LOST_TRACE_ON,
    ETE_LOST_DISCARD,
    ETE_LOST_OVERFLOW,
    ETE_LOST_LOSS,
    ETE_LOST_FAILURE,
    ETE_LOST_ABSENT,
    ETE_LOST_NO_TARGET,
    ETE_LOST_NO_P0,
    ETE_LOST_Q,
    ETE_LOST_NO_CONTEXT,
    ETE_LOST_NOT_REACHED,
    ETE_LOST_CHANGING,
    ETE_LOST_GIVEN_UP
};

/* Cells of runs and exceptions; of an instruction its word, and its address and context in the
 * cells of a run's. */
enum {
    ETE_RUN_FLAGS = ETE_CELL_run_by,
    ETE_RUN_COMPUTED = ETE_CELL_run_computed,
    ETE_RUN_STATED = ETE_CELL_run_stated,
    ETE_RUN_ADDRESS = ETE_CELL_run_address,
    ETE_RUN_END = ETE_CELL_run_end,
    ETE_RUN_COUNT = ETE_CELL_run_count,
    ETE_RUN_CONTEXT = ETE_CELL_run_context_id,
    ETE_RUN_LAST_WORD = ETE_CELL_run_last_word,
    ETE_RUN_MOMENTS,
    ETE_INSTRUCTION_WORD = ETE_CELL_instruction_word
};
/* And of a sync_lost, whose bits of where it led are those of a run. */
enum {
    ETE_LOST_FLAGS = ETE_CELL_sync_lost_reason,
    ETE_LOST_ADDRESS = ETE_CELL_sync_lost_address,
    ETE_LOST_SKIPPED = ETE_CELL_sync_lost_skipped,
    ETE_LOST_STATED = ETE_CELL_sync_lost_stated,
    ETE_LOST_CONTEXT = ETE_CELL_sync_lost_context_id
};
enum {
    EL_BIT = ETE_BIT_run_el,
    SECURITY_BIT = ETE_BIT_run_security,
    GOES_BIT = ETE_BIT_run_goes_by,
    COMPUTED_BIT = ETE_BIT_run_is_computed,
    STATED_BIT = ETE_BIT_run_is_stated,
    STATED_IS1_BIT = ETE_BIT_run_stated_is1,
    COMPUTED_IS1_BIT = ETE_BIT_run_computed_is1,
    BY_BIT = ETE_BIT_run_by,
    LAST_BIT = ETE_BIT_run_last,
    CONDITIONAL_BIT = ETE_BIT_run_is_conditional,
    LINK_BIT = ETE_BIT_run_is_link,
    ENDS_BIT = ETE_BIT_run_ends,
    TAKEN_BIT = ETE_BIT_run_taken,
    MISPREDICTED_BIT = ETE_BIT_run_mispredicted,
    UNCERTAIN_BIT = ETE_BIT_run_uncertain,
    LAST_CALL_BIT = ETE_BIT_run_last_call,
    OLD_ENTRY_BIT = ETE_BIT_run_entry_before_info,
    LAST_SIZE_BIT = ETE_BIT_run_last_size
};
enum {
    TYPE_BIT = ETE_BIT_exception_taken_type,
    UNKNOWN_BIT = ETE_BIT_exception_taken_unknown,
    REACHED_BIT = ETE_BIT_exception_taken_reached,
    LOSES_BIT = ETE_BIT_sync_lost_loses
};

/* Bits without a field, for the stages above. */
enum {
    /* Of ETE_RUN_FLAGS, of a run, exception or sync_lost: what comes after it. A Mispredict after a
     * run takes the Target Addresses before it back, and so does the end of a session
     * (ETE_GOES_ON). */
    SEVERAL_STATED_BIT = 24, /* several Target Addresses: `stated` is the last one, the first one is
                                in the cell ETE_FIRST_STATED */
    FIRST_IS1_BIT = 25,      /* and is of IS1 */
    SKIPPED_BIT = 26,        /* P0 elements that could not be followed: what comes after these says
                                nothing of the event */
    /* Of ETE_RUN_FLAGS, of a run; OTHER_STATED_BIT of a sync_lost, too. */
    OPEN_Q_BIT = 27, /* it ends a Q element by a branch of which no element says whether it was
                        taken */
    OTHER_STATED_BIT = 28, /* and an address after it that is not the first one is in the cell
                              ETE_OTHER_STATED */
    FIRST_TAKEN_BIT = 30,  /* it was taken by its first status, before any Mispredict element */
    COVERED_BIT = 33,      /* instructions from the first one on that an IT before it can cover, at
                              the most, in 3 bits */
    AFTER_SYSTEM_BIT = 53, /* since the run before a higher Exception level was left */
    /* Of ETE_RUN_LAST_WORD, of a run. */
    KEEPS_FLAGS_BIT = 54, /* all of its instructions leave the condition flags as they are */
    IS_RETURN_BIT = 55,   /* the last one is an exception return */
    CALL_KIND_BIT = 56,   /* whether it is an SVC, HVC or SMC: enum ete_call_kind */
    BY_FLAGS_BIT = 58,    /* it is a branch of A64 by the condition flags */
    LEADS_BIT = 59,       /* it is a branch with link or an indirect branch */
    BY_REGISTER_BIT = 60, /* it is a CBZ, CBNZ, TBZ or TBNZ of A64 */
    /* Of ETE_RUN_COUNT, of a run or an exception. */
    SPACE_BIT = 32 /* number of the address space */
};

/* Bits of ETE_RUN_FLAGS that say where execution went on. */
static const uint64_t ETE_GOES_ON = UINT64_C(0x7f) << GOES_BIT | UINT64_C(1) << SEVERAL_STATED_BIT |
                                    UINT64_C(1) << FIRST_IS1_BIT | UINT64_C(1) << OTHER_STATED_BIT;

/* Cells without a field, for the facts alone: the comparison, which follows them, clears those of a
 * run. Where the end of a Q element depends on its branches, a Target Address after it that is not
 * the first one; the first one of several; of a sync_lost the instructions that the Q element
 * counts and no run has, as which they are depends on conditional branches, or 0 where it is not
 * known how many; and of a run the registers X0 to X30 that its instructions may write, by bits. */
enum {
    ETE_OTHER_STATED = ETE_EXECUTED_NEXT + 1,
    ETE_FIRST_STATED,
    ETE_Q_LEFT,
    ETE_WRITTEN = ETE_Q_LEFT
};

/* How many instructions a run has. */
static inline uint32_t ete_count_of(const uint64_t *run)
{
    return (uint32_t)(run[ETE_RUN_COUNT] & ((1 << ETE_BIT_run_tests_flags) - 1));
}

static inline enum arm_set ete_set_of(const uint64_t *cells)
{
    return (enum arm_set)(cells[ETE_RUN_FLAGS] & 3);
}

static inline enum ete_by ete_by_of(const uint64_t *cells)
{
    return (enum ete_by)(cells[ETE_RUN_FLAGS] >> BY_BIT & 3);
}

static inline enum ete_goes_by ete_goes_by_of(const uint64_t *cells)
{
    return (enum ete_goes_by)(cells[ETE_RUN_FLAGS] >> GOES_BIT & 7);
}

/* Whether one bit of a cell is set. */
static inline bool ete_has(uint64_t cell, unsigned bit)
{
    return (cell >> bit & 1) != 0;
}

/* Moves a cursor to the memory of a run. Returns the address that is `offset` bytes in it. */
uint64_t ete_again(struct assay_image_cursor *cursor, const uint64_t *run, uint64_t offset);

#endif
