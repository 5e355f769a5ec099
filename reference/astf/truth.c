#include "astf/truth.h"

#include <stdlib.h>
#include <string.h>

#include "astf/astf.h"
#include "astf/compare.h"
#include "execution/course.h"
#include "isa/a64.h"

struct astf_truth {
    struct assay_course course;
    struct astf_comparison now;
    bool all_told;         /* the recording tells every access */
    const uint8_t *record; /* the present one */
    const uint8_t *end;    /* records are there until here ... */
    bool last;             /* ... and no others follow */
};

/* --- the trace ahead --- */

/* An Instruction record as it is compared. */
static struct assay_step step_of(const uint8_t *r)
{
    return (struct assay_step){
        .pc = astf_get(r, instr, pc),
        .word = (uint32_t)astf_get(r, instr, iword),
        .address = astf_get(r, instr, ea),
        .has_address = astf_get(r, instr, ea_valid) != 0 && astf_get(r, instr, is_branch) == 0 &&
                       (astf_get(r, instr, is_read) != 0 || astf_get(r, instr, is_write) != 0)};
}

/* Whether a record is of an instruction that took an exception and did not retire. SVC retires. */
static bool is_attempt(const uint8_t *r)
{
    return astf_get(r, instr, trap) != 0 &&
           a64_info_class(a64_classify((uint32_t)astf_get(r, instr, iword))) != A64_SVC;
}

static unsigned steps_ahead(void *context, struct assay_step *steps, unsigned most, bool *last)
{
    const struct astf_truth *t = context;
    unsigned count = 0;
    for (const uint8_t *r = t->record; r < t->end && count < most; r += ASTF_RECORD_BYTES) {
        if (astf_kind_of(r[0]) == ASTF_instr && !is_attempt(r)) {
            steps[count++] = step_of(r);
        }
    }
    *last = t->last;
    return count;
}

/* --- opening and closing --- */

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
    (*truth)->course.window.thread = thread != ASSAY_EXECUTION_THREAD_TOLD ? thread : 0;
    (*truth)->course.window.tagged = true;
    (*truth)->course.ahead = steps_ahead;
    (*truth)->course.context = *truth;
    (*truth)->all_told = assay_execution_header(execution)->all_accesses;
    assay_window_fill(&(*truth)->course.window, 1);
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
    const struct assay_window *window = &t->course.window;
    return window->broken ? assay_execution_diag(window->execution) : NULL;
}

void astf_truth_ahead(struct astf_truth *t, const uint8_t *end, bool last)
{
    t->end = end;
    t->last = last;
}

/* --- instructions --- */

static void tell_attempt(struct astf_truth *t, uint64_t *words)
{
    const struct assay_attempt *attempt = assay_course_attempt(&t->course);
    if (attempt != NULL) {
        words[ASTF_WORD_PC] = attempt->pc;
        words[ASTF_WORD_FLAGS] = attempt->word | ASTF_ATTEMPT_KNOWN;
        words[ASTF_WORD_FLAGS] |= attempt->fault_known ? ASTF_FAULT_KNOWN : 0;
        words[ASTF_WORD_EA] = attempt->fault;
    }
}

static uint64_t flags_of(const struct assay_course_place *place)
{
    switch (place->standing) {
    case ASSAY_STANDS_MOVED:
        return ASTF_EXECUTED | ASTF_MOVED;
    case ASSAY_STANDS_EXCESS:
        return ASTF_UNEXECUTED;
    case ASSAY_STANDS_LOST:
        return ASTF_LOST;
    case ASSAY_STANDS_UNTOLD:
        return 0;
    default:
        return ASTF_EXECUTED;
    }
}

static void tell(struct astf_truth *t, const struct assay_course_place *place,
                 const uint8_t *record, uint64_t info, uint64_t *words)
{
    const struct assay_retired *executed = place->executed;
    const uint64_t most = ASTF_LEFT_OUT_MOST;
    words[ASTF_WORD_FLAGS] = flags_of(place) | (place->left_out < most ? place->left_out : most)
                                                   << ASTF_BIT_LEFT_OUT;
    if (executed == NULL) {
        return;
    }
    words[ASTF_WORD_PC] = executed->pc;
    words[ASTF_WORD_FLAGS] |= executed->word;
    if (place->standing == ASSAY_STANDS_REPLACED) {
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
        const struct assay_step step = step_of(record);
        t->record = record;
        const struct assay_course_place place = assay_course_next(&t->course, &step);
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
    words[3] = assay_course_rest(&t->course, &words[4]);
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
