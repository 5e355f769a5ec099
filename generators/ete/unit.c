#include "generators/ete/unit_private.h"

#include <stdlib.h>
#include <string.h>

enum { COMMIT_ONCE_IN = 4, EVENT_ONCE_IN = 64, SOURCE_ONCE_IN = 4, GAP_MOST = 200 };

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
    const uint64_t shown = u->transaction.announced ? u->transaction.from : end;
    u->shown_end = end;
    if (u->options.max_depth == 0) {
        u->committed_end = shown;
        u->oldest++;
        return;
    }
    if (u->depth == u->options.max_depth) {
        resolve(u, 1);
    }
    u->ends[(u->oldest + u->depth++) % ETE_UNIT_DEPTH_MOST] = shown;
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
void ete_unit_put_postponed(struct ete_unit *u)
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
    struct ete_element element = {.kind = ETE_elem_source_address};
    const bool can = u->options.any_packets && p0->taken && p0->type != ETE_NO_BRANCH &&
                     !(p0->link && ete_unit_has(u, ETE_RETURN_STACK_BIT));
    if (!can || (u->postponed_count == 0 && !ete_unit_chance(u, SOURCE_ONCE_IN))) {
        return false;
    }
    element.cells[ETE_CELL_elem_source_address_address] = p0->pc.value;
    element.cells[ETE_CELL_elem_source_address_is1] = p0->pc.is1;
    ete_unit_put_element(u, &element);
    u->postponed_count = 0;
    ete_unit_add_p0(u, u->executed);
    return true;
}

static bool context_changed(const struct ete_unit *u)
{
    const struct ete_unit_context *now = &u->context;
    const struct ete_unit_context *shown = &u->shown;
    return u->context_due || now->el != shown->el || now->security != shown->security ||
           now->aarch32 != shown->aarch32 || now->context_id != shown->context_id ||
           now->vmid != shown->vmid;
}

static void put_changed_context(struct ete_unit *u)
{
    if (context_changed(u)) {
        ete_unit_put_postponed(u);
        ete_unit_put_context(u);
    }
}

/* --- gaps --- */

void ete_unit_leave_out(struct ete_unit *u, uint64_t first, uint64_t end)
{
    if (u->options.left_out != NULL && first < end) {
        u->options.left_out(u->options.context, first, end);
    }
}

/* What was executed since the last P0 element is not shown. */
static void stop(struct ete_unit *u, uint64_t resume_at)
{
    if (u->tracing) {
        ete_unit_put_postponed(u);
        ete_unit_end_q(u, u->executed, NULL);
        u->lost_from = u->shown_end;
        u->tracing = false;
        u->enter_due = false;
    }
    u->resume_at = resume_at;
}

/* Everything that is not committed is lost (K10.5.3.5), and a transaction as a whole. */
static void overflow(struct ete_unit *u)
{
    stop(u, u->executed + ete_unit_below(u, GAP_MOST));
    ete_unit_put_plain(u, ETE_elem_discard);
    if (ete_unit_below(u, 2) != 0) {
        ete_unit_put_plain(u, ETE_elem_overflow);
    }
    ete_unit_forget_transaction(u);
    u->lost_from = u->committed_end;
    u->depth = 0;
    u->session_due = true;
    u->cycles_unknown = true;
}

/* In a transaction that begun in the gap the trace may go on, or after it. */
static bool stays_off(struct ete_unit *u)
{
    const bool inside = u->transaction.open && !u->transaction.announced && !u->session_due;
    if (inside && ete_unit_below(u, 2) != 0) {
        u->resume_at = u->executed + 1 + ete_unit_below(u, GAP_MOST);
    }
    return u->executed < u->resume_at;
}

static void resume(struct ete_unit *u, struct ete_address pc)
{
    ete_unit_leave_out(u, u->lost_from, u->executed);
    if (u->session_due && u->transaction.open) {
        ete_unit_announce(u, false);
    }
    if (u->session_due) {
        ete_unit_put_trace_info(u);
    }
    ete_unit_put_plain(u, ETE_elem_trace_on);
    ete_unit_put_context(u);
    ete_unit_put_target(u, pc);
    u->stack.count = 0;
    u->transaction.before.count = 0;
    u->session_due = false;
    u->tracing = true;
    u->shown_end = u->executed;
    if (u->depth == 0) {
        u->committed_end = u->transaction.announced ? u->transaction.from : u->executed;
    }
    if (u->transaction.open && !u->transaction.announced) {
        ete_unit_announce(u, true);
    }
}

