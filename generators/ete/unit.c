#include "generators/ete/unit_private.h"

#include <stdlib.h>
#include <string.h>

enum {
    COMMIT_ONCE_IN = 4,
    EVENT_ONCE_IN = 64,
    SOURCE_ONCE_IN = 4,
    GAP_MOST = 200,
    COUNT_BITS = 20, /* of a Cycle Count above the threshold, and in a Timestamp */
    TICKS = 1000     /* of a timestamp in a microsecond */
};

static bool has(const struct ete_unit *u, unsigned bit)
{
    return (u->options.trcconfigr >> bit & 1) != 0;
}

/* --- elements --- */

void ete_unit_put_element(struct ete_unit *u, const struct ete_element *element)
{
    if (u->error == ASSAY_OK) {
        u->error = ete_writer_put(u->writer, element, &u->diag);
        u->elements++;
    }
}

void ete_unit_put(struct ete_unit *u, enum ete_kind kind, unsigned cell, uint64_t value)
{
    struct ete_element element = {.kind = kind};
    element.cells[cell] = value;
    ete_unit_put_element(u, &element);
}

static void put_plain(struct ete_unit *u, enum ete_kind kind)
{
    ete_unit_put_element(u, &(struct ete_element){.kind = kind});
}

static void put_target(struct ete_unit *u, uint64_t address)
{
    ete_unit_put(u, ETE_elem_target_address, ETE_CELL_elem_target_address_address, address);
}

static void put_context(struct ete_unit *u)
{
    struct ete_element element = {.kind = ETE_elem_context};
    element.cells[ETE_CELL_elem_context_el] = u->context.el;
    element.cells[ETE_CELL_elem_context_security] = u->context.security;
    element.cells[ETE_CELL_elem_context_sf] = 1;
    element.cells[ETE_CELL_elem_context_context_id] =
        has(u, ETE_CONTEXT_ID_BIT) ? u->context.context_id : 0;
    ete_unit_put_element(u, &element);
    u->shown = u->context;
}

static void put_trace_info(struct ete_unit *u)
{
    struct ete_element element = {.kind = ETE_elem_trace_info};
    const bool counting = has(u, ETE_CYCLE_COUNTS_BIT);
    element.cells[ETE_CELL_elem_trace_info_cc_enabled] = counting;
    element.cells[ETE_CELL_elem_trace_info_cc_threshold] = counting ? u->options.threshold : 0;
    element.cells[ETE_CELL_elem_trace_info_spec_depth] = u->depth;
    ete_unit_put_element(u, &element);
    u->synced_at = u->sink->total;
    u->stacked = 0;
}

/* --- speculation depth --- */

/* The oldest ones. */
static void resolve(struct ete_unit *u, uint64_t count)
{
    u->depth -= count;
    u->oldest += count;
    u->committed_end =
        count > 0 ? u->ends[(u->oldest - 1) % ETE_UNIT_DEPTH_MOST] : u->committed_end;
}

/* More than MAXSPEC are not unresolved: the oldest is committed by being too old (K10.5.2.18.3). */
void ete_unit_add_p0(struct ete_unit *u, uint64_t end)
{
    u->shown_end = end;
    if (u->options.max_depth == 0) {
        u->committed_end = end;
        return;
    }
    if (u->depth == u->options.max_depth) {
        resolve(u, 1);
    }
    u->ends[(u->oldest + u->depth++) % ETE_UNIT_DEPTH_MOST] = end;
}

static void commit(struct ete_unit *u, uint64_t count)
{
    if (count > 0) {
        ete_unit_put(u, ETE_elem_commit, ETE_CELL_elem_commit_count, count);
        resolve(u, count);
    }
}

/* --- branches that were not taken, said later --- */

/* An atom for each, as it would have been. */
static void put_postponed(struct ete_unit *u)
{
    for (unsigned n = 0; n < u->postponed_count; n++) {
        ete_unit_put(u, ETE_elem_atom, ETE_CELL_elem_atom_taken, 0);
        ete_unit_add_p0(u, u->postponed[n]);
    }
    u->postponed_count = 0;
}

/* Whether nothing is said of the instruction: a later Source Address says it. */
static bool postpone(struct ete_unit *u, const struct ete_executed_p0 *p0)
{
    if (!u->options.any_packets || p0->taken || !p0->next_known ||
        u->postponed_count == ETE_UNIT_POSTPONED || !ete_unit_chance(u, SOURCE_ONCE_IN)) {
        return false;
    }
    u->postponed[u->postponed_count++] = u->executed;
    return true;
}

/* A Source Address in place of atoms (K10.5.5.7). Whether an analyzer then uses its return stack
 * the text leaves open (RHYMQH, RMGHSB), so that what would need it has an atom, or a target. */
static bool put_source(struct ete_unit *u, const struct ete_executed_p0 *p0)
{
    const bool can = u->options.any_packets && p0->taken && p0->type != ETE_NO_BRANCH &&
                     !(p0->link && has(u, ETE_RETURN_STACK_BIT));
    if (!can || (u->postponed_count == 0 && !ete_unit_chance(u, SOURCE_ONCE_IN))) {
        return false;
    }
    ete_unit_put(u, ETE_elem_source_address, ETE_CELL_elem_source_address_address, p0->pc);
    u->postponed_count = 0;
    ete_unit_add_p0(u, u->executed);
    return true;
}

