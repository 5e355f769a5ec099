#include "astf/truth.h"

#include <stdlib.h>
#include <string.h>

#include "astf/astf.h"
#include "astf/compare.h"
#include "astf/course.h"
#include "isa/a64.h"

struct astf_truth {
    struct astf_course course;
    struct astf_comparison now;
    bool all_told; /* the recording tells every access */
};

enum assay_error astf_truth_open(struct assay_execution *execution, uint32_t thread,
                                 struct astf_truth **truth, struct assay_diag *diag)
{
    *truth = NULL;
    if (execution == NULL) {
        return ASSAY_OK;
    }
    *truth = calloc(1, sizeof **truth);
    if (*truth == NULL) {
        assay_execution_close(execution);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    (*truth)->course.window.execution = execution;
    (*truth)->course.window.thread = thread;
    (*truth)->all_told = assay_execution_header(execution)->all_accesses;
    astf_window_fill(&(*truth)->course.window, 1);
    return ASSAY_OK;
}

void astf_truth_discard(struct assay_execution *execution)
{
    assay_execution_close(execution);
}

void astf_truth_close(struct astf_truth *truth)
{
    if (truth != NULL) {
        assay_execution_close(truth->course.window.execution);
        free(truth);
    }
}

const struct assay_diag *astf_truth_fault(const struct astf_truth *t)
{
    const struct astf_window *window = &t->course.window;
    return window->broken ? assay_execution_diag(window->execution) : NULL;
}

void astf_truth_ahead(struct astf_truth *t, const uint8_t *end, bool last)
{
    t->course.ahead_end = end;
    t->course.ahead_last = last;
}

/* --- instructions --- */

static void tell_attempt(struct astf_truth *t, uint64_t *words)
{
    const struct astf_attempt *attempt = astf_course_attempt(&t->course);
    if (attempt != NULL) {
        words[ASTF_WORD_PC] = attempt->pc;
        words[ASTF_WORD_FLAGS] = attempt->iword | ASTF_ATTEMPT_KNOWN;
        words[ASTF_WORD_FLAGS] |= attempt->fault_known ? ASTF_FAULT_KNOWN : 0;
        words[ASTF_WORD_EA] = attempt->fault;
    }
}

static uint64_t flags_of(const struct astf_course_place *place)
{
    switch (place->standing) {
    case ASTF_STANDS_MOVED:
        return ASTF_EXECUTED | ASTF_MOVED;
    case ASTF_STANDS_EXCESS:
        return ASTF_UNEXECUTED;
    case ASTF_STANDS_LOST:
        return ASTF_LOST;
    case ASTF_STANDS_UNTOLD:
        return 0;
    default:
        return ASTF_EXECUTED;
    }
}

static void tell(struct astf_truth *t, const struct astf_course_place *place, const uint8_t *record,
                 uint64_t info, uint64_t *words)
{
    const struct astf_executed *executed = place->executed;
    const uint64_t most = ASTF_LEFT_OUT_MOST;
    words[ASTF_WORD_FLAGS] = flags_of(place) | (place->left_out < most ? place->left_out : most)
                                                   << ASTF_BIT_LEFT_OUT;
    if (executed == NULL) {
        return;
    }
    words[ASTF_WORD_PC] = executed->pc;
    words[ASTF_WORD_FLAGS] |= executed->iword;
    if (place->standing == ASTF_STANDS_REPLACED) {
        return;
    }
    if (place->has_next && !executed->diverted) {
        words[ASTF_WORD_FLAGS] |= ASTF_NEXT_KNOWN;
        words[ASTF_WORD_NEXT] = executed[1].pc;
    }
    astf_compare_instr(&t->now, &t->course.window, executed, record, info, t->all_told, words);
}

void astf_truth_instr(struct astf_truth *t, const uint8_t *record, uint64_t info, uint64_t *words)
{
    memset(&words[ASTF_WORD_PC], 0, (ASTF_WORDS - ASTF_WORD_PC) * sizeof words[0]);
    t->now.open = false;
    if (astf_get(record, instr, trap) != 0 && a64_info_class(info) != A64_SVC) {
        tell_attempt(t, words);
    } else {
        const struct astf_course_place place = astf_course_next(&t->course, record);
        tell(t, &place, record, info, words);
    }
}

void astf_truth_extra_ea(struct astf_truth *t, const uint8_t *record, uint64_t *words)
{
    memset(&words[ASTF_WORD_FLAGS], 0, (ASTF_WORDS - ASTF_WORD_FLAGS) * sizeof words[0]);
    if (t->now.open) {
        astf_compare_extra_ea(&t->now, record, words);
    }
}

void astf_truth_malformed(struct astf_truth *t)
{
    t->now.open = false;
}

/* --- what is told of the recording itself --- */

void astf_truth_context(const struct astf_truth *t, uint64_t *words)
{
    words[0] = assay_execution_header(t->course.window.execution)->process;
    words[1] = t->course.window.system_id;
}

void astf_truth_end(struct astf_truth *t, uint64_t *words)
{
    struct assay_executed item;
    words[3] = astf_course_rest(&t->course, &words[4]);
    if (t->course.started && !t->course.lost) {
        words[5] = t->course.begins_behind;
        words[6] = t->course.begins_at;
        words[7] = 1;
    }
    while (!t->course.lost && !t->course.window.ended &&
           assay_execution_next(t->course.window.execution, &item) == ASSAY_OK &&
           item.kind != ASSAY_EXECUTED_END) {
        words[3] +=
            item.kind == ASSAY_EXECUTED_INSTRUCTION && item.thread == t->course.window.thread;
    }
}
