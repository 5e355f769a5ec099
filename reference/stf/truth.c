#include "stf/truth.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "execution/threads.h"
#include "stf/compare.h"
#include "stf/place.h"

enum { DESCRIPTOR = STF_DESCRIPTOR_BYTES };

/* An encoding record as it is compared. */
struct record {
    struct assay_step step;
    bool attempt;   /* a fault is told of it: it did not retire */
    bool interrupt; /* an interrupt is told: it may not have retired */
    bool in_line;   /* its address follows from that of the one before it */
};

struct stf_truth {
    struct assay_threads threads;
    int present;  /* the course of the thread that the records are of, or aside */
    bool resumed; /* the thread has gone on behind another, and had no instruction since */
    struct stf_comparison now;
    bool all_told;   /* the recording tells every access */
    bool of_process; /* it is of a program under a system */
    uint8_t iem;     /* of the recording, as in place.h */
    const struct stf_model *model;
    const struct stf_framing *framing;
    const uint8_t *next; /* the record behind the present one */
    const uint8_t *end;  /* records are there until here ... */
    bool last;           /* ... and no others follow */
    struct record record;
    bool interrupted_retires; /* interrupts stand in groups of instructions that retired */
    /* By how much records in line with the one before it are displaced, by course. */
    uint64_t strays[ASSAY_THREADS_MOST];
    struct stf_model ahead;
};

/* --- the trace ahead --- */

static struct record record_of(uint32_t encoding, const uint64_t *words)
{
    const uint64_t place = words[0];
    const uint64_t flags = words[STF_WORD_inst_32_pc_known];
    const bool ecall = rv_info_class(words[1]) == RV_ECALL;
    const uint64_t flow = flags >> STF_AT_inst_32_flow & assay_mask(STF_SPAN_inst_32_flow);
    return (struct record){.step = {.pc = words[STF_WORD_inst_32_pc],
                                    .any_pc = (flags >> STF_AT_inst_32_pc_known & 1) == 0,
                                    .word = encoding,
                                    .address = words[STF_WORD_inst_32_access_address],
                                    .has_address = (flags >> STF_AT_inst_32_accesses &
                                                    assay_mask(STF_SPAN_inst_32_accesses)) != 0},
                           .attempt = (place & PLACE(group_fault)) != 0 && !ecall,
                           .interrupt = (place & PLACE(group_interrupt)) != 0,
                           .in_line = flow == FLOW_SEQUENCE};
}

/* An interrupt stands in the group of an instruction that did not execute, or of the last one that
 * completed (INT-STF-72). */
static bool is_left_aside(const struct stf_truth *t, const struct record *record)
{
    return record->attempt || (record->interrupt && !t->interrupted_retires);
}

/* Whose the records behind a PROCESS_ID_EXT are. In traces of 1.6 it begins with the hardware
 * thread, and the others follow. */
static int told_thread(struct stf_truth *t, const uint8_t *data, int present)
{
    const uint64_t ids[3] = {stf_get(data, process_id_ext, pid), stf_get(data, process_id_ext, tid),
                             stf_get(data, process_id_ext, asid)};
    const unsigned first = t->framing->profile == STF_PROFILE_16 ? 1 : 0;
    return assay_threads_find(&t->threads, ids[first], ids[first + 1], present);
}

static struct assay_course *present_course(struct stf_truth *t)
{
    return t->present >= 0 ? t->threads.course[t->present] : NULL;
}

/* The address that the record has where those before it are displaced. */
static void follow(struct record *record, uint64_t *strays)
{
    *strays = record->in_line ? *strays : 0;
    record->step.pc += *strays;
}

/* Goes on with a copy of the model, in records of the same thread. What stands in the header only
 * cannot come any more. */
static unsigned steps_ahead(void *context, struct assay_step *steps, unsigned most, bool *last)
{
    struct stf_truth *t = context;
    const uint8_t *at = t->next;
    uint64_t words[STF_WORDS] = {0};
    uint64_t strays = t->strays[t->present];
    unsigned count = 0;
    bool readable = true;
    int thread = t->present;
    memcpy(&t->ahead, t->model, offsetof(struct stf_model, words)); /* with words of its own */
    t->ahead.pages.slots = NULL;                                    /* stays with the model */
    steps[count++] = t->record.step;
    while (readable && at < t->end && count < most) {
        const size_t have = (size_t)(t->end - at);
        const struct stf_frame frame = stf_frame(t->framing, at, have);
        if (frame.fault == STF_NO_FAULT && (frame.length == 0 || frame.length > have)) {
            break;
        }
        readable = frame.fault == STF_NO_FAULT && frame.kind != STF_trace_info_feature;
        if (readable) {
            const bool instruction = frame.kind == STF_inst_32 || frame.kind == STF_inst_16;
            stf_model_record(&t->ahead, frame.kind, at + DESCRIPTOR,
                             (size_t)frame.length - DESCRIPTOR, words);
            if (frame.kind == STF_process_id_ext) {
                thread = told_thread(t, at + DESCRIPTOR, thread);
            }
            if (instruction && thread == t->present) {
                const uint64_t mask = assay_mask(frame.kind == STF_inst_32 ? 32 : 16);
                struct record record =
                    record_of((uint32_t)(assay_load64(at + DESCRIPTOR) & mask), words);
                follow(&record, &strays);
                steps[count] = record.step;
                count += !is_left_aside(t, &record);
            }
            at += frame.length;
        }
    }
    *last = t->last || !readable;
    return count;
}