static void put_changed_context(struct ete_unit *u)
{
    const bool same = u->context.el == u->shown.el && u->context.security == u->shown.security &&
                      u->context.context_id == u->shown.context_id;
    if (!same) {
        put_postponed(u);
        put_context(u);
    }
}

/* --- gaps --- */

static void tell_left_out(struct ete_unit *u, uint64_t first, uint64_t end)
{
    if (u->options.left_out != NULL && first < end) {
        u->options.left_out(u->options.context, first, end);
    }
}

/* What was executed since the last P0 element is not shown. */
static void stop(struct ete_unit *u, uint64_t resume_at)
{
    if (u->tracing) {
        put_postponed(u);
        u->lost_from = u->shown_end;
        u->tracing = false;
        u->enter_due = false;
    }
    u->resume_at = resume_at;
}

/* Everything that is not committed is lost (K10.5.3.5). */
static void overflow(struct ete_unit *u)
{
    stop(u, u->executed + ete_unit_below(u, GAP_MOST));
    put_plain(u, ETE_elem_discard);
    if (ete_unit_below(u, 2) != 0) {
        put_plain(u, ETE_elem_overflow);
    }
    u->lost_from = u->committed_end;
    u->depth = 0;
    u->session_due = true;
    u->cycles_unknown = true;
}

static void resume(struct ete_unit *u, uint64_t pc)
{
    tell_left_out(u, u->lost_from, u->executed);
    if (u->session_due) {
        put_trace_info(u);
    }
    put_plain(u, ETE_elem_trace_on);
    put_context(u);
    put_target(u, pc);
    u->stacked = 0;
    u->session_due = false;
    u->tracing = true;
    u->shown_end = u->executed;
    if (u->depth == 0) {
        u->committed_end = u->executed;
    }
}

/* --- the return stack (K10.5.5.3) --- */

static void push(struct ete_unit *u, uint64_t address)
{
    if (!has(u, ETE_RETURN_STACK_BIT) || has(u, ETE_BROADCAST_BIT)) {
        return;
    }
    if (u->stacked == ETE_UNIT_STACK) {
        memmove(&u->stack[0], &u->stack[1], (ETE_UNIT_STACK - 1) * sizeof u->stack[0]);
        u->stacked--;
    }
    u->stack[u->stacked++] = address;
}

/* Whether the analyzer finds the target of an indirect branch on its stack. */
static bool pop(struct ete_unit *u, uint64_t address)
{
    const bool match = u->stacked > 0 && u->stack[u->stacked - 1] == address;
    u->stacked -= match;
    return match;
}

/* --- what is said between P0 elements --- */

static void put_cycle_count(struct ete_unit *u)
{
    struct ete_element element = {.kind = ETE_elem_cycle_count};
    const bool unknown =
        u->cycles_unknown || u->cycles - u->options.threshold > assay_mask(COUNT_BITS);
    element.cells[ETE_CELL_elem_cycle_count_unknown] = unknown;
    element.cells[ETE_CELL_elem_cycle_count_count] = unknown ? 0 : u->cycles;
    ete_unit_put_element(u, &element);
    u->cycles = 0;
    u->cycles_unknown = false;
}

/* With COMMOPT 0 cycles are counted up to commits. */
static void put_commit(struct ete_unit *u)
{
    const bool commits = u->depth > 0 && ete_unit_chance(u, COMMIT_ONCE_IN);
    const bool by_itself =
        u->options.max_depth == 0 || (u->options.trcidr0 >> ETE_COMMOPT_BIT & 1) != 0;
    if (commits) {
        commit(u, 1 + ete_unit_below(u, u->depth));
    }
    if (has(u, ETE_CYCLE_COUNTS_BIT) && u->cycles >= u->options.threshold &&
        (commits || by_itself)) {
        put_cycle_count(u);
    }
}

static void put_timestamp(struct ete_unit *u)
{
    struct ete_element element = {.kind = ETE_elem_timestamp};
    const bool counted = has(u, ETE_CYCLE_COUNTS_BIT) && u->cycles <= assay_mask(COUNT_BITS);
    const uint64_t now = u->time * TICKS;
    u->timestamp = now > u->timestamp ? now : u->timestamp + 1;
    element.cells[ETE_CELL_elem_timestamp_timestamp] = u->timestamp;
    element.cells[ETE_CELL_elem_timestamp_counted] = counted;
    element.cells[ETE_CELL_elem_timestamp_count] = counted ? u->cycles : 0;
    ete_unit_put_element(u, &element);
    u->since_timestamp = 0;
}

/* The analysis can begin here: everything is said anew. */
static void synchronise(struct ete_unit *u, uint64_t pc)
{
    put_trace_info(u);
    put_context(u);
    put_target(u, pc);
}

