/* The fast path of the comparison (compare.h): events whose instructions are those that were
 * executed next. Inlined into a function of each format, together with the format's own functions.
 */
#ifndef ASSAY_EXECUTION_COMPARE_FAST_PATH_H
#define ASSAY_EXECUTION_COMPARE_FAST_PATH_H

#include <string.h>

#include "common/part.h"
#include "execution/compare.h"

/* The state of the thread that the events are of. */
struct assay_compare_current {
    struct assay_alignment *alignment;
    uint64_t *displaced; /* error of addresses that follow from earlier ones */
    bool *resumed;       /* another thread was traced since its last instruction */
    bool all_accesses;   /* the recording has every access */
    struct assay_uncompared *uncompared;
};

/* Corrects the address of an instruction that follows from one that is displaced. */
static inline void assay_compare_displace(struct assay_compare_step *step, uint64_t *displaced)
{
    *displaced = (step->flags & ASSAY_STEP_IN_LINE) != 0 ? *displaced : 0;
    step->step.pc += *displaced;
}

/* Compares what the format has beyond the instruction itself. */
ASSAY_PART void assay_compare_instruction(const struct assay_compare_format *format, void *context,
                                          const struct assay_compare_current *current,
                                          const struct assay_event *event, uint32_t at,
                                          const struct assay_compare_step *step,
                                          const struct assay_alignment_match *found,
                                          uint64_t *cells)
{
    const struct assay_retired *executed = found->executed;
    const bool moved = found->outcome == ASSAY_OUTCOME_MOVED;
    struct assay_compare_match match = {.outcome = found->outcome,
                                        .executed = executed,
                                        .all_accesses = current->all_accesses,
                                        .uncompared = current->uncompared};
    if (executed != NULL) {
        const bool same_word = step->step.word == executed->word;
        match.window = &current->alignment->window;
        match.alignment = current->alignment;
        match.accesses = assay_window_accesses(&current->alignment->window, executed);
        match.same = same_word && (step->step.any_pc || step->step.pc == executed->pc);
        match.has_next = found->has_next;
        match.displaced = *current->displaced != 0 || step->step.any_pc;
        /* Where a record of another thread is right before, nothing can show what took control. */
        match.diverted =
            executed->after_diversion && !moved && found->left_out == 0 && !*current->resumed;
        if (same_word && !match.same && !moved) {
            *current->displaced += executed->pc - step->step.pc;
        }
    }
    format->compare(context, event, at, &match, cells);
    *current->resumed = false;
}

/* Annotates events as long as each is of the expected instruction, and returns how many. `format`
 * is a constant where this is called, and has no runs. */
ASSAY_PART size_t assay_compare_fast_path(const struct assay_compare_format *format, void *context,
                                          const struct assay_compare_current *current,
                                          const struct assay_event *events, size_t count)
{
    enum { AHEAD = 8 }; /* prefetch distance: the bytes were last read when the block was made */
    for (size_t i = 0; i < count; i++) {
        const struct assay_event *event = &events[i];
        uint64_t *cells = (uint64_t *)event->cells;
        const unsigned role = format->roles[event->kind];
        struct assay_compare_run run = {0};
        struct assay_compare_step step;
        __builtin_prefetch(events[i + AHEAD < count ? i + AHEAD : i].bytes);
        if (role == ASSAY_COMPARE_NOTE) {
            format->note(context, event, cells);
        }
        if (role == ASSAY_COMPARE_NOTE || role == ASSAY_COMPARE_IGNORED) {
            continue;
        }
        if (role != ASSAY_COMPARE_INSTRUCTION) {
            return i;
        }
        format->step(context, event, &run, &step);
        if ((step.flags & (ASSAY_STEP_ATTEMPT | ASSAY_STEP_INTERRUPT | ASSAY_STEP_TRAPPED)) != 0) {
            return i;
        }
        assay_compare_displace(&step, current->displaced);
        const struct assay_retired *executed =
            assay_alignment_take_expected(current->alignment, &step.step);
        if (executed == NULL) {
            return i;
        }
        memset(cells + format->first, 0, ASSAY_COMPARE_ROOM * sizeof cells[0]);
        cells[format->first + ASSAY_COMPARE_PC] = executed->pc;
        cells[format->first + ASSAY_COMPARE_FLAGS] = ASSAY_COMPARE_EXECUTED | executed->word;
        const struct assay_alignment_match found = {
            .outcome = ASSAY_OUTCOME_SAME, .executed = executed, .has_next = true};
        current->uncompared->matched++;
        assay_compare_instruction(format, context, current, event, 0, &step, &found, cells);
    }
    return count;
}

#endif
