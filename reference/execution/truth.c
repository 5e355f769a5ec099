#include "execution/truth.h"

#include <stdlib.h>
#include <string.h>

#include "execution/event_buffer.h"
#include "execution/threads.h"
#include "execution/truth_due.h"

enum { LEFT_OUT_BIT = 45, LEFT_OUT_MOST = (1 << 19) - 1 };

struct assay_truth {
    const struct assay_truth_format *format;
    void *context;
    assay_truth_source *next;
    void *below;
    struct assay_threads threads;
    int present;   /* the course of the thread that the events are of, or ASSAY_THREADS_ASIDE */
    bool resumed;  /* the thread has gone on behind another, and had no instruction since */
    bool all_told; /* the recording tells every access */
    bool interrupted_retires; /* of the trace: its interrupted instructions did retire */
    /* By how much the address of what is in line is wrong, by course. */
    uint64_t displaced[ASSAY_THREADS_MOST];
    /* Events: first those of the buffer, then the rest of the block. */
    struct assay_event_buffer *buffer;
    struct assay_block block;
    bool ended;            /* the last event is in the buffer or the block */
    uint32_t run_at;       /* instructions of the first event that were compared already */
    bool run_has_differed; /* one of them was not the one due */
};

/* --- opening and closing --- */

enum assay_error assay_truth_open(const struct assay_truth_format *format, void *context,
                                  struct assay_execution *execution, uint32_t thread,
                                  assay_truth_source *next, void *below, struct assay_truth **truth,
                                  struct assay_diag *diag)
{
    struct assay_truth *t = calloc(1, sizeof *t);
    *truth = t;
    if (t == NULL ||
        (t->buffer = assay_buffer_new(format->format, format->first + ASSAY_TRUTH_ROOM)) == NULL) {
        assay_execution_close(execution);
        free(t);
        *truth = NULL;
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    t->format = format;
    t->context = context;
    t->next = next;
    t->below = below;
    t->all_told = assay_execution_header(execution)->all_accesses;
    const enum assay_error error = assay_threads_open(&t->threads, execution, thread, diag);
    if (error != ASSAY_OK) {
        assay_truth_close(t);
        *truth = NULL;
    }
    return error;
}

void assay_truth_close(struct assay_truth *truth)
{
    if (truth != NULL) {
        assay_threads_close(&truth->threads);
        assay_buffer_free(truth->buffer);
        free(truth);
    }
}

const struct assay_execution_header *assay_truth_header(const struct assay_truth *t)
{
    return assay_execution_header(t->threads.course[0]->window.execution);
}

/* --- instructions --- */

static struct assay_course *present_course(const struct assay_truth *t)
{
    return t->present >= 0 ? t->threads.course[t->present] : NULL;
}

/* Whose the events behind one are. */
static int thread_behind(struct assay_truth *t, const struct assay_event *event, int present)
{
    uint64_t process = 0;
    uint64_t thread = 0;
    if (t->format->thread == NULL) {
        return present;
    }
    t->format->thread(t->context, event, &process, &thread);
    return assay_threads_find(&t->threads, process, thread, present);
}

/* An interrupted instruction did not execute, or is the last one that completed. */
static bool is_left_aside(const struct assay_truth *t, const struct assay_truth_step *step)
{
    return (step->flags & ASSAY_STEP_ATTEMPT) != 0 ||
           ((step->flags & ASSAY_STEP_INTERRUPT) != 0 && !t->interrupted_retires);
}

/* Which of both the trace does is told by where execution is. */
static void note_interrupt(struct assay_truth *t, const struct assay_truth_step *step)
{
    bool known = false;
    struct assay_course *course = present_course(t);
    const bool due = assay_course_is_due(course, &step->step, &known);
    t->interrupted_retires = known ? due : t->interrupted_retires || !course->started;
}

static void tell_attempt(const struct assay_truth *t, uint64_t *words)
{
    const struct assay_attempt *attempt = assay_course_attempt(present_course(t));
    if (attempt != NULL) {
        words[ASSAY_TRUTH_PC] = attempt->pc;
        words[ASSAY_TRUTH_FLAGS] = attempt->word | ASSAY_TRUTH_ATTEMPT_KNOWN |
                                   (attempt->fault_known ? ASSAY_TRUTH_FAULT_KNOWN : 0);
        words[ASSAY_TRUTH_FAULT] = attempt->fault;
    }
}

static uint64_t standing_flags(enum assay_standing standing)
{
    switch (standing) {
    case ASSAY_STANDS_MOVED:
        return ASSAY_TRUTH_EXECUTED | ASSAY_TRUTH_REORDERED;
    case ASSAY_STANDS_EXCESS:
        return ASSAY_TRUTH_UNEXECUTED;
    case ASSAY_STANDS_LOST:
        return ASSAY_TRUTH_LOST;
    case ASSAY_STANDS_UNTOLD:
        return 0;
    default:
        return ASSAY_TRUTH_EXECUTED;
    }
}

static void tell_place(const struct assay_course_place *place, uint64_t *words)
{
    const uint64_t left_out = place->left_out < LEFT_OUT_MOST ? place->left_out : LEFT_OUT_MOST;
    words[ASSAY_TRUTH_FLAGS] = standing_flags(place->standing) | left_out << LEFT_OUT_BIT;
    words[ASSAY_TRUTH_PC] = 0;
    if (place->executed != NULL) {
        words[ASSAY_TRUTH_PC] = place->executed->pc;
        words[ASSAY_TRUTH_FLAGS] |= place->executed->word;
    }
}

static struct assay_truth_present present_of(struct assay_truth *t)
{
    return (struct assay_truth_present){.course = present_course(t),
                                        .displaced = &t->displaced[t->present],
                                        .resumed = &t->resumed,
                                        .all_told = t->all_told};
}

/* The place of instruction number `at` of the event was found. */
static void tell(struct assay_truth *t, const struct assay_event *event, uint32_t at,
                 const struct assay_truth_step *step, const struct assay_course_place *place,
                 uint64_t *words)
{
    const bool differs = place->standing != ASSAY_STANDS_SAME || place->left_out != 0;
    if ((step->flags & ASSAY_STEP_INTERRUPT) != 0 && place->standing != ASSAY_STANDS_SAME) {
        t->resumed = false;
        t->format->compare(t->context, event, at, NULL, words);
        return;
    }
    if (at == 0 || (differs && !t->run_has_differed)) {
        tell_place(place, words + t->format->first);
        t->run_has_differed = differs;
    }
    const struct assay_truth_present present = present_of(t);
    assay_truth_compare(t->format, t->context, &present, event, at, step, place, words);
}

/* Of an instruction that did not retire, if `step` is that of one. */
static bool annotate_aside(struct assay_truth *t, const struct assay_event *event, uint32_t at,
                           const struct assay_truth_step *step, uint64_t *words)
{
    if ((step->flags & ASSAY_STEP_INTERRUPT) != 0) {
        note_interrupt(t, step);
    }
    if (!is_left_aside(t, step)) {
        return false;
    }
    if ((step->flags & ASSAY_STEP_ATTEMPT) != 0) {
        tell_attempt(t, words + t->format->first);
    }
    t->format->compare(t->context, event, at, NULL, words);
    return true;
}

/* False: the events ahead are needed. */
static bool annotate_instruction(struct assay_truth *t, const struct assay_event *event,
                                 uint32_t at, uint64_t *words)
{
    struct assay_truth_step step;
    struct assay_course_place place;
    struct assay_course *course = present_course(t);
    if (course == NULL) {
        t->format->compare(t->context, event, at, NULL, words);
        return true;
    }
    t->format->step(event, at, &step);
    assay_truth_follow(&step, &t->displaced[t->present]);
    if ((step.flags & (ASSAY_STEP_ATTEMPT | ASSAY_STEP_INTERRUPT)) != 0 &&
        annotate_aside(t, event, at, &step, words)) {
        return true;
    }
    if (!assay_course_next(course, &step.step, &place)) {
        return false;
    }
    tell(t, event, at, &step, &place, words);
    return true;
}

static uint32_t run_of(const struct assay_truth *t, const struct assay_event *event)
{
    return t->format->run != NULL ? t->format->run(event) : 1;
}

static bool annotate_run(struct assay_truth *t, const struct assay_event *event, uint64_t *words)
{
    const uint32_t count = run_of(t, event);
    if (t->run_at == 0) {
        memset(words + t->format->first, 0, ASSAY_TRUTH_ROOM * sizeof words[0]);
        t->run_has_differed = false;
    }
    while (t->run_at < count) {
        if (!annotate_instruction(t, event, t->run_at, words)) {
            return false;
        }
        t->run_at++;
    }
    t->run_at = 0;
    return true;
}

/* --- other events --- */

static void annotate_thread(struct assay_truth *t, const struct assay_event *event, uint64_t *words)
{
    const int present = thread_behind(t, event, t->present);
    t->resumed = t->resumed || present != t->present;
    t->present = present;
    const struct assay_course *course = t->threads.course[present >= 0 ? present : 0];
    words[t->format->thread_words] = assay_execution_header(course->window.execution)->process;
    words[t->format->thread_words + 1] = course->window.system_id;
}

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
    if (words[0] == 0) {
        words[1] = at;
    }
    words[0] += rest;
}

