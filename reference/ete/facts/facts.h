/* What rules ask of the instructions that were executed, and the decoder does not need to follow
 * them: a stage above the decoder annotates its events (model/stage.h), and the comparison with a
 * recorded execution follows it. The decoder calls nothing here: format.c adds both to its chain.
 *
 *     condition_flags  what conditional branches say of the condition flags
 *     register_tests   what they say of the registers that they test
 *     unit_stack       what the trace unit's return stack can have
 *     view_inst        which instructions ViewInst filters out, by address
 *     broadcast        where branches are broadcast
 *     q_ways           the ways through a Q element that has conditional branches
 *     tcommit          whether a transaction that left nothing executed its TCOMMIT
 *     compare          the recorded execution */
#ifndef ASSAY_ETE_FACTS_H
#define ASSAY_ETE_FACTS_H

#include "ete/facts/q_ways.h"
#include "ete/facts/register_tests.h"
#include "ete/facts/unit_stack.h"
#include "ete/facts/view_inst.h"
#include "execution/chain_decoder.h"
#include "execution/process.h"

/* Bits of what is annotated (elements.def), in the cells that events have of the decoder. */
enum {
    AGREES_BIT = ETE_BIT_run_stack_agrees,
    ENTRY_DISCARDED_BIT = ETE_BIT_run_entry_discarded,
    STACK_WHOLE_BIT = ETE_BIT_run_stack_is_whole,
    STATED_OTHERWISE_BIT = ETE_BIT_run_stated_otherwise,
    OTHERWISE_IS1_BIT = ETE_BIT_run_otherwise_is1,
    RESUMES_BIT = ETE_BIT_run_resumes,
    BROADCAST_BIT = ETE_BIT_run_broadcast,
    VIEW_BIT = ETE_BIT_run_view,
    POINTS_BIT = ETE_BIT_run_points,
    COUNTED_BIT = ETE_BIT_run_counted_before,
    KEEPS_CONTEXT_BIT = ETE_BIT_run_keeps_context,
    AFTER_CALL_BIT = ETE_BIT_exception_taken_after_call,
    ACCESSES_BIT = ETE_BIT_exception_taken_word_accesses
};
enum { COUNTED_MOST = (1 << 19) - 1 /* of `counted_before` */ };

/* The comparison with a recorded execution (compare.c). */
struct ete_compared {
    struct assay_image_cursor again;   /* where runs are read again */
    struct assay_process process;      /* of the recording */
    struct assay_alignment *alignment; /* with it, after the last run; null: it is not known, or an
                                          exception came since */
    bool taken;                        /* and that one was taken, the only one there */
    bool excepted;                     /* an exception came since the last run */
};

struct ete_facts {
    struct assay_stage base;
    struct assay_history *events; /* of the decoder */
    struct assay_block block;     /* that was taken and is not passed on yet */
    struct ete_program program;   /* in the space of the event at hand */
    char why[96];                 /* something could not be found out */

    uint64_t run;     /* 1 + index of the event before, if it is a run; else 0 */
    bool resumes;     /* the position was lost since the last run */
    uint64_t counted; /* instructions since then, by a Q element; 0: not known */
    uint16_t flags;   /* values of the condition flags that are possible */
    struct a64_register_tests registers;
    struct ete_unit_stack stack;
    bool ranges; /* registers give address ranges or points */
    struct ete_view view;
    struct ete_broadcast broadcast;

    /* The Q element that the last run is of. */
    uint64_t q_begin;  /* address of its first instruction */
    bool synchronised; /* it has an ISB */
    struct ete_q_ways ways;

    struct ete_compared compared;
};

/* Adds the stage above those of the decoder, and the comparison, if the input has an execution. */
enum assay_error ete_facts_add(struct assay_chain *chain, const struct assay_decode_input *input,
                               struct assay_diag *diag);

/* Adds the comparison of the events that the facts pass on, if the input has an execution. */
enum assay_error ete_compare_add(struct assay_chain *chain, struct ete_compared *compared,
                                 const struct assay_decode_input *input, struct assay_diag *diag);

#endif
