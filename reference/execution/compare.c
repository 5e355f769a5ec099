#include "execution/compare.h"

#include <stdlib.h>
#include <string.h>

#include "execution/compare_fast_path.h"
#include "execution/event_buffer.h"
#include "execution/threads.h"

enum { LEFT_OUT_BIT = 45, LEFT_OUT_MOST = (1 << 19) - 1 };

struct assay_compare {
    const struct assay_compare_format *format;
    void *context;
    assay_compare_source *next;
    void *below;
    struct assay_threads threads;
    int current;  /* the alignment of the thread that the events are of, or ASSAY_THREADS_NONE */
    bool resumed; /* the thread has gone on behind another, and had no instruction since */
    bool all_accesses;        /* the recording tells every access */
    bool interrupted_retires; /* of the trace: its interrupted instructions did retire */
    /* By how much the address of what is in line is wrong, by alignment. */
    uint64_t displaced[ASSAY_THREADS_MOST];
    /* Events: first those of the buffer, then the rest of the block. */
    struct assay_event_buffer *buffer;
    struct assay_block block;
    bool ended;            /* the last event is in the buffer or the block */
    uint32_t run_at;       /* instructions of the first event that were compared already */
    bool run_has_differed; /* one of them was not the one due */
};

/* --- opening and closing --- */