/* Of several threads those of which the trace has nothing are not its own. */
static void annotate_end(const struct assay_truth *t, uint64_t *words)
{
    enum { REST, REST_AT, BEGINS_BEHIND, BEGINS_AT, LOCATED, WORDS };
    memset(words, 0, WORDS * sizeof words[0]);
    for (int i = 0; i < t->threads.count; i++) {
        struct assay_course *course = t->threads.course[i];
        if (course->lost || (!course->started && t->threads.count > 1)) {
            continue;
        }
        if (course->started) {
            words[BEGINS_AT] = words[BEGINS_BEHIND] == 0 ? course->begins_at : words[BEGINS_AT];
            words[BEGINS_BEHIND] += course->begins_behind;
            words[LOCATED] = 1;
        }
        add_rest(course, words);
    }
}

/* The words are those of the decoder or of the buffer: either gave them to be written. False: the
 * events ahead are needed. */
static bool annotate(struct assay_truth *t, const struct assay_event *event)
{
    uint64_t *words = (uint64_t *)event->words;
    switch (t->format->roles[event->kind]) {
    case ASSAY_TRUTH_INSTRUCTION:
        return annotate_run(t, event, words);
    case ASSAY_TRUTH_THREAD:
        annotate_thread(t, event, words);
        break;
    case ASSAY_TRUTH_NOTE:
        t->format->note(t->context, event, words);
        break;
    case ASSAY_TRUTH_END:
        annotate_end(t, words + t->format->end_words);
        break;
    default:
        break;
    }
    return true;
}

