#include "execution/compare.h"

#include <stdlib.h>
#include <string.h>

#include "execution/compare_fast_path.h"
#include "execution/event_buffer.h"
#include "execution/threads.h"

enum { LEFT_OUT_BIT = 45, LEFT_OUT_MAX = (1 << 19) - 1 };

/* The instructions ahead, as far as they were collected. */
struct lookahead {
    bool needed;
    struct assay_alignment *alignment;
    unsigned count;
    int thread;
    uint64_t displaced;
    uint32_t run_at; /* instruction of the first event to begin with */
    size_t piece;    /* of the buffer ... */
    size_t seen;     /* ... and how many of its events were collected */
};

struct assay_compare {
    struct assay_stage stage;
    const struct assay_compare_format *format;
    void *context;
    struct assay_threads threads;
    int current;  /* the alignment of the thread that the events are of, or ASSAY_THREADS_NONE */
    bool resumed; /* another thread was traced since the last instruction of this one */
    bool all_accesses;        /* the recording has every access */
    bool interrupted_retires; /* of the trace: its interrupted instructions did retire */
    /* By how much the address of what is in line is wrong, by alignment. */
    uint64_t displaced[ASSAY_THREADS_MAX];
    /* Events: first those of the buffer, then the rest of the block. */
    struct assay_event_buffer *buffer;
    struct assay_block block;
    bool ended;            /* the last event is in the buffer or the block */
    uint32_t run_at;       /* instructions of the first event that were compared already */
    bool run_has_differed; /* one of them was not the expected one */
    struct lookahead ahead;
};

/* --- instructions --- */

static struct assay_alignment *current_alignment(const struct assay_compare *c)
{
    return c->current >= 0 ? c->threads.alignment[c->current] : NULL;
}

/* The thread of the events after one. */
static int thread_after(struct assay_compare *c, const struct assay_event *event, int current)
{
    uint64_t process = 0;
    uint64_t thread = 0;
    if (c->format->thread == NULL) {
        return current;
    }
    c->format->thread(c->context, event, &process, &thread);
    return assay_threads_find(&c->threads, process, thread, current);
}

/* Whether an instruction is not matched: an attempt, or an interrupted one. In some traces the
 * interrupted instruction is the last one that completed; there it is matched. */
static bool is_skipped(const struct assay_compare *c, const struct assay_compare_step *step)
{
    return (step->flags & ASSAY_STEP_ATTEMPT) != 0 ||
           ((step->flags & ASSAY_STEP_INTERRUPT) != 0 && !c->interrupted_retires);
}

/* Decides by the position in the execution whether interrupted instructions completed. */
static void note_interrupt(struct assay_compare *c, const struct assay_compare_step *step)
{
    bool known = false;
    struct assay_alignment *alignment = current_alignment(c);
    const bool expected = assay_alignment_is_expected(alignment, &step->step, &known);
    c->interrupted_retires = known ? expected : c->interrupted_retires || !alignment->started;
}

