/* The stage that annotates what was executed. What each event is annotated with follows from it and
 * from those before it. */
#include "ete/facts/facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ete/facts/condition_flags.h"
#include "ete/facts/tcommit.h"
#include "isa/a64.h"

enum { CACHE_ENTRIES = 1 << 12 };

/* --- where runs are --- */

/* By the address ranges and points of ViewInst and of branch broadcasting. Returns where branches
 * are broadcast at the last instruction. */
static enum ete_broadcasts annotate_ranges(const struct ete_facts *f, uint64_t *run)
{
    const uint64_t mask = ete_address_mask(ete_set_of(run));
    const uint64_t first = run[ETE_RUN_ADDRESS];
    const uint64_t last = (run[ETE_RUN_END] - 1) & mask;
    const uint64_t at_last =
        (run[ETE_RUN_END] - (run[ETE_RUN_LAST_WORD] >> LAST_SIZE_BIT & 7)) & mask;
    const bool exact = ete_set_of(run) != ARM_T32;
    if (!f->ranges) {
        return ETE_BROADCASTS_UNKNOWN;
    }
    const enum ete_broadcasts where = ete_broadcasts(&f->broadcast, at_last, last);
    run[ETE_RUN_FLAGS] |= (uint64_t)ete_view_of(&f->view, first, at_last, last) << VIEW_BIT |
                          (uint64_t)ete_view_points(&f->view, first, last, exact) << POINTS_BIT |
                          (uint64_t)where << BROADCAST_BIT;
    return where;
}

/* --- the return stack of the trace unit --- */

/* An indirect branch that was taken: where it led by the trace, and by the return stack. */
static void annotate_indirect(struct ete_facts *f, uint64_t *run)
{
    const bool discarded = f->stack.kept == 0;
    const bool several = ete_has(run[ETE_RUN_FLAGS], SEVERAL_STATED_BIT);
    const bool is1 = ete_has(run[ETE_RUN_FLAGS], several ? FIRST_IS1_BIT : STATED_IS1_BIT);
    const uint64_t first = run[several ? ETE_FIRST_STATED : ETE_RUN_STATED];
    switch (ete_goes_by_of(run)) {
    case ETE_GOES_STATED:
        run[ETE_RUN_FLAGS] |= (uint64_t)ete_unit_stack_leads_to(&f->stack, first, is1)
                              << AGREES_BIT;
        break;
    case ETE_GOES_STACK:
        run[ETE_RUN_FLAGS] |= (uint64_t)discarded << ENTRY_DISCARDED_BIT | (uint64_t)f->stack.whole
                                                                               << STACK_WHOLE_BIT;
        ete_unit_stack_pop(&f->stack);
        break;
    case ETE_GOES_UNSTATED:
    case ETE_GOES_RESET:
        run[ETE_RUN_FLAGS] |= (uint64_t)f->stack.whole << STACK_WHOLE_BIT;
        break;
    default:
        break;
    }
}

/* A branch with link pushes its return address by its first status, before a Mispredict (RHYMQH,
 * RGMTBD). A Q element can stand for calls. */
static void annotate_stack(struct ete_facts *f, uint64_t *run, enum ete_broadcasts where)
{
    const uint64_t facts = run[ETE_RUN_FLAGS];
    const bool indirect = (facts >> LAST_BIT & 0xf) == ETE_P0_INDIRECT;
    ete_unit_stack_pass(&f->stack, where);
    if (ete_by_of(run) == ETE_BY_Q) {
        ete_unit_stack_miss(&f->stack);
        return;
    }
    if (ete_has(facts, LINK_BIT) && ete_has(facts, ENDS_BIT) && ete_has(facts, FIRST_TAKEN_BIT)) {
        const struct ete_position after = {.address = run[ETE_RUN_END],
                                           .is1 = ete_set_of(run) == ARM_T32};
        ete_unit_stack_push(&f->stack, after);
    }
    if (indirect && ete_has(facts, TAKEN_BIT)) {
        annotate_indirect(f, run);
    }
}

/* Elements that were discarded or lost can say otherwise whether a direct branch was taken: its
 * Target Address may then be where its other outcome leads (K10.5.5.13). */
