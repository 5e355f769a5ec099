#include "execution/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "execution/compare_fast_path.h"
#include "execution/compare_private.h"
#include "execution/parts.h"

enum { LEFT_OUT_BIT = 45, LEFT_OUT_MAX = (1 << 19) - 1 };

/* --- instructions --- */

struct assay_alignment *assay_compare_alignment(const struct assay_compare *c)
{
    return c->current >= 0 ? c->threads.alignment[c->current] : NULL;
}

int assay_compare_thread_after(struct assay_compare *c, const struct assay_event *event,
                               int current)
{
    uint64_t process = 0;
    uint64_t thread = 0;
    if (c->format->thread == NULL) {
        return current;
    }
    c->format->thread(c->context, event, &process, &thread);
    return assay_threads_find(&c->threads, process, thread, current);
}

bool assay_compare_skips(const struct assay_compare *c, const struct assay_compare_step *step)
{
    return (step->flags & (ASSAY_STEP_ATTEMPT | ASSAY_STEP_UNCOMPARED | ASSAY_STEP_SYSTEM)) != 0 ||
           ((step->flags & ASSAY_STEP_INTERRUPT) != 0 && c->interrupted_aborts);
}

/* Decides by the position in the execution whether interrupted instructions completed. As long as
 * nothing decides it they are matched: one that did not is then a record too many, which is no
 * difference. */
static void note_interrupt(struct assay_compare *c, const struct assay_compare_step *step)
{
    bool known = false;
    struct assay_alignment *alignment = assay_compare_alignment(c);
    const bool expected = assay_alignment_is_expected(alignment, &step->step, &known);
    c->interrupted_aborts = known ? !expected : c->interrupted_aborts && alignment->started;
}

/* Where the recording has no attempt, that may have been one of the instruction executed next. */
static void write_retry(const struct assay_compare *c, uint64_t *cells)
{
    const struct assay_retired *retired = assay_alignment_expected(assay_compare_alignment(c));
    c->uncompared->count[ASSAY_UNCOMPARED_ATTEMPTS]++;
    if (retired != NULL) {
        cells[ASSAY_COMPARE_PC] = retired->pc;
        cells[ASSAY_COMPARE_FLAGS] = retired->word | ASSAY_COMPARE_RETRY_KNOWN;
    }
}

static void write_attempt(const struct assay_compare *c, uint64_t *cells)
{
    const struct assay_attempt *attempt = assay_alignment_attempt(assay_compare_alignment(c));
    if (attempt == NULL) {
        write_retry(c, cells);
    } else {
        c->uncompared->count[ASSAY_UNCOMPARED_FAULTS] += !attempt->fault_known;
        cells[ASSAY_COMPARE_PC] = attempt->pc;
        cells[ASSAY_COMPARE_FLAGS] = attempt->word | ASSAY_COMPARE_ATTEMPT_KNOWN |
                                     (attempt->fault_known ? ASSAY_COMPARE_FAULT_KNOWN : 0);
        cells[ASSAY_COMPARE_FAULT] = attempt->fault;
    }
}

static uint64_t outcome_flags(enum assay_alignment_outcome outcome)
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

static void write_match(const struct assay_alignment_match *found, uint64_t *cells)
{
    const uint64_t left_out = found->left_out < LEFT_OUT_MAX ? found->left_out : LEFT_OUT_MAX;
    cells[ASSAY_COMPARE_FLAGS] = outcome_flags(found->outcome) | left_out << LEFT_OUT_BIT;
    cells[ASSAY_COMPARE_PC] = 0;
    if (found->executed != NULL) {
        cells[ASSAY_COMPARE_PC] = found->executed->pc;
        cells[ASSAY_COMPARE_FLAGS] |= found->executed->word;
    }
}