void stf_truth_ahead(struct stf_truth *t, const uint8_t *end, bool last)
{
    t->end = end;
    t->last = last;
}

/* --- opening and closing --- */

static uint8_t iem_of(enum assay_execution_isa isa)
{
    return isa == ASSAY_EXECUTION_RISCV64   ? IEM_RV64
           : isa == ASSAY_EXECUTION_RISCV32 ? IEM_RV32
                                            : IEM_OTHER;
}

enum assay_error stf_truth_open(struct assay_execution *execution, uint32_t thread,
                                const struct stf_model *model, const struct stf_framing *framing,
                                struct stf_truth **truth, struct assay_diag *diag)
{
    *truth = NULL;
    if (execution == NULL) {
        return ASSAY_OK;
    }
    struct stf_truth *t = calloc(1, sizeof *t);
    if (t == NULL) {
        assay_execution_close(execution);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    const enum assay_error error =
        assay_threads_open(&t->threads, execution, thread, steps_ahead, t, diag);
    if (error != ASSAY_OK) {
        free(t);
        return error;
    }
    const struct assay_execution_header *header = assay_execution_header(execution);
    t->all_told = header->all_accesses;
    t->of_process = header->process != 0;
    t->iem = iem_of(header->isa);
    stf_model_forget_words(&t->ahead);
    t->model = model;
    t->framing = framing;
    *truth = t;
    return ASSAY_OK;
}

void stf_truth_close(struct stf_truth *truth)
{
    if (truth != NULL) {
        assay_threads_close(&truth->threads);
        free(truth);
    }
}

const struct assay_diag *stf_truth_fault(const struct stf_truth *t)
{
    return assay_threads_fault(&t->threads);
}

/* --- instructions --- */

static void tell_attempt(struct stf_truth *t, uint64_t *words)
{
    const struct assay_attempt *attempt = assay_course_attempt(present_course(t));
    if (attempt != NULL) {
        words[STF_WORD_inst_32_executed_pc] = attempt->pc;
        words[STF_WORD_inst_32_executed_word] |= attempt->word | stf_at(inst_32, attempt_known, 1) |
                                                 stf_at(inst_32, fault_known, attempt->fault_known);
        words[STF_WORD_inst_32_executed_fault] = attempt->fault;
    }
}

static uint64_t standing_of(const struct assay_course_place *place)
{
    switch (place->standing) {
    case ASSAY_STANDS_MOVED:
        return stf_at(inst_32, executed, 1) | stf_at(inst_32, reordered, 1);
    case ASSAY_STANDS_EXCESS:
        return stf_at(inst_32, unexecuted, 1);
    case ASSAY_STANDS_LOST:
        return stf_at(inst_32, lost, 1);
    case ASSAY_STANDS_UNTOLD:
        return 0;
    default:
        return stf_at(inst_32, executed, 1);
    }
}

/* A record that stands for an executed instruction, the same or another. */
static void tell_executed(struct stf_truth *t, const struct assay_course_place *place,
                          uint64_t *words)
{
    const struct assay_retired *executed = place->executed;
    const struct assay_step *step = &t->record.step;
    uint64_t *flags = &words[STF_WORD_inst_32_executed];
    const bool same = step->word == executed->word && (step->any_pc || step->pc == executed->pc);
    const bool moved = place->standing == ASSAY_STANDS_MOVED;
    words[STF_WORD_inst_32_executed_pc] = executed->pc;
    *flags |= executed->word | stf_at(inst_32, executed_iem, t->iem) |
              stf_at(inst_32, displaced, t->strays[t->present] != 0 || step->any_pc);
    /* What took control away before is not told where another thread's record stands before. */
    if (executed->came_by_diversion && !moved && place->left_out == 0 && !t->resumed) {
        *flags |= stf_at(inst_32, diverted, 1) | stf_at(inst_32, signalled, t->of_process);
    }
    if (!same) {
        const bool displaced = step->word == executed->word && !step->any_pc && !moved;
        t->strays[t->present] += displaced ? executed->pc - step->pc : 0;
        return;
    }
    stf_compare_instruction(&present_course(t)->window, executed, words[1], t->all_told, &t->now,
                            words);
    if (executed->call != 0) {
        *flags |= stf_at(inst_32, executed_call_known, 1);
        words[STF_WORD_inst_32_executed_call] = executed->call - 1;
    }
}

/* Which of both the trace does is told by where execution is. */
static void note_interrupt(struct stf_truth *t)
{
    bool known = false;
    struct assay_course *course = present_course(t);
    const bool due = assay_course_is_due(course, &t->record.step, &known);
    t->interrupted_retires = known ? due : t->interrupted_retires || !course->started;
}

static void tell(struct stf_truth *t, uint64_t *words)
{
    const struct assay_course_place place = assay_course_next(present_course(t), &t->record.step);
    const uint64_t most = assay_mask(STF_SPAN_inst_32_left_out);
    if (t->record.interrupt && place.standing != ASSAY_STANDS_SAME) {
        return;
    }
    words[STF_WORD_inst_32_executed] |=
        standing_of(&place) |
        stf_at(inst_32, left_out, place.left_out < most ? place.left_out : most);
    if (place.executed != NULL) {
        tell_executed(t, &place, words);
    }
}

static void note_record(struct stf_truth *t, uint64_t *words)
{
    if (t->record.interrupt) {
        note_interrupt(t);
    }
    if (t->record.attempt) {
        tell_attempt(t, words);
    } else if (!is_left_aside(t, &t->record)) {
        tell(t, words);
        t->resumed = false;
    }
}

static void note_instruction(struct stf_truth *t, uint32_t encoding, uint64_t *words)
{
    memset(&words[STF_WORD_inst_32_executed_pc], 0, STF_EXECUTED_WORDS * sizeof words[0]);
    t->record = record_of(encoding, words);
    if (t->present >= 0) {
        follow(&t->record, &t->strays[t->present]);
        note_record(t, words);
    }
    t->now.count = 0;
    t->now.cut = false;
}

/* Another thread goes on, if the trace tells that and is to be followed. */
static void note_process(struct stf_truth *t, const uint8_t *data, uint64_t *words)
{
    const int present = told_thread(t, data, t->present);
    t->resumed = t->resumed || present != t->present;
    t->present = present;
    const struct assay_course *course = t->threads.course[present >= 0 ? present : 0];
    words[STF_WORD_process_id_ext_executed_process] =
        assay_execution_header(course->window.execution)->process;
    words[STF_WORD_process_id_ext_executed_thread] = course->window.system_id;
}

void stf_truth_record(struct stf_truth *t, enum stf_kind kind, const uint8_t *data,
                      const uint8_t *next, uint64_t *words)
{
    t->next = next;
    switch (kind) {
    case STF_inst_mem_access:
        stf_compare_access(&t->now, data);
        break;
    case STF_inst_mem_content:
        stf_compare_content(&t->now, data);
        break;
    case STF_inst_32:
        note_instruction(t, (uint32_t)stf_get(data, inst_32, encoding), words);
        break;
    case STF_inst_16:
        note_instruction(t, (uint32_t)stf_get(data, inst_16, encoding), words);
        break;
    case STF_process_id_ext:
        note_process(t, data, words);
        break;
    default:
        break;
    }
}

/* --- the end --- */

/* What the thread of a course executed behind its last record. */
static void add_rest(struct assay_course *course, uint64_t *words)
{
    struct assay_executed item;
    struct assay_window *window = &course->window;
    uint64_t at = 0;
    uint64_t rest = assay_course_rest(course, &at);
    while (!window->ended && assay_execution_next(window->execution, &item) == ASSAY_OK &&
           item.kind != ASSAY_EXECUTED_END) {
        rest += item.kind == ASSAY_EXECUTED_INSTRUCTION && item.thread == window->thread;
    }
    if (words[STF_WORD_end_unrecorded] == 0) {
        words[STF_WORD_end_unrecorded_at] = at;
    }
    words[STF_WORD_end_unrecorded] += rest;
}

/* Of several threads the first of which something is to be told tells where. */
void stf_truth_end(struct stf_truth *t, uint64_t *words)
{
    for (int i = 0; i < t->threads.count; i++) {
        struct assay_course *course = t->threads.course[i];
        if (!course->started || course->lost) {
            continue;
        }
        if (words[STF_WORD_end_begins_behind] == 0) {
            words[STF_WORD_end_begins_at] = course->begins_at;
        }
        words[STF_WORD_end_begins_behind] += course->begins_behind;
        words[STF_WORD_end_located] |= stf_at(end, located, 1);
        add_rest(course, words);
    }
}