static void annotate_other_outcome(uint64_t *run)
{
    const uint64_t facts = run[ETE_RUN_FLAGS];
    const enum arm_set set = ete_set_of(run);
    const unsigned size = run[ETE_RUN_LAST_WORD] >> LAST_SIZE_BIT & 7;
    if (!ete_has(facts, STATED_BIT) || !ete_has(facts, CONDITIONAL_BIT) ||
        (facts >> LAST_BIT & 0xf) != ETE_P0_DIRECT || ete_by_of(run) == ETE_BY_Q) {
        return;
    }
    const struct arm_flow flow =
        ete_flow_of((uint32_t)run[ETE_RUN_LAST_WORD], size, run[ETE_RUN_END] - size, set);
    const bool taken = ete_has(facts, TAKEN_BIT);
    const uint64_t other = taken ? run[ETE_RUN_END] : flow.target;
    const bool is1 = (taken ? set : flow.target_set) == ARM_T32;
    run[ETE_RUN_FLAGS] |= (uint64_t)(run[ETE_RUN_STATED] == other) << STATED_OTHERWISE_BIT |
                          (uint64_t)is1 << OTHERWISE_IS1_BIT;
}

/* Cells of the run before an event, if there is nothing between them but asides; or null. */
static const uint64_t *run_before(const struct ete_facts *f)
{
    const struct assay_event *run = f->run != 0 ? assay_history_find(f->events, f->run - 1) : NULL;
    return run != NULL ? run->cells : NULL;
}

/* --- Q elements --- */

static void find_ways(struct ete_facts *f, const uint64_t *run, uint64_t left)
{
    ete_find_q_ways(&f->ways, run, (uint32_t)left, f->synchronised);
    if (f->ways.too_many && f->why[0] == '\0') {
        snprintf(f->why, sizeof f->why,
                 "the ways through a Q element from 0x%" PRIx64 " are more than are followed",
                 f->q_begin);
    }
}

/* The last run of a Q element: where this leads is known of the Target Address after it, unless
 * that is not sure. */
static void end_q(struct ete_facts *f, uint64_t *run)
{
    run[ETE_RUN_LAST_WORD] |=
        (uint64_t)(!f->synchronised && !ete_has(run[ETE_RUN_LAST_WORD], IS_RETURN_BIT))
        << KEEPS_CONTEXT_BIT;
    if (ete_has(run[ETE_RUN_FLAGS], UNCERTAIN_BIT)) {
        return;
    }
    if (ete_has(run[ETE_RUN_FLAGS], OPEN_Q_BIT)) {
        find_ways(f, run, 0);
        ete_annotate_open_run(&f->ways, run);
    } else {
        ete_annotate_q_run(run);
    }
}

/* A run of a Q element, the first one unless one that does not end it is before. */
static void annotate_q(struct ete_facts *f, uint64_t *run)
{
    const uint64_t *before = run_before(f);
    if (before == NULL || ete_by_of(before) != ETE_BY_Q ||
        ete_has(before[ETE_RUN_FLAGS], ENDS_BIT)) {
        f->q_begin = run[ETE_RUN_ADDRESS];
        f->synchronised = false;
    }
    f->synchronised |= (run[ETE_RUN_FLAGS] >> LAST_BIT & 0xf) == ETE_P0_ISB;
    if (ete_has(run[ETE_RUN_FLAGS], ENDS_BIT)) {
        end_q(f, run);
    }
}

/* --- events --- */

static void resume(struct ete_facts *f, uint64_t *run)
{
    run[ETE_RUN_FLAGS] |= UINT64_C(1) << RESUMES_BIT;
    run[ETE_RUN_LAST_WORD] |= f->counted << COUNTED_BIT;
    f->resumes = false;
}

/* Most runs end at a branch that is neither a call nor indirect, and follow from an atom. */
static inline bool is_plain(const uint64_t *run)
{
    return (run[ETE_RUN_FLAGS] & (UINT64_C(3) << BY_BIT | UINT64_C(1) << SKIPPED_BIT |
                                  UINT64_C(1) << UNCERTAIN_BIT)) == 0 &&
           !ete_has(run[ETE_RUN_LAST_WORD], LEADS_BIT);
}