static struct assay_compare_current current_of(struct assay_compare *c)
{
    return (struct assay_compare_current){.alignment = assay_compare_alignment(c),
                                          .displaced = &c->displaced[c->current],
                                          .resumed = &c->resumed,
                                          .all_accesses = c->all_accesses,
                                          .uncompared = c->uncompared};
}

static void count_unmatched(struct assay_compare *c, enum assay_alignment_outcome outcome)
{
    if (outcome == ASSAY_OUTCOME_LOST || outcome == ASSAY_OUTCOME_UNKNOWN) {
        const bool lost = assay_compare_alignment(c)->lost;
        c->uncompared->count[lost ? ASSAY_UNCOMPARED_LOST : ASSAY_UNCOMPARED_AFTER_END]++;
    }
}

/* Instruction number `at` of the event was matched. */
static void annotate_match(struct assay_compare *c, const struct assay_event *event, uint32_t at,
                           const struct assay_compare_step *step,
                           const struct assay_alignment_match *found, uint64_t *cells)
{
    const bool differs = found->outcome != ASSAY_OUTCOME_SAME || found->left_out != 0;
    count_unmatched(c, found->outcome);
    c->uncompared->matched += found->executed != NULL;
    c->last_is_same = found->outcome == ASSAY_OUTCOME_SAME;
    if ((step->flags & ASSAY_STEP_INTERRUPT) != 0 && found->outcome != ASSAY_OUTCOME_SAME) {
        c->resumed = false;
        c->format->compare(c->context, event, at, NULL, cells);
        return;
    }
    if (at == 0 || (differs && !c->run_has_differed)) {
        write_match(found, cells + c->format->first);
        c->run_has_differed = differs;
    }
    const struct assay_compare_current current = current_of(c);
    assay_compare_instruction(c->format, c->context, &current, event, at, step, found, cells);
}

/* Annotates an instruction that is not matched, if `step` is one. */
static bool annotate_skipped(struct assay_compare *c, const struct assay_event *event, uint32_t at,
                             const struct assay_compare_step *step, uint64_t *cells)
{
    if ((step->flags & ASSAY_STEP_INTERRUPT) != 0) {
        note_interrupt(c, step);
    }
    if (!assay_compare_skips(c, step)) {
        return false;
    }
    if ((step->flags & ASSAY_STEP_ATTEMPT) != 0) {
        write_attempt(c, cells + c->format->first);
    }
    c->uncompared->count[ASSAY_UNCOMPARED_SYSTEM] += (step->flags & ASSAY_STEP_SYSTEM) != 0;
    c->format->compare(c->context, event, at, NULL, cells);
    return true;
}

/* The next instruction of the event. False: the events ahead are needed. */
static bool annotate_instruction(struct assay_compare *c, const struct assay_event *event,
                                 uint64_t *cells)
{
    struct assay_compare_step step;
    struct assay_alignment_match found;
    struct assay_compare_run run = c->run;
    struct assay_alignment *alignment = assay_compare_alignment(c);
    c->last_is_same = false;
    if (alignment == NULL) {
        c->uncompared->count[ASSAY_UNCOMPARED_OTHER_THREAD]++;
        c->format->compare(c->context, event, c->run.at++, NULL, cells);
        return true;
    }
    c->format->step(c->context, event, &run, &step);
    assay_compare_displace(&step, &c->displaced[c->current]);
    const bool special = (step.flags & ~(unsigned)ASSAY_STEP_IN_LINE) != 0;
    if (!special || !annotate_skipped(c, event, run.at, &step, cells)) {
        if (!assay_alignment_next(alignment, &step.step, &found)) {
            return false;
        }
        annotate_match(c, event, run.at, &step, &found, cells);
    }
    if ((step.flags & ASSAY_STEP_TRAPPED) != 0) {
        c->format->trapped(c->context, event, alignment, cells);
    }
    c->run = run;
    c->run.at++;
    return true;
}

uint32_t assay_compare_run_length(const struct assay_compare *c, const struct assay_event *event)
{
    return c->format->run != NULL ? c->format->run(event) : 1;
}