/* --- the return stack (K10.5.5.3) --- */

static void push(struct ete_unit *u, const struct ete_executed_p0 *p0)
{
    struct ete_unit_stack *stack = &u->stack;
    if (!ete_unit_has(u, ETE_RETURN_STACK_BIT) || ete_unit_has(u, ETE_BROADCAST_BIT)) {
        return;
    }
    if (stack->count == ETE_UNIT_STACK) {
        memmove(&stack->entry[0], &stack->entry[1], (ETE_UNIT_STACK - 1) * sizeof stack->entry[0]);
        stack->count--;
    }
    const uint64_t mask = u->context.aarch32 ? UINT32_MAX : UINT64_MAX;
    stack->entry[stack->count++] =
        (struct ete_address){(p0->pc.value + p0->size) & mask, p0->pc.is1};
}

/* Whether the analyzer finds the target of an indirect branch on its stack. */
static bool pop(struct ete_unit *u, struct ete_address address)
{
    struct ete_unit_stack *stack = &u->stack;
    const struct ete_address *top = &stack->entry[stack->count - (stack->count > 0)];
    const bool match = stack->count > 0 && top->value == address.value && top->is1 == address.is1;
    stack->count -= match;
    return match;
}

/* --- what is said between P0 elements --- */

/* With COMMOPT 0 cycles are counted up to commits. */
static void put_commit(struct ete_unit *u)
{
    const bool commits = u->depth > 0 && ete_unit_chance(u, COMMIT_ONCE_IN);
    if (commits) {
        commit(u, 1 + ete_unit_below(u, u->depth));
    }
    ete_unit_count_cycles(u, commits);
}

/* The analysis can begin here: everything is said anew. */
static void synchronise(struct ete_unit *u, struct ete_address pc)
{
    ete_unit_put_trace_info(u);
    ete_unit_put_context(u);
    ete_unit_put_target(u, pc);
}

void ete_unit_put_between(struct ete_unit *u, const struct ete_address *next)
{
    put_commit(u);
    ete_unit_tell_time(u);
    if (u->options.any_packets && ete_unit_chance(u, EVENT_ONCE_IN)) {
        ete_unit_put(u, ETE_elem_event, ETE_CELL_elem_event_number, ete_unit_below(u, 4));
    }
    if (ete_unit_chance(u, u->options.overflows)) {
        overflow(u);
    } else if (next != NULL && u->options.sync > 0 &&
               u->sink->total - u->synced_at >= u->options.sync) {
        synchronise(u, *next);
    }
}

/* --- the execution --- */

void ete_unit_context(struct ete_unit *u, struct ete_unit_context context)
{
    u->context = context;
}

/* A Q element goes on up to its end, or where the context changes. */
static void continue_q(struct ete_unit *u, struct ete_address pc)
{
    if (u->q.open && (u->executed >= u->q.until || context_changed(u))) {
        ete_unit_end_q(u, u->executed, &pc);
        ete_unit_put_between(u, &pc);
    }
}

void ete_unit_execute(struct ete_unit *u, struct ete_address pc, uint64_t time)
{
    u->time = time;
    if (u->tracing && ete_unit_chance(u, u->options.gaps)) {
        stop(u, u->executed + 1 + ete_unit_below(u, GAP_MOST));
    }
    continue_q(u, pc);
    if (!u->tracing && !stays_off(u)) {
        resume(u, pc);
    } else if (u->tracing) {
        put_changed_context(u);
    }
    if (u->enter_due) {
        ete_unit_put_target(u, pc);
        u->enter_due = false;
    }
    u->pc = pc;
    u->executed++;
    u->since_timestamp++;
    u->cycles += 1 + ete_unit_below(u, 3);
}