static void write_attempt(const struct assay_compare *c, uint64_t *words)
{
    const struct assay_attempt *attempt = assay_alignment_attempt(current_alignment(c));
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

static void write_match(const struct assay_alignment_match *found, uint64_t *words)
{
    const uint64_t left_out = found->left_out < LEFT_OUT_MAX ? found->left_out : LEFT_OUT_MAX;
    words[ASSAY_COMPARE_FLAGS] = outcome_flags(found->outcome) | left_out << LEFT_OUT_BIT;
    words[ASSAY_COMPARE_PC] = 0;
    if (found->executed != NULL) {
        words[ASSAY_COMPARE_PC] = found->executed->pc;
        words[ASSAY_COMPARE_FLAGS] |= found->executed->word;
    }
}

static struct assay_compare_current current_of(struct assay_compare *c)
{
    return (struct assay_compare_current){.alignment = current_alignment(c),
                                          .displaced = &c->displaced[c->current],
                                          .resumed = &c->resumed,
                                          .all_accesses = c->all_accesses};
}

/* Instruction number `at` of the event was matched. */
static void annotate_match(struct assay_compare *c, const struct assay_event *event, uint32_t at,
                           const struct assay_compare_step *step,
                           const struct assay_alignment_match *found, uint64_t *words)
{
    const bool differs = found->outcome != ASSAY_OUTCOME_SAME || found->left_out != 0;
    if ((step->flags & ASSAY_STEP_INTERRUPT) != 0 && found->outcome != ASSAY_OUTCOME_SAME) {
        c->resumed = false;
        c->format->compare(c->context, event, at, NULL, words);
        return;
    }
    if (at == 0 || (differs && !c->run_has_differed)) {
        write_match(found, words + c->format->first);
        c->run_has_differed = differs;
    }
    const struct assay_compare_current current = current_of(c);
    assay_compare_instruction(c->format, c->context, &current, event, at, step, found, words);
}

/* Annotates an instruction that is not matched, if `step` is one. */
static bool annotate_skipped(struct assay_compare *c, const struct assay_event *event, uint32_t at,
                             const struct assay_compare_step *step, uint64_t *words)
{
    if ((step->flags & ASSAY_STEP_INTERRUPT) != 0) {
        note_interrupt(c, step);
    }
    if (!is_skipped(c, step)) {
        return false;
    }
    if ((step->flags & ASSAY_STEP_ATTEMPT) != 0) {
        write_attempt(c, words + c->format->first);
    }
    c->format->compare(c->context, event, at, NULL, words);
    return true;
}

/* False: the events ahead are needed. */
static bool annotate_instruction(struct assay_compare *c, const struct assay_event *event,
                                 uint32_t at, uint64_t *words)
{
    struct assay_compare_step step;
    struct assay_alignment_match found;
    struct assay_alignment *alignment = current_alignment(c);
    if (alignment == NULL) {
        c->format->compare(c->context, event, at, NULL, words);
        return true;
    }
    c->format->step(event, at, &step);
    assay_compare_displace(&step, &c->displaced[c->current]);
    if ((step.flags & (ASSAY_STEP_ATTEMPT | ASSAY_STEP_INTERRUPT)) != 0 &&
        annotate_skipped(c, event, at, &step, words)) {
        return true;
    }
    if (!assay_alignment_next(alignment, &step.step, &found)) {
        return false;
    }
    annotate_match(c, event, at, &step, &found, words);
    return true;
}

static uint32_t run_of(const struct assay_compare *c, const struct assay_event *event)
{
    return c->format->run != NULL ? c->format->run(event) : 1;
}

static bool annotate_run(struct assay_compare *c, const struct assay_event *event, uint64_t *words)
{
    const uint32_t count = run_of(c, event);
    if (c->run_at == 0) {
        memset(words + c->format->first, 0, ASSAY_COMPARE_ROOM * sizeof words[0]);
        c->run_has_differed = false;
    }
    while (c->run_at < count) {
        if (!annotate_instruction(c, event, c->run_at, words)) {
            return false;
        }
        c->run_at++;
    }
    c->run_at = 0;
    return true;
}

/* --- other events --- */

static void annotate_thread(struct assay_compare *c, const struct assay_event *event,
                            uint64_t *words)
{
    const int current = thread_after(c, event, c->current);
    c->resumed = c->resumed || current != c->current;
    c->current = current;
    const struct assay_alignment *alignment = c->threads.alignment[current >= 0 ? current : 0];
    words[c->format->thread_words] = assay_execution_header(alignment->window.execution)->process;
    words[c->format->thread_words + 1] = alignment->window.system_id;
}

/* Counts what the thread of an alignment executed after its last record. */
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

/* If there are several threads, those without a record are not part of the trace. */
static void annotate_end(const struct assay_compare *c, uint64_t *words)
{
    enum { REST, REST_AT, BEGINS_AFTER, BEGINS_AT, LOCATED, WORDS };
    memset(words, 0, WORDS * sizeof words[0]);
    for (int i = 0; i < c->threads.count; i++) {
        struct assay_alignment *alignment = c->threads.alignment[i];
        if (alignment->lost || (!alignment->started && c->threads.count > 1)) {
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

/* The words belong to the decoder or to the buffer, which both let the stage write them. False: the
 * events ahead are needed. */
static bool annotate(struct assay_compare *c, const struct assay_event *event)
{
    uint64_t *words = (uint64_t *)event->words;
    switch (c->format->roles[event->kind]) {
    case ASSAY_COMPARE_INSTRUCTION:
        return annotate_run(c, event, words);
    case ASSAY_COMPARE_THREAD:
        annotate_thread(c, event, words);
        break;
    case ASSAY_COMPARE_NOTE:
        c->format->note(c->context, event, words);
        break;
    case ASSAY_COMPARE_END:
        annotate_end(c, words + c->format->end_words);
        break;
    default:
        break;
    }
    return true;
}

/* Annotates events and returns how many: all, or those before one that needs the events ahead. */
static size_t annotate_all(struct assay_compare *c, const struct assay_event *events, size_t count)
{
    size_t done = 0;
    while (done < count) {
        if (c->format->fast_path != NULL && c->current >= 0) {
            const struct assay_compare_current current = current_of(c);
            done += c->format->fast_path(c->context, &current, events + done, count - done);
        }
        if (done < count && !annotate(c, &events[done])) {
            break;
        }
        done += done < count;
    }
    return done;
}

/* --- the events ahead --- */

static void collect_run(struct assay_compare *c, const struct assay_event *event,
                        struct lookahead *ahead)
{
    const uint32_t count = run_of(c, event);
    for (uint32_t at = ahead->run_at; at < count && ahead->count < ASSAY_DIFF_TRACE; at++) {
        struct assay_compare_step step;
        c->format->step(event, at, &step);
        assay_compare_displace(&step, &ahead->displaced);
        ahead->alignment->trace_steps[ahead->count] = step.step;
        ahead->count += !is_skipped(c, &step);
    }
    ahead->run_at = 0;
}

static void collect(struct assay_compare *c, const struct assay_event *events, size_t count,
                    struct lookahead *ahead)
{
    for (size_t i = 0; i < count && ahead->count < ASSAY_DIFF_TRACE; i++) {
        const unsigned role = c->format->roles[events[i].kind];
        if (role == ASSAY_COMPARE_THREAD) {
            ahead->thread = thread_after(c, &events[i], ahead->thread);
        } else if (role == ASSAY_COMPARE_INSTRUCTION && ahead->thread == c->current) {
            collect_run(c, &events[i], ahead);
        }
    }
}

static void begin_lookahead(struct assay_compare *c)
{
    c->ahead = (struct lookahead){.needed = true,
                                  .alignment = current_alignment(c),
                                  .thread = c->current,
                                  .displaced = c->displaced[c->current],
                                  .run_at = c->run_at};
}

/* Moves events of the block to the buffer. False: not all of them fit. */
static bool fill_buffer(struct assay_compare *c)
{
    const size_t n = assay_buffer_put(c->buffer, c->block.events, c->block.count);
    c->block.events += n;
    c->block.count -= n;
    return c->block.count == 0;
}

/* Shows the instructions ahead, from the first event on, to the current alignment, when enough of
 * them are there. False: a further block is needed; all events of this one are in the buffer. */
static bool look_ahead(struct assay_compare *c)
{
    struct lookahead *ahead = &c->ahead;
    bool full = false;
    while (ahead->count < ASSAY_DIFF_TRACE) {
        size_t count;
        const struct assay_event *events = assay_buffer_piece(c->buffer, ahead->piece, &count);
        if (ahead->seen < count) {
            collect(c, events + ahead->seen, count - ahead->seen, ahead);
            ahead->seen = count;
        } else if (events != NULL &&
                   assay_buffer_piece(c->buffer, ahead->piece + 1, &count) != NULL) {
            ahead->piece++;
            ahead->seen = 0;
        } else if (full || (c->ended && c->block.count == 0)) {
            break;
        } else if (c->block.count == 0) {
            return false;
        } else {
            full = !fill_buffer(c);
        }
    }
    assay_alignment_show(ahead->alignment, ahead->count, c->ended && c->block.count == 0);
    ahead->needed = false;
    return true;
}

/* The next events: the oldest of the buffer, or the block. */
static const struct assay_event *first_events(const struct assay_compare *c, size_t *count)
{
    const struct assay_event *events = assay_buffer_first(c->buffer, count);
    if (*count > 0) {
        return events;
    }
    *count = c->block.count;
    return c->block.events;
}

static void pass_on(struct assay_compare *c, const struct assay_event *events, size_t count)
{
    if (events == c->block.events) {
        c->block.events += count;
        c->block.count -= count;
    } else {
        assay_buffer_take(c->buffer, count);
    }
}

static enum assay_error fault_of(const struct assay_compare *c, struct assay_diag *diag)
{
    const struct assay_diag *fault = assay_threads_fault(&c->threads);
    return fault == NULL ? ASSAY_OK
                         : assay_fail(diag, fault->error, fault->offset,
                                      "the recorded execution: %s", fault->message);
}

/* --- the stage --- */

static enum assay_error take_block(struct assay_stage *stage, const struct assay_block *below,
                                   struct assay_diag *diag)
{
    struct assay_compare *c = (struct assay_compare *)stage;
    const size_t count = below->count;
    (void)diag;
    c->block = *below;
    c->ended = count == 0 || c->format->roles[below->events[count - 1].kind] == ASSAY_COMPARE_END;
    return ASSAY_OK;
}

static enum assay_error next_block(struct assay_stage *stage, struct assay_block *block,
                                   struct assay_diag *diag)
{
    struct assay_compare *c = (struct assay_compare *)stage;
    *block = (struct assay_block){.layer = c->block.layer};
    while (!c->ahead.needed || look_ahead(c)) {
        size_t count;
        const struct assay_event *events = first_events(c, &count);
        const size_t done = annotate_all(c, events, count);
        if (done > 0 || count == 0) {
            block->events = events;
            block->count = done;
            pass_on(c, events, done);
            break;
        }
        begin_lookahead(c);
    }
    return fault_of(c, diag);
}

static void close_stage(struct assay_stage *stage)
{
    struct assay_compare *c = (struct assay_compare *)stage;
    assay_threads_close(&c->threads);
    assay_buffer_free(c->buffer);
    free(c);
}

static const struct assay_stage_ops stage_ops = {
    .take = take_block, .next = next_block, .close = close_stage, .annotates = true};

enum assay_error assay_compare_add(struct assay_chain *chain,
                                   const struct assay_compare_format *format, void *context,
                                   struct assay_execution *execution, uint32_t thread,
                                   struct assay_diag *diag)
{
    if (execution == NULL) {
        return ASSAY_OK;
    }
    struct assay_compare *c = calloc(1, sizeof *c);
    if (c == NULL || (c->buffer = assay_buffer_new(format->format,
                                                   format->first + ASSAY_COMPARE_ROOM)) == NULL) {
        assay_execution_close(execution);
        free(c);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    c->stage.ops = &stage_ops;
    c->format = format;
    c->context = context;
    c->all_accesses = assay_execution_header(execution)->all_accesses;
    const enum assay_error error = assay_threads_open(&c->threads, execution, thread, diag);
    if (error != ASSAY_OK) {
        close_stage(&c->stage);
        return error;
    }
    return assay_chain_add(chain, &c->stage);
}