/* The first instruction of a run, if it is the expected one; the line begins with it. */
static bool take_first(struct assay_compare *c, const struct assay_event *event,
                       struct assay_line *line, uint64_t *cells)
{
    struct assay_compare_current current = current_of(c);
    size_t bytes = 0;
    const struct assay_retired *executed =
        assay_alignment_take_first(current.alignment, line, &bytes);
    if (executed == NULL) {
        return false;
    }
    const struct assay_alignment_match found = {
        .outcome = ASSAY_OUTCOME_SAME, .executed = executed, .has_next = true};
    const struct assay_compare_step step = {.step = {.pc = executed->pc, .word = executed->word}};
    *current.displaced = 0;
    c->last_is_same = true;
    c->uncompared->matched++;
    write_match(&found, cells + c->format->first);
    assay_compare_instruction(c->format, c->context, &current, event, 0, &step, &found, cells);
    c->run.at++;
    c->run.place[0] += bytes;
    line->pc += bytes;
    line->bytes += bytes;
    line->length -= bytes;
    line->count--;
    return true;
}

/* Instructions of a run that follow each other in memory, as far as they are the expected ones:
 * there is nothing to say of them but of the first of the run. */
static void take_line(struct assay_compare *c, const struct assay_event *event, uint64_t *cells)
{
    struct assay_alignment *alignment = assay_compare_alignment(c);
    if (c->format->line == NULL || alignment == NULL) {
        return;
    }
    struct assay_line line = c->format->line(c->context, event, &c->run);
    size_t bytes = 0;
    if (c->run.at == 0 && !take_first(c, event, &line, cells)) {
        return;
    }
    const uint32_t taken = assay_alignment_take_line(alignment, &line, &bytes);
    c->displaced[c->current] = taken > 0 ? 0 : c->displaced[c->current];
    c->last_is_same = c->last_is_same || taken > 0;
    c->uncompared->matched += taken;
    c->run.at += taken;
    c->run.place[0] += bytes;
}

/* Where execution went on after the branch at the end of an event, which is not compared otherwise
 * where no instruction comes next in the trace. */
static void note_lead(struct assay_compare *c, const struct assay_event *event, uint64_t *cells)
{
    struct assay_alignment *alignment = assay_compare_alignment(c);
    struct assay_placement_lead lead = {
        .can = c->format->can_lead, .context = c->context, .event = event};
    uint64_t pc = 0;
    bool diverted = false;
    if (c->format->leads == NULL || !c->last_is_same ||
        !c->format->leads(c->context, event, &lead.to) ||
        !assay_alignment_goes_on(alignment, &pc, &diverted)) {
        return;
    }
    if (pc != lead.to &&
        (!lead.can(c->context, event, pc, diverted) || assay_part_lead_to(alignment, &lead))) {
        return;
    }
    c->format->went_on(pc, cells);
}

static bool annotate_run(struct assay_compare *c, const struct assay_event *event, uint64_t *cells)
{
    const uint32_t count = assay_compare_run_length(c, event);
    if (c->run.at == 0) {
        memset(cells + c->format->first, 0, ASSAY_COMPARE_ROOM * sizeof cells[0]);
        c->run_has_differed = false;
    }
    while (c->run.at < count) {
        take_line(c, event, cells);
        if (c->run.at < count && !annotate_instruction(c, event, cells)) {
            return false;
        }
    }
    note_lead(c, event, cells);
    c->run = (struct assay_compare_run){0};
    return true;
}

/* --- other events --- */

static void annotate_thread(struct assay_compare *c, const struct assay_event *event,
                            uint64_t *cells)
{
    const int current = assay_compare_thread_after(c, event, c->current);
    c->resumed = c->resumed || current != c->current;
    c->current = current;
    const struct assay_alignment *alignment = c->threads.alignment[current >= 0 ? current : 0];
    cells[c->format->thread_cells] = assay_execution_header(alignment->window.execution)->process;
    cells[c->format->thread_cells + 1] = alignment->window.system_id;
}