enum assay_error assay_compare_open(const struct assay_compare_format *format, void *context,
                                    struct assay_execution *execution, uint32_t thread,
                                    assay_compare_source *next, void *below,
                                    struct assay_compare **compare, struct assay_diag *diag)
{
    struct assay_compare *t = calloc(1, sizeof *t);
    *compare = t;
    if (t == NULL || (t->buffer = assay_buffer_new(format->format,
                                                   format->first + ASSAY_COMPARE_ROOM)) == NULL) {
        assay_execution_close(execution);
        free(t);
        *compare = NULL;
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    t->format = format;
    t->context = context;
    t->next = next;
    t->below = below;
    t->all_accesses = assay_execution_header(execution)->all_accesses;
    const enum assay_error error = assay_threads_open(&t->threads, execution, thread, diag);
    if (error != ASSAY_OK) {
        assay_compare_close(t);
        *compare = NULL;
    }
    return error;
}

void assay_compare_close(struct assay_compare *compare)
{
    if (compare != NULL) {
        assay_threads_close(&compare->threads);
        assay_buffer_free(compare->buffer);
        free(compare);
    }
}

const struct assay_execution_header *assay_compare_header(const struct assay_compare *t)
{
    return assay_execution_header(t->threads.alignment[0]->window.execution);
}

/* --- instructions --- */

static struct assay_alignment *current_alignment(const struct assay_compare *t)
{
    return t->current >= 0 ? t->threads.alignment[t->current] : NULL;
}

/* Whose the events behind one are. */
static int thread_behind(struct assay_compare *t, const struct assay_event *event, int current)
{
    uint64_t process = 0;
    uint64_t thread = 0;
    if (t->format->thread == NULL) {
        return current;
    }
    t->format->thread(t->context, event, &process, &thread);
    return assay_threads_find(&t->threads, process, thread, current);
}

/* An interrupted instruction did not execute, or is the last one that completed. */
static bool is_skipped(const struct assay_compare *t, const struct assay_compare_step *step)
{
    return (step->flags & ASSAY_STEP_ATTEMPT) != 0 ||
           ((step->flags & ASSAY_STEP_INTERRUPT) != 0 && !t->interrupted_retires);
}

/* Which of both the trace does is told by where execution is. */
static void note_interrupt(struct assay_compare *t, const struct assay_compare_step *step)
{
    bool known = false;
    struct assay_alignment *alignment = current_alignment(t);
    const bool due = assay_alignment_is_expected(alignment, &step->step, &known);
    t->interrupted_retires = known ? due : t->interrupted_retires || !alignment->started;
}

static void tell_attempt(const struct assay_compare *t, uint64_t *words)
{
    const struct assay_attempt *attempt = assay_alignment_attempt(current_alignment(t));
    if (attempt != NULL) {
        words[ASSAY_COMPARE_PC] = attempt->pc;
        words[ASSAY_COMPARE_FLAGS] = attempt->word | ASSAY_COMPARE_ATTEMPT_KNOWN |
                                     (attempt->fault_known ? ASSAY_COMPARE_FAULT_KNOWN : 0);
        words[ASSAY_COMPARE_FAULT] = attempt->fault;
    }
}

static uint64_t outcome_flags(enum assay_outcome outcome)
{
    switch (outcome) {
    case ASSAY_OUTCOME_MOVED:
        return ASSAY_COMPARE_EXECUTED | ASSAY_COMPARE_REORDERED;
    case ASSAY_OUTCOME_EXCESS:
        return ASSAY_COMPARE_UNEXECUTED;
    case ASSAY_OUTCOME_LOST:
        return ASSAY_COMPARE_LOST;
    case ASSAY_OUTCOME_UNKNOWN:
        return 0;
    default:
        return ASSAY_COMPARE_EXECUTED;
    }
}

static void tell_place(const struct assay_alignment_match *place, uint64_t *words)
{
    const uint64_t left_out = place->left_out < LEFT_OUT_MOST ? place->left_out : LEFT_OUT_MOST;
    words[ASSAY_COMPARE_FLAGS] = outcome_flags(place->outcome) | left_out << LEFT_OUT_BIT;
    words[ASSAY_COMPARE_PC] = 0;
    if (place->executed != NULL) {
        words[ASSAY_COMPARE_PC] = place->executed->pc;
        words[ASSAY_COMPARE_FLAGS] |= place->executed->word;
    }
}

static struct assay_compare_current current_of(struct assay_compare *t)
{
    return (struct assay_compare_current){.alignment = current_alignment(t),
                                          .displaced = &t->displaced[t->current],
                                          .resumed = &t->resumed,
                                          .all_accesses = t->all_accesses};
}

/* The place of instruction number `at` of the event was found. */
static void tell(struct assay_compare *t, const struct assay_event *event, uint32_t at,
                 const struct assay_compare_step *step, const struct assay_alignment_match *place,
                 uint64_t *words)
{
    const bool differs = place->outcome != ASSAY_OUTCOME_SAME || place->left_out != 0;
    if ((step->flags & ASSAY_STEP_INTERRUPT) != 0 && place->outcome != ASSAY_OUTCOME_SAME) {
        t->resumed = false;
        t->format->compare(t->context, event, at, NULL, words);
        return;
    }
    if (at == 0 || (differs && !t->run_has_differed)) {
        tell_place(place, words + t->format->first);
        t->run_has_differed = differs;
    }
    const struct assay_compare_current current = current_of(t);
    assay_compare_instruction(t->format, t->context, &current, event, at, step, place, words);
}

/* Of an instruction that did not retire, if `step` is that of one. */
static bool annotate_skipped(struct assay_compare *t, const struct assay_event *event, uint32_t at,
                             const struct assay_compare_step *step, uint64_t *words)
{
    if ((step->flags & ASSAY_STEP_INTERRUPT) != 0) {
        note_interrupt(t, step);
    }
    if (!is_skipped(t, step)) {
        return false;
    }
    if ((step->flags & ASSAY_STEP_ATTEMPT) != 0) {
        tell_attempt(t, words + t->format->first);
    }
    t->format->compare(t->context, event, at, NULL, words);
    return true;
}

/* False: the events ahead are needed. */
static bool annotate_instruction(struct assay_compare *t, const struct assay_event *event,
                                 uint32_t at, uint64_t *words)
{
    struct assay_compare_step step;
    struct assay_alignment_match place;
    struct assay_alignment *alignment = current_alignment(t);
    if (alignment == NULL) {
        t->format->compare(t->context, event, at, NULL, words);
        return true;
    }
    t->format->step(event, at, &step);
    assay_compare_displace(&step, &t->displaced[t->current]);
    if ((step.flags & (ASSAY_STEP_ATTEMPT | ASSAY_STEP_INTERRUPT)) != 0 &&
        annotate_skipped(t, event, at, &step, words)) {
        return true;
    }
    if (!assay_alignment_next(alignment, &step.step, &place)) {
        return false;
    }
    tell(t, event, at, &step, &place, words);
    return true;
}

static uint32_t run_of(const struct assay_compare *t, const struct assay_event *event)
{
    return t->format->run != NULL ? t->format->run(event) : 1;
}

static bool annotate_run(struct assay_compare *t, const struct assay_event *event, uint64_t *words)
{
    const uint32_t count = run_of(t, event);
    if (t->run_at == 0) {
        memset(words + t->format->first, 0, ASSAY_COMPARE_ROOM * sizeof words[0]);
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

static void annotate_thread(struct assay_compare *t, const struct assay_event *event,
                            uint64_t *words)
{
    const int current = thread_behind(t, event, t->current);
    t->resumed = t->resumed || current != t->current;
    t->current = current;
    const struct assay_alignment *alignment = t->threads.alignment[current >= 0 ? current : 0];
    words[t->format->thread_words] = assay_execution_header(alignment->window.execution)->process;
    words[t->format->thread_words + 1] = alignment->window.system_id;
}

/* What the thread of a alignment executed behind its last record. */
static void add_rest(struct assay_alignment *alignment, uint64_t *words)
{
    struct assay_executed item;
    struct assay_window *window = &alignment->window;
    uint64_t at = 0;
    uint64_t rest = assay_alignment_rest(alignment, &at);
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
static void annotate_end(const struct assay_compare *t, uint64_t *words)
{
    enum { REST, REST_AT, BEGINS_AFTER, BEGINS_AT, LOCATED, WORDS };
    memset(words, 0, WORDS * sizeof words[0]);
    for (int i = 0; i < t->threads.count; i++) {
        struct assay_alignment *alignment = t->threads.alignment[i];
        if (alignment->lost || (!alignment->started && t->threads.count > 1)) {
            continue;
        }
        if (alignment->started) {
            words[BEGINS_AT] = words[BEGINS_AFTER] == 0 ? alignment->begins_at : words[BEGINS_AT];
            words[BEGINS_AFTER] += alignment->begins_after;
            words[LOCATED] = 1;
        }
        add_rest(alignment, words);
    }
}

/* The words are those of the decoder or of the buffer: either gave them to be written. False: the
 * events ahead are needed. */
static bool annotate(struct assay_compare *t, const struct assay_event *event)
{
    uint64_t *words = (uint64_t *)event->words;
    switch (t->format->roles[event->kind]) {
    case ASSAY_COMPARE_INSTRUCTION:
        return annotate_run(t, event, words);
    case ASSAY_COMPARE_THREAD:
        annotate_thread(t, event, words);
        break;
    case ASSAY_COMPARE_NOTE:
        t->format->note(t->context, event, words);
        break;
    case ASSAY_COMPARE_END:
        annotate_end(t, words + t->format->end_words);
        break;
    default:
        break;
    }
    return true;
}

/* Annotates events from the first on and gives how many: all, or those before one that takes the
 * events ahead. */
static size_t annotate_all(struct assay_compare *t, const struct assay_event *events, size_t count)
{
    size_t done = 0;
    while (done < count) {
        if (t->format->due != NULL && t->current >= 0) {
            const struct assay_compare_current current = current_of(t);
            done += t->format->due(t->context, &current, events + done, count - done);
        }
        if (done < count && !annotate(t, &events[done])) {
            break;
        }
        done += done < count;
    }
    return done;
}

/* --- the events ahead --- */

static enum assay_error take_block(struct assay_compare *t, struct assay_diag *diag)
{
    const enum assay_error error = t->next(t->below, &t->block, diag);
    const size_t count = t->block.count;
    t->ended =
        error == ASSAY_OK &&
        (count == 0 || t->format->roles[t->block.events[count - 1].kind] == ASSAY_COMPARE_END);
    return error;
}

/* Copies more events to the buffer. *full: it has no room for them. */
static enum assay_error fill_buffer(struct assay_compare *t, bool *full, struct assay_diag *diag)
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
    struct assay_alignment *alignment;
    unsigned count;
    int thread;
    uint64_t displaced;
    uint32_t run_at; /* of the first event: where it stands */
};

static void collect_run(struct assay_compare *t, const struct assay_event *event, struct rows *rows)
{
    const uint32_t count = run_of(t, event);
    for (uint32_t at = rows->run_at; at < count && rows->count < ASSAY_DIFF_TRACE; at++) {
        struct assay_compare_step step;
        t->format->step(event, at, &step);
        assay_compare_displace(&step, &rows->displaced);
        rows->alignment->trace_steps[rows->count] = step.step;
        rows->count += !is_skipped(t, &step);
    }
    rows->run_at = 0;
}

static void collect(struct assay_compare *t, const struct assay_event *events, size_t count,
                    struct rows *rows)
{
    for (size_t i = 0; i < count && rows->count < ASSAY_DIFF_TRACE; i++) {
        const unsigned role = t->format->roles[events[i].kind];
        if (role == ASSAY_COMPARE_THREAD) {
            rows->thread = thread_behind(t, &events[i], rows->thread);
        } else if (role == ASSAY_COMPARE_INSTRUCTION && rows->thread == t->current) {
            collect_run(t, &events[i], rows);
        }
    }
}

/* Shows the instructions from the first event on to the alignment of the current thread. */
static enum assay_error look_ahead(struct assay_compare *t, struct assay_diag *diag)
{
    struct rows rows = {.alignment = current_alignment(t),
                        .thread = t->current,
                        .displaced = t->displaced[t->current],
                        .run_at = t->run_at};
    enum assay_error error = ASSAY_OK;
    bool full = false;
    size_t piece = 0;
    size_t seen = 0; /* events of the piece */
    while (error == ASSAY_OK && rows.count < ASSAY_DIFF_TRACE) {
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
    assay_alignment_show(rows.alignment, rows.count, t->ended && t->block.count == 0);
    return error;
}

/* The first events that are there. */
static enum assay_error first_events(struct assay_compare *t, const struct assay_event **events,
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

static void give_on(struct assay_compare *t, const struct assay_event *events, size_t count)
{
    if (events == t->block.events) {
        t->block.events += count;
        t->block.count -= count;
    } else {
        assay_buffer_take(t->buffer, count);
    }
}

static enum assay_error fault_of(const struct assay_compare *t, struct assay_diag *diag)
{
    const struct assay_diag *fault = assay_threads_fault(&t->threads);
    return fault == NULL ? ASSAY_OK
                         : assay_fail(diag, fault->error, fault->offset,
                                      "the recorded execution: %s", fault->message);
}

enum assay_error assay_compare_next(struct assay_compare *t, struct assay_block *block,
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