static void annotate_run(struct ete_facts *f, uint64_t *run)
{
    if (f->resumes) {
        resume(f, run);
    }
    annotate_stack(f, run, annotate_ranges(f, run));
    if (ete_has(run[ETE_RUN_FLAGS], UNCERTAIN_BIT)) {
        annotate_other_outcome(run);
    }
    if (ete_by_of(run) == ETE_BY_Q) {
        annotate_q(f, run);
    }
    if (ete_has(run[ETE_RUN_FLAGS], SKIPPED_BIT)) {
        ete_unit_stack_miss(&f->stack);
    }
}

/* The position is lost: what was executed up to the next run is not known. */
static void lose(struct ete_facts *f, uint64_t counted)
{
    f->resumes = true;
    f->counted = counted;
    f->run = 0;
}

/* What is executed in between can set flags and registers. */
static void forget(struct ete_facts *f)
{
    f->flags = A64_ALL_FLAGS;
    a64_forget_registers(&f->registers, UINT32_MAX);
}

/* The instruction that an exception returns to. */
static uint64_t word_at(struct ete_facts *f, const uint64_t *exception)
{
    const enum arm_set set = ete_set_of(exception);
    struct assay_image_cursor *cursor = &f->program.cursor;
    const uint64_t pc = ete_again(cursor, exception, 0);
    uint32_t word = 0;
    const unsigned size = ete_read_instruction(cursor, pc, set, &word);
    const bool accesses = set == ARM_A64 && a64_can_access(word);
    return size == 0 ? 0
                     : word | (uint64_t)size << LAST_SIZE_BIT | (uint64_t)accesses << ACCESSES_BIT;
}

/* The instructions before it in sequence are a run of its own; others ended before. */
static uint64_t call_before(const struct ete_facts *f)
{
    const uint64_t *run = run_before(f);
    const bool own = run != NULL && ete_by_of(run) == ETE_BY_EXCEPTION;
    return own && ete_set_of(run) == ARM_A64 ? run[ETE_RUN_LAST_WORD] >> CALL_KIND_BIT & 3
                                             : ETE_NO_CALL;
}

static void annotate_exception(struct ete_facts *f, uint64_t *exception)
{
    forget(f);
    if ((exception[ETE_RUN_FLAGS] >> REACHED_BIT & 7) == ETE_REACHED) {
        exception[ETE_RUN_FLAGS] |= call_before(f) << AFTER_CALL_BIT;
        exception[ETE_RUN_LAST_WORD] = word_at(f, exception);
        f->run = 0;
    } else {
        lose(f, 0);
    }
    if (ete_has(exception[ETE_RUN_FLAGS], SKIPPED_BIT)) {
        ete_unit_stack_miss(&f->stack);
    }
}

static void annotate_lost(struct ete_facts *f, uint64_t *lost)
{
    const enum ete_lost reason = (enum ete_lost)(lost[ETE_LOST_FLAGS] & 0xf);
    const uint64_t left = lost[ETE_Q_LEFT];
    const uint64_t *run = run_before(f);
    forget(f);
    f->stack.kept = ETE_STACK;
    if (ete_has(lost[ETE_LOST_FLAGS], SKIPPED_BIT) ||
        (reason > ETE_LOST_TRACE_ON &&
         (reason != ETE_LOST_DISCARD || ete_has(lost[ETE_LOST_FLAGS], LOSES_BIT)))) {
        ete_unit_stack_miss(&f->stack);
    }
    if (left > 0 && run != NULL) {
        find_ways(f, run, left);
        ete_annotate_q_lost(&f->ways, lost);
    }
    lose(f, left <= COUNTED_MOST ? left : 0);
}

/* The transaction begins after the run of its TSTART. */
static void annotate_start(struct ete_facts *f, uint64_t *start)
{
    const uint64_t *run = run_before(f);
    if (start[ETE_UNDONE_ATOMS] == 0 || run == NULL) {
        return;
    }
    const bool stated = ete_has(run[ETE_RUN_FLAGS], STATED_BIT);
    const struct ete_position at = {.address = run[stated ? ETE_RUN_STATED : ETE_RUN_COMPUTED]};
    const struct ete_walk_from from = ete_walk_from(&f->program, &at, ARM_A64);
    (void)ete_again(&f->program.cursor, run, 0);
    start[ETE_CELL_path_transaction_start_executes_tcommit] =
        (uint64_t)ete_executes_tcommit(&f->program, &from, start[ETE_UNDONE_ATOMS])
        << ETE_BIT_path_transaction_start_executes_tcommit;
}

