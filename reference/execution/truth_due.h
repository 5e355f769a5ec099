/* The common case of the stage in truth.h: events whose instructions are those that were executed
 * next. Inlined into each format's own function, so that what the format says is part of it. */
#ifndef ASSAY_EXECUTION_TRUTH_DUE_H
#define ASSAY_EXECUTION_TRUTH_DUE_H

#include <string.h>

#include "common/part.h"
#include "execution/truth.h"

/* The thread that the events are of, as the stage knows it. */
struct assay_truth_present {
    struct assay_course *course;
    uint64_t *displaced; /* by how much the address of what is in line is wrong */
    bool *resumed;       /* the thread has gone on behind another, and had no instruction since */
    bool all_told;       /* the recording tells every access */
};

/* The address that the instruction has where those before it are displaced. */
static inline void assay_truth_follow(struct assay_truth_step *step, uint64_t *displaced)
{
    *displaced = (step->flags & ASSAY_STEP_IN_LINE) != 0 ? *displaced : 0;
    step->step.pc += *displaced;
}

/* Compares what the format has beyond the place of the instruction. */
ASSAY_PART void assay_truth_compare(const struct assay_truth_format *format, void *context,
                                    const struct assay_truth_present *present,
                                    const struct assay_event *event, uint32_t at,
                                    const struct assay_truth_step *step,
                                    const struct assay_course_place *place, uint64_t *words)
{
    const struct assay_retired *executed = place->executed;
    const bool moved = place->standing == ASSAY_STANDS_MOVED;
    struct assay_truth_match match = {
        .standing = place->standing, .executed = executed, .all_told = present->all_told};
    if (executed != NULL) {
        const bool same_word = step->step.word == executed->word;
        match.accesses = assay_window_accesses(&present->course->window, executed);
        match.same = same_word && (step->step.any_pc || step->step.pc == executed->pc);
        match.has_next = place->has_next;
        match.displaced = *present->displaced != 0 || step->step.any_pc;
        /* What took control away is not told where another thread's record stands before. */
        match.diverted =
            executed->came_by_diversion && !moved && place->left_out == 0 && !*present->resumed;
        if (same_word && !match.same && !moved) {
            *present->displaced += executed->pc - step->step.pc;
        }
    }
    format->compare(context, event, at, &match, words);
    *present->resumed = false;
}

/* Annotates events from the first on while none stands for anything else than the one instruction
 * that is due, and gives how many. `format` is constant where this is called, and has no runs. */
ASSAY_PART size_t assay_truth_take_due(const struct assay_truth_format *format, void *context,
                                       const struct assay_truth_present *present,
                                       const struct assay_event *events, size_t count)
{
    enum { AHEAD = 8 }; /* the bytes were last read when the block was made */
    for (size_t i = 0; i < count; i++) {
        const struct assay_event *event = &events[i];
        uint64_t *words = (uint64_t *)event->words;
        const unsigned role = format->roles[event->kind];
        struct assay_truth_step step;
        __builtin_prefetch(events[i + AHEAD < count ? i + AHEAD : i].bytes);
        if (role == ASSAY_TRUTH_NOTE) {
            format->note(context, event, words);
        }
        if (role == ASSAY_TRUTH_NOTE || role == ASSAY_TRUTH_PASSES) {
            continue;
        }
        if (role != ASSAY_TRUTH_INSTRUCTION) {
            return i;
        }
        format->step(event, 0, &step);
        if ((step.flags & (ASSAY_STEP_ATTEMPT | ASSAY_STEP_INTERRUPT)) != 0) {
            return i;
        }
        assay_truth_follow(&step, present->displaced);
        const struct assay_retired *due = assay_course_take_due(present->course, &step.step);
        if (due == NULL) {
            return i;
        }
        memset(words + format->first, 0, ASSAY_TRUTH_ROOM * sizeof words[0]);
        words[format->first + ASSAY_TRUTH_PC] = due->pc;
        words[format->first + ASSAY_TRUTH_FLAGS] = ASSAY_TRUTH_EXECUTED | due->word;
        const struct assay_course_place place = {
            .standing = ASSAY_STANDS_SAME, .executed = due, .has_next = true};
        assay_truth_compare(format, context, present, event, 0, &step, &place, words);
    }
    return count;
}

#endif