/* Reads a recording to its end: how many instructions of the window's thread were still unread. */
static uint64_t read_to_end(const struct assay_window *window)
{
    struct assay_executed item;
    uint64_t count = 0;
    while (!window->ended && assay_execution_next(window->execution, &item) == ASSAY_OK &&
           item.kind != ASSAY_EXECUTED_END) {
        count += assay_window_takes(window, &item);
    }
    return count;
}

/* Counts what the thread of an alignment executed after its last record, of which `unread`
 * instructions are not in its window. */
static void add_rest(struct assay_alignment *alignment, uint64_t unread, uint64_t *cells)
{
    uint64_t at = 0;
    const uint64_t rest = assay_alignment_rest(alignment, &at) + unread;
    if (cells[0] == 0) {
        cells[1] = at;
    }
    cells[0] += rest;
}

/* A recording that has none of the trace's instructions is of another program, or of the program at
 * another address. */
static void check_program(const struct assay_compare *c, const struct assay_alignment *a)
{
    const char *program = assay_execution_header(a->window.execution)->program;
    if (a->strange > 0 && c->uncompared->wrong[0] == '\0') {
        snprintf(c->uncompared->wrong, sizeof c->uncompared->wrong,
                 "the recording%s%.40s is of another program: its thread %u executed none of the "
                 "first %u instructions of the trace at their addresses",
                 program[0] != '\0' ? " of " : "", program, a->window.thread, a->strange);
    }
}

/* If there are several threads, those without a record are not part of the trace. */
static void annotate_end(const struct assay_compare *c, uint64_t *cells)
{
    enum { REST, REST_AT, BEGINS_AFTER, BEGINS_AT, LOCATED, WORDS };
    memset(cells, 0, WORDS * sizeof cells[0]);
    for (int i = 0; i < c->threads.count; i++) {
        struct assay_alignment *alignment = c->threads.alignment[i];
        assay_alignment_finish(alignment);
        check_program(c, alignment);
        if (!alignment->started && !alignment->lost && c->threads.count > 1) {
            continue;
        }
        const uint64_t unread = read_to_end(&alignment->window);
        c->uncompared->threads |= assay_thread_bit(alignment->window.thread);
        c->uncompared->recorded += alignment->window.read - alignment->repeated + unread;
        if (alignment->lost) {
            continue;
        }
        if (alignment->started) {
            cells[BEGINS_AT] = cells[BEGINS_AFTER] == 0 ? alignment->begins_at : cells[BEGINS_AT];
            cells[BEGINS_AFTER] += alignment->begins_after;
            cells[LOCATED] = 1;
        }
        add_rest(alignment, unread, cells);
    }
}

/* The cells belong to the decoder or to the buffer, which both let the stage write them. False: the
 * events ahead are needed. */