/* The target of a branch that was taken, where the analyzer cannot find it out. */
static void put_branch_target(struct ete_unit *u, const struct ete_executed_p0 *p0,
                              bool explicit_target)
{
    const bool broadcast = ete_unit_has(u, ETE_BROADCAST_BIT) && p0->type == ETE_BRANCH_DIRECT;
    const bool indirect = p0->type == ETE_BRANCH_INDIRECT;
    if (!p0->taken || !p0->next_known || p0->type == ETE_NO_BRANCH) {
        return;
    }
    if (p0->type == ETE_EXCEPTION_RETURN) {
        put_changed_context(u);
        ete_unit_put_target(u, p0->next);
    } else if (broadcast || explicit_target || (indirect && !pop(u, p0->next))) {
        ete_unit_put_target(u, p0->next);
    }
}

/* A push is by what the branch was traced as at first (RGMTBD). */
static void put_p0(struct ete_unit *u, const struct ete_executed_p0 *p0)
{
    bool explicit_target = false;
    bool taken = p0->taken;
    if (put_source(u, p0)) {
        explicit_target = p0->type == ETE_BRANCH_INDIRECT;
    } else {
        ete_unit_put_postponed(u);
        taken = ete_unit_speculate(u, p0, &explicit_target);
    }
    if (p0->transaction) {
        ete_unit_announce(u, true);
    }
    if (p0->link && taken) {
        push(u, p0);
    }
    put_branch_target(u, p0, explicit_target);
}

void ete_unit_p0(struct ete_unit *u, const struct ete_executed_p0 *p0)
{
    u->transaction.open = u->transaction.open || p0->transaction;
    if (u->tracing && !ete_unit_count_p0(u, p0) && !postpone(u, p0)) {
        put_p0(u, p0);
        ete_unit_put_between(u, p0->next_known ? &p0->next : NULL);
        ete_unit_begin_q(u, p0);
    }
}

/* Which instructions were executed since the last P0 element nobody knows, and a transaction is
 * undone. */
static void take_reset(struct ete_unit *u)
{
    const struct ete_unit_transaction *t = &u->transaction;
    const bool undone = t->announced && t->from < u->shown_end;
    ete_unit_leave_out(u, undone ? t->from : u->shown_end, u->executed);
    u->context_due = t->announced && t->context_said;
    ete_unit_forget_transaction(u);
    u->transaction.open = false;
    u->stack.count = 0;
}

static void put_exception(struct ete_unit *u, enum ete_exception_type type,
                          struct ete_address address)
{
    struct ete_element element = {.kind = ETE_elem_exception};
    element.cells[ETE_CELL_elem_exception_type] = type;
    element.cells[ETE_CELL_elem_exception_unknown] = type == ETE_PE_RESET;
    if (type != ETE_PE_RESET) {
        element.cells[ETE_CELL_elem_exception_address] = address.value;
        element.cells[ETE_CELL_elem_exception_is1] = address.is1;
    }
    ete_unit_put_element(u, &element);
    ete_unit_add_p0(u, u->executed);
    u->enter_due = true;
}

void ete_unit_exception(struct ete_unit *u, enum ete_exception_type type,
                        struct ete_address address)
{
    if (!u->tracing) {
        if (type == ETE_PE_RESET) {
            ete_unit_fail_transaction(u);
        }
        return;
    }
    ete_unit_put_postponed(u);
    ete_unit_end_q(u, u->executed, &address);
    put_changed_context(u); /* right after an ISB, or in a handler, nothing was executed in it */
    if (u->enter_due) { /* where nothing was executed: a handler, or after a failed transaction */
        ete_unit_put_target(u, address);
    }
    if (type == ETE_PE_RESET) {
        take_reset(u);
    }
    put_exception(u, type, address);
}

void ete_unit_pause(struct ete_unit *u)
{
    stop(u, u->resume_at);
}

enum assay_error ete_unit_finish(struct ete_unit *u, struct assay_diag *diag)
{
    stop(u, 0);
    commit(u, u->depth);
    if (u->transaction.announced && u->transaction.from < u->lost_from) {
        u->lost_from = u->transaction.from; /* nobody knows how it ends */
    }
    ete_unit_leave_out(u, u->lost_from, u->executed);
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