static void put_between(struct ete_unit *u, const struct ete_executed_p0 *p0)
{
    put_commit(u);
    if (has(u, ETE_TIMESTAMPS_BIT) && u->since_timestamp >= u->options.period) {
        put_timestamp(u);
    }
    if (u->options.any_packets && ete_unit_chance(u, EVENT_ONCE_IN)) {
        ete_unit_put(u, ETE_elem_event, ETE_CELL_elem_event_number, ete_unit_below(u, 4));
    }
    if (ete_unit_chance(u, u->options.overflows)) {
        overflow(u);
    } else if (p0->next_known && u->options.sync > 0 &&
               u->sink->total - u->synced_at >= u->options.sync) {
        synchronise(u, p0->next);
    }
}

/* --- the execution --- */

void ete_unit_context(struct ete_unit *u, struct ete_unit_context context)
{
    u->context = context;
}

void ete_unit_execute(struct ete_unit *u, uint64_t pc, uint64_t time)
{
    u->time = time;
    if (u->tracing && ete_unit_chance(u, u->options.gaps)) {
        stop(u, u->executed + 1 + ete_unit_below(u, GAP_MOST));
    }
    if (!u->tracing && u->executed >= u->resume_at) {
        resume(u, pc);
    } else if (u->tracing) {
        put_changed_context(u);
    }
    if (u->enter_due) {
        put_target(u, pc);
        u->enter_due = false;
    }
    u->executed++;
    u->since_timestamp++;
    u->cycles += 1 + ete_unit_below(u, 3);
}

/* The target of a branch that was taken, where the analyzer cannot find it out. */
static void put_branch_target(struct ete_unit *u, const struct ete_executed_p0 *p0,
                              bool explicit_target)
{
    const bool broadcast = has(u, ETE_BROADCAST_BIT) && p0->type == ETE_BRANCH_DIRECT;
    const bool indirect = p0->type == ETE_BRANCH_INDIRECT;
    if (!p0->taken || !p0->next_known || p0->type == ETE_NO_BRANCH) {
        return;
    }
    if (p0->type == ETE_EXCEPTION_RETURN) {
        put_changed_context(u);
        put_target(u, p0->next);
    } else if (broadcast || explicit_target || (indirect && !pop(u, p0->next))) {
        put_target(u, p0->next);
    }
}

void ete_unit_p0(struct ete_unit *u, const struct ete_executed_p0 *p0)
{
    bool explicit_target = false;
    if (!u->tracing || postpone(u, p0)) {
        return;
    }
    if (put_source(u, p0)) {
        explicit_target = p0->type == ETE_BRANCH_INDIRECT;
    } else {
        put_postponed(u);
        ete_unit_speculate(u, p0, &explicit_target);
    }
    if (p0->link && p0->taken) {
        push(u, p0->pc + 4);
    }
    put_branch_target(u, p0, explicit_target);
    put_between(u, p0);
}

void ete_unit_exception(struct ete_unit *u, enum ete_exception_type type, uint64_t address)
{
    struct ete_element element = {.kind = ETE_elem_exception};
    if (!u->tracing) {
        return;
    }
    put_postponed(u);
    if (u->enter_due) { /* the handler of the last one, of which nothing was executed */
        put_changed_context(u);
        put_target(u, address);
    }
    element.cells[ETE_CELL_elem_exception_type] = type;
    element.cells[ETE_CELL_elem_exception_address] = address;
    ete_unit_put_element(u, &element);
    ete_unit_add_p0(u, u->executed);
    u->enter_due = true;
}

void ete_unit_pause(struct ete_unit *u)
{
    stop(u, u->resume_at);
}

enum assay_error ete_unit_finish(struct ete_unit *u, struct assay_diag *diag)
{
    stop(u, 0);
    commit(u, u->depth);
    tell_left_out(u, u->lost_from, u->executed);
    if (u->error == ASSAY_OK) {
        u->error = ete_writer_flush(u->writer, &u->diag);
    }
    if (diag != NULL && u->error != ASSAY_OK) {
        *diag = u->diag;
    }
    return u->error;
}

uint64_t ete_unit_elements(const struct ete_unit *u)
{
    return u->elements;
}

/* --- opening and closing --- */

struct ete_unit *ete_unit_open(const struct ete_unit_options *options, struct assay_sink *sink)
{
    const struct ete_writer_setup setup = {.sink = sink,
                                           .trcidr0 = options->trcidr0,
                                           .max_depth = options->max_depth,
                                           .choice = options->any_packets ? ETE_CHOOSE_ANY
                                                                          : ETE_CHOOSE_SHORTEST,
                                           .seed = options->seed};
    struct ete_unit *u = calloc(1, sizeof *u);
    if (u == NULL) {
        return NULL;
    }
    u->options = *options;
    u->sink = sink;
    u->diag.offset = ASSAY_NO_OFFSET;
    u->random = ~options->seed; /* other numbers than the writer's */
    u->session_due = true;
    u->cycles_unknown = true;
    u->writer = ete_writer_open(&setup);
    if (u->writer == NULL) {
        free(u);
        return NULL;
    }
    return u;
}

void ete_unit_close(struct ete_unit *u)
{
    if (u != NULL) {
        ete_writer_close(u->writer);
        free(u);
    }
}