static void annotate_other(struct ete_facts *f, const struct assay_event *event, uint64_t *cells)
{
    switch (event->kind) {
    case ETE_exception_taken:
        annotate_exception(f, cells);
        break;
    case ETE_sync_lost:
        annotate_lost(f, cells);
        break;
    case ETE_path_transaction_start:
        annotate_start(f, cells);
        break;
    default:
        break;
    }
}

/* The events of a block lie in the ring of their history one after the other, and so do their
 * cells. */
static void annotate(struct ete_facts *f, const struct assay_block *block)
{
    const uint32_t room = f->events->cell_room;
    const struct assay_event *end = block->events + block->count;
    uint64_t *cells = assay_history_cells(f->events, block->events);
    bool looks = f->ranges || f->resumes; /* at each run, plain or not */
    for (const struct assay_event *event = block->events; event < end; event++, cells += room) {
        if (event->kind != ETE_run) {
            annotate_other(f, event, cells);
            looks = f->ranges || f->resumes;
            continue;
        }
        f->flags = ete_annotate_flags(f->flags, cells);
        ete_annotate_registers(&f->registers, cells);
        if (looks || !is_plain(cells)) {
            annotate_run(f, cells);
            looks = f->ranges;
        }
        f->run = event->index + 1;
    }
}

/* --- the stage --- */

static enum assay_error take(struct assay_stage *stage, const struct assay_block *below,
                             struct assay_diag *diag)
{
    struct ete_facts *f = (struct ete_facts *)stage;
    (void)diag;
    f->block = *below;
    if (below->count > 0) {
        annotate(f, below);
    }
    return ASSAY_OK;
}

static enum assay_error next(struct assay_stage *stage, struct assay_block *block,
                             struct assay_diag *diag)
{
    struct ete_facts *f = (struct ete_facts *)stage;
    (void)diag;
    *block = f->block;
    f->block.count = 0;
    return ASSAY_OK;
}

static bool complete(const struct assay_stage *stage, const char **why)
{
    const struct ete_facts *f = (const struct ete_facts *)stage;
    *why = f->why[0] != '\0' ? f->why : NULL;
    return *why == NULL;
}

static void close_facts(struct assay_stage *stage)
{
    struct ete_facts *f = (struct ete_facts *)stage;
    ete_program_close(&f->program);
    free(f);
}

static struct ete_facts *open_facts(const struct assay_decode_input *input,
                                    struct assay_history *events)
{
    static const struct assay_stage_ops ops = {
        .take = take, .next = next, .complete = complete, .close = close_facts, .annotates = true};
    const struct assay_parameter_values *values = input->parameters;
    struct ete_facts *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return NULL;
    }
    f->base.ops = &ops;
    f->events = events;
    f->flags = A64_ALL_FLAGS;
    f->ways.program = &f->program;
    f->program.note = ete_note_of_ways;
    f->stack.enabled = (values->value[ETE_TRCCONFIGR] >> ETE_RETURN_STACK_BIT & 1) != 0;
    f->stack.whole = values->known[ETE_WHOLE] && values->value[ETE_WHOLE] != 0;
    ete_view_open(&f->view, values);
    ete_broadcast_open(&f->broadcast, values);
    f->ranges = f->view.filters || f->view.has_points || f->broadcast.known || f->broadcast.exact;
    if (ete_program_open(&f->program, input, CACHE_ENTRIES, sizeof(struct ete_walk)) != ASSAY_OK) {
        close_facts(&f->base);
        return NULL;
    }
    return f;
}

enum assay_error ete_facts_add(struct assay_chain *chain, const struct assay_decode_input *input,
                               struct assay_diag *diag)
{
    struct ete_facts *f = open_facts(input, assay_step_history(chain->stages[ETE_INSTRUCTION]));
    const enum assay_error error = assay_chain_add(chain, f != NULL ? &f->base : NULL);
    if (error != ASSAY_OK) {
        assay_execution_close(input->execution);
        return error;
    }
    return ete_compare_add(chain, &f->compared, input, diag);
}