/* Annotates events from the first on and gives how many: all, or those before one that takes the
 * events ahead. */
static size_t annotate_all(struct assay_truth *t, const struct assay_event *events, size_t count)
{
    size_t done = 0;
    while (done < count) {
        if (t->format->due != NULL && t->present >= 0) {
            const struct assay_truth_present present = present_of(t);
            done += t->format->due(t->context, &present, events + done, count - done);
        }
        if (done < count && !annotate(t, &events[done])) {
            break;
        }
        done += done < count;
    }
    return done;
}

/* --- the events ahead --- */

static enum assay_error take_block(struct assay_truth *t, struct assay_diag *diag)
{
    const enum assay_error error = t->next(t->below, &t->block, diag);
    const size_t count = t->block.count;
    t->ended = error == ASSAY_OK &&
               (count == 0 || t->format->roles[t->block.events[count - 1].kind] == ASSAY_TRUTH_END);
    return error;
}

/* Copies more events to the buffer. *full: it has no room for them. */
static enum assay_error fill_buffer(struct assay_truth *t, bool *full, struct assay_diag *diag)
{
    if (t->block.count == 0) {
        const enum assay_error error = take_block(t, diag);
        if (error != ASSAY_OK) {
            return error;
        }
    }
    const size_t n = assay_buffer_put(t->buffer, t->block.events, t->block.count);
    *full = n < t->block.count;
    t->block.events += n;
    t->block.count -= n;
    return ASSAY_OK;
}