static bool annotate(struct assay_compare *c, const struct assay_event *event)
{
    uint64_t *cells = (uint64_t *)event->cells;
    switch (c->format->roles[event->kind]) {
    case ASSAY_COMPARE_INSTRUCTION:
        return annotate_run(c, event, cells);
    case ASSAY_COMPARE_THREAD:
        annotate_thread(c, event, cells);
        break;
    case ASSAY_COMPARE_NOTE:
        c->format->note(c->context, event, cells);
        break;
    case ASSAY_COMPARE_END:
        if (c->format->end != NULL) {
            c->format->end(c->context, c->resumed ? NULL : assay_compare_alignment(c), cells);
        }
        annotate_end(c, cells + c->format->end_cells);
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

/* --- the next events --- */

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
    if (fault == NULL) {
        return ASSAY_OK;
    }
    (void)assay_fail(diag, fault->error, fault->offset, "the recorded execution: %s",
                     fault->message);
    if (diag != NULL) {
        diag->line = fault->line;
        diag->column = fault->column;
        assay_diag_hint(diag, "%s", fault->hint);
    }
    return fault->error;
}

/* --- the stage --- */

/* The empty block at the end is of no layer. */
static enum assay_error take_block(struct assay_stage *stage, const struct assay_block *below,
                                   struct assay_diag *diag)
{
    struct assay_compare *c = (struct assay_compare *)stage;
    (void)diag;
    c->ended = below->count == 0;
    if (!c->ended) {
        c->block = *below;
    }
    return ASSAY_OK;
}

static enum assay_error next_block(struct assay_stage *stage, struct assay_block *block,
                                   struct assay_diag *diag)
{
    struct assay_compare *c = (struct assay_compare *)stage;
    *block = (struct assay_block){.layer = c->block.layer};
    while (!c->ahead.needed || assay_compare_look_ahead(c)) {
        size_t count;
        const struct assay_event *events = first_events(c, &count);
        const size_t done = annotate_all(c, events, count);
        if (done > 0 || count == 0) {
            block->events = events;
            block->count = done;
            pass_on(c, events, done);
            break;
        }
        assay_compare_begin_ahead(c);
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

/* What can be said of the recording before the trace is seen. */
static void check_recording(struct assay_compare *c, const struct assay_decode_input *input)
{
    const struct assay_window *window = &c->threads.alignment[0]->window;
    const enum assay_execution_isa isa = assay_execution_header(window->execution)->isa;
    char *wrong = c->uncompared->wrong;
    if ((c->format->isas >> isa & 1) == 0) {
        snprintf(wrong, sizeof c->uncompared->wrong,
                 "the recording is of a program of %s, and no trace of %s is",
                 assay_execution_isa_name(isa), c->format->format->name);
    } else if (window->ended && !window->broken &&
               !assay_execution_has_executed(window->execution)) {
        snprintf(wrong, sizeof c->uncompared->wrong,
                 "the recording has no instruction: record the program while it runs");
    } else if (input->execution_thread != ASSAY_EXECUTION_THREAD_FROM_TRACE && window->count == 0 &&
               !window->broken) {
        snprintf(wrong, sizeof c->uncompared->wrong,
                 "the recording has no instruction of a thread %u", input->execution_thread);
    }
}

enum assay_error assay_compare_add(struct assay_chain *chain,
                                   const struct assay_compare_format *format, void *context,
                                   const struct assay_decode_input *input,
                                   struct assay_history *origins, struct assay_diag *diag)
{
    struct assay_execution *execution = input->execution;
    if (execution == NULL) {
        return ASSAY_OK;
    }
    assay_execution_choose(execution, input->execution_thread);
    if (!assay_execution_has_items(execution)) {
        assay_execution_close(execution);
        return assay_fail(diag, ASSAY_USAGE, 0, "traces of %s are not compared with tables",
                          format->format->title);
    }
    struct assay_compare *c = calloc(1, sizeof *c);
    if (c == NULL || (c->buffer = assay_buffer_new(
                          format->format, format->first + ASSAY_COMPARE_ROOM, origins)) == NULL) {
        assay_execution_close(execution);
        free(c);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    c->stage.ops = &stage_ops;
    c->format = format;
    c->context = context;
    c->uncompared = input->uncompared != NULL ? input->uncompared : &c->nobodys;
    c->all_accesses = assay_execution_header(execution)->all_accesses;
    const struct assay_threads_setup setup = {
        .raises = format->raises, .infers = format->infers, .context = context};
    const enum assay_error error =
        assay_threads_open(&c->threads, execution, input->execution_thread, &setup, diag);
    if (error != ASSAY_OK) {
        close_stage(&c->stage);
        return error;
    }
    check_recording(c, input);
    if (format->process != NULL) {
        assay_process_begin(format->process(context), &c->threads.alignment[0]->window);
    }
    return assay_chain_add(chain, &c->stage);
}