/* What is collected of the instructions ahead. */
struct rows {
    struct assay_course *course;
    unsigned count;
    int thread;
    uint64_t displaced;
    uint32_t run_at; /* of the first event: where it stands */
};

static void collect_run(struct assay_truth *t, const struct assay_event *event, struct rows *rows)
{
    const uint32_t count = run_of(t, event);
    for (uint32_t at = rows->run_at; at < count && rows->count < ASSAY_ALIGN_TRACE; at++) {
        struct assay_truth_step step;
        t->format->step(event, at, &step);
        assay_truth_follow(&step, &rows->displaced);
        rows->course->trace_steps[rows->count] = step.step;
        rows->count += !is_left_aside(t, &step);
    }
    rows->run_at = 0;
}

static void collect(struct assay_truth *t, const struct assay_event *events, size_t count,
                    struct rows *rows)
{
    for (size_t i = 0; i < count && rows->count < ASSAY_ALIGN_TRACE; i++) {
        const unsigned role = t->format->roles[events[i].kind];
        if (role == ASSAY_TRUTH_THREAD) {
            rows->thread = thread_behind(t, &events[i], rows->thread);
        } else if (role == ASSAY_TRUTH_INSTRUCTION && rows->thread == t->present) {
            collect_run(t, &events[i], rows);
        }
    }
}

/* Shows the instructions from the first event on to the course of the present thread. */
static enum assay_error look_ahead(struct assay_truth *t, struct assay_diag *diag)
{
    struct rows rows = {.course = present_course(t),
                        .thread = t->present,
                        .displaced = t->displaced[t->present],
                        .run_at = t->run_at};
    enum assay_error error = ASSAY_OK;
    bool full = false;
    size_t piece = 0;
    size_t seen = 0; /* events of the piece */
    while (error == ASSAY_OK && rows.count < ASSAY_ALIGN_TRACE) {
        size_t count;
        const struct assay_event *events = assay_buffer_piece(t->buffer, piece, &count);
        if (seen < count) {
            collect(t, events + seen, count - seen, &rows);
            seen = count;
        } else if (events != NULL && assay_buffer_piece(t->buffer, piece + 1, &count) != NULL) {
            piece++;
            seen = 0;
        } else if (full || (t->ended && t->block.count == 0)) {
            break;
        } else {
            error = fill_buffer(t, &full, diag);
        }
    }
    assay_course_show(rows.course, rows.count, t->ended && t->block.count == 0);
    return error;
}

/* The first events that are there. */
static enum assay_error first_events(struct assay_truth *t, const struct assay_event **events,
                                     size_t *count, struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    *events = assay_buffer_first(t->buffer, count);
    if (*count == 0) {
        if (t->block.count == 0 && !t->ended) {
            error = take_block(t, diag);
        }
        *events = t->block.events;
        *count = t->block.count;
    }
    return error;
}

static void give_on(struct assay_truth *t, const struct assay_event *events, size_t count)
{
    if (events == t->block.events) {
        t->block.events += count;
        t->block.count -= count;
    } else {
        assay_buffer_take(t->buffer, count);
    }
}

static enum assay_error fault_of(const struct assay_truth *t, struct assay_diag *diag)
{
    const struct assay_diag *fault = assay_threads_fault(&t->threads);
    return fault == NULL ? ASSAY_OK
                         : assay_fail(diag, fault->error, fault->offset,
                                      "the recorded execution: %s", fault->message);
}

enum assay_error assay_truth_next(struct assay_truth *t, struct assay_block *block,
                                  struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    *block = (struct assay_block){.count = 0};
    while (error == ASSAY_OK) {
        const struct assay_event *events;
        size_t count;
        size_t done = 0;
        error = first_events(t, &events, &count, diag);
        if (error == ASSAY_OK) {
            done = annotate_all(t, events, count);
        }
        if (error != ASSAY_OK || done > 0 || count == 0) {
            *block = (struct assay_block){.events = events, .count = done};
            give_on(t, events, done);
            break;
        }
        error = look_ahead(t, diag);
    }
    return error != ASSAY_OK ? error : fault_of(t, diag);
}
