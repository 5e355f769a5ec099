/* The layer of resolved elements: elements to those that are resolved (K10.5.3, K10.5.4). An
 * element waits in the queue `open` while P0 elements before it, or it itself, can be cancelled. It
 * then leaves to the queue `out`, where it waits while it is of a transaction whose outcome is not
 * known; the others there are ready to be passed on.
 *
 * Cancel and Discard elements remove from the young end, and what they keep stays in its order.
 * Transaction elements act when they leave, not when they arrive: what precedes them is not part of
 * the transaction, however late it is committed. Where the pseudocode differs, the interpretations
 * of rules/ete say why.
 *
 *     K10.5.3.1  Emit                     leave, leave_resolved
 *     K10.5.3.2  ProcessTraceInfo         take_trace_info
 *     K10.5.3.3  ProcessCommit            commit
 *     K10.5.3.4  ProcessCancel            cancel, outlasts_cancel
 *     K10.5.3.5  ProcessDiscard           end_speculation, outlasts_discard
 *     K10.5.3.6  Stack                    stack
 *     K10.5.4.1  ProcessTransaction       push_out
 *     K10.5.4.2  Transaction Start        queue_up
 *     K10.5.4.3  Transaction Commit       queue_up
 *     K10.5.4.4  Transaction Failure      undo_transaction */
#include <string.h>

#include "ete/ete.h"
#include "ete/timestamp_window.h"
#include "image/image.h"

enum { PASSED_MOST = 16 }; /* elements that a step passes on */

enum reason {
    AT_END,
    AT_DISCARD,
    AT_LOSS,
    AT_OTHER_DEPTH,
    AT_FULL,
    AT_NO_TRANSACTION,
    AT_END_IN_TRANSACTION,
};

_Static_assert((int)ETE_resolved_loss - (int)ETE_resolved_trace_info ==
                   (int)ETE_elem_loss - (int)ETE_elem_trace_info,
               "resolved elements are in the order of elements");
_Static_assert((int)ETE_CELL_elem_context_el == ETE_SAYS &&
                   (int)ETE_CELLS_elem_context == ETE_SAYS + ETE_SAYS_MOST &&
                   (int)ETE_CELL_resolved_context_el == 0,
               "what an element says is copied");

struct resolve {
    struct assay_step_stage base;
    struct assay_parameter_values *values;
    struct ete_queue open;
    struct ete_queue out;
    struct ete_periods periods;
    uint64_t ready;       /* number in `out` up to which elements are passed on */
    uint64_t swept;       /* number in `open`: what is before it outlasts every Cancel */
    uint64_t p0_elements; /* in `open` */
    uint64_t unseen;      /* P0 elements from before the first Trace Info, not resolved yet */
    bool begun;           /* a Trace Info has said how many of those there are */
    bool start_is_p0;     /* TRCIDR0.COMMTRANS is 0 */
    bool transactional;   /* elements that leave are of a transaction */
    bool accepted;        /* the element of the step is in the queues, some are to be passed on */
    bool full;            /* a queue has no room for an element */
    bool incomplete;      /* one had none */
    bool out_of_memory;   /* and there was no memory for more room */
    const struct assay_event *element; /* of the step */
    uint64_t index, offset;            /* of the latest element */
    unsigned passed;                   /* elements that the step has passed on */
};

/* The element's event is the current one, or an earlier one that may be overwritten by now. */
static void pass_on(struct resolve *r, const struct ete_queued *queued)
{
    const struct assay_event *element =
        r->element != NULL && r->element->index == queued->element
            ? r->element
            : assay_history_find(r->base.setup.below, queued->element);
    struct assay_event *event = assay_step_add(&r->base, queued->kind, element);
    uint64_t *cells = assay_step_cells(&r->base, event);
    event->offset = queued->offset;
    memcpy(cells, queued->says, sizeof queued->says);
    cells[ETE_SAYS_MOST] = queued->transactional;
}

/* Which elements outlast a Cancel that reaches back over them (Table K10-2), and a transaction that
 * fails (K10.5.4.4). */
static bool outlasts_cancel(const struct ete_queued *queued)
{
    switch (queued->kind) {
    case ETE_resolved_cycle_count:
    case ETE_resolved_event:
    case ETE_resolved_timestamp:
    case ETE_resolved_timestamp_marker:
    case ETE_resolved_trace_info:
    case ETE_resolved_instrumentation:
    case ETE_period:
        return true;
    default:
        return false;
    }
}

/* And which a Discard (K10.5.3.5.1). */
static bool outlasts_discard(const struct ete_queued *queued)
{
    return queued->kind != ETE_resolved_cycle_count && outlasts_cancel(queued);
}

/* --- leaving --- */

/* The atoms with which the transaction that is open began, as ETE_UNDONE has them: what is more
 * than MOST is shifted out. */
static uint64_t first_atoms(const struct resolve *r)
{
    enum { MOST = 64 - ETE_UNDONE_COUNT_BITS };
    uint64_t taken = 0;
    unsigned count = 0;
    for (uint64_t n = r->ready; n != r->out.next && count < MOST; n++) {
        const struct ete_queued *queued = ete_queue_at(&r->out, n);
        if (queued->kind == ETE_resolved_atoms) {
            taken |= queued->says[ETE_CELL_resolved_atoms_taken] << count;
            count += queued->p0;
        } else if (queued->kind == ETE_resolved_mispredict && count > 0) {
            taken ^= UINT64_C(1) << (count - 1);
        } else if (queued->kind != ETE_resolved_target_address &&
                   queued->kind != ETE_resolved_context && !outlasts_cancel(queued)) {
            break;
        }
    }
    count = count < MOST ? count : MOST;
    return taken << ETE_UNDONE_COUNT_BITS | count;
}

/* The elements of the transaction are those of `out` that are not ready. Survivors leave the
 * transaction. Returns the number removed. */
static uint64_t undo_transaction(struct resolve *r, uint64_t *atoms)
{
    *atoms = first_atoms(r);
    const uint64_t before = ete_queue_elements(&r->out, r->ready);
    ete_queue_sift(&r->out, r->ready, outlasts_cancel);
    const uint64_t after = ete_queue_elements(&r->out, r->ready);
    while (r->ready != r->out.next) {
        ete_queue_at(&r->out, r->ready++)->transactional = false;
    }
    r->transactional = false;
    return before - after;
}

/* Room in a queue; null, and noted, where there is none. */
static struct ete_queued *push(struct resolve *r, struct ete_queue *queue)
{
    struct ete_queued *last = ete_queue_push(queue);
    r->full = r->full || last == NULL;
    r->out_of_memory = r->out_of_memory || (last == NULL && !ete_queue_is_full(queue));
    return last;
}

static void push_out(struct resolve *r, const struct ete_queued *queued)
{
    struct ete_queued *last = push(r, &r->out);
    if (last == NULL) {
        return;
    }
    *last = *queued;
    last->transactional |= r->transactional;
    r->ready = r->transactional ? r->ready : r->out.next;
}

static void add_out(struct resolve *r, const struct ete_queued *queued)
{
    push_out(r, queued);
    if (r->periods.on && ete_begins_period(queued)) {
        const struct ete_queued period = ete_period_at(queued);
        push_out(r, &period);
    }
}

/* After elements that were not resolved the program is not followed further. */
static void add_loss(struct resolve *r, const struct ete_queued *at)
{
    const struct ete_queued loss = {
        .element = at->element, .offset = at->offset, .kind = ETE_resolved_loss};
    add_out(r, &loss);
}

/* The end of a transaction was not traced: a Trace Info, as of another session, or an exception
 * says that none is open. */
static void miss_end(struct resolve *r, const struct ete_queued *at)
{
    struct ete_queued unresolved = {.element = at->element,
                                    .offset = at->offset,
                                    .kind = ETE_unresolved,
                                    .says = {[ETE_CELL_unresolved_reason] = AT_NO_TRANSACTION}};
    unresolved.says[ETE_CELL_unresolved_elements] =
        undo_transaction(r, &unresolved.says[ETE_UNDONE_UNRESOLVED]);
    add_out(r, &unresolved);
    add_loss(r, at);
}

/* Leaves to the queue `out`. A transaction fails when an exception is taken (INT-ETE-98). */
static void queue_up(struct resolve *r, struct ete_queued queued)
{
    const bool in_transaction =
        queued.informs && queued.says[ETE_CELL_resolved_trace_info_in_transaction] != 0;
    if (queued.kind == ETE_resolved_transaction_failure) {
        queued.says[ETE_ENDS_TRANSACTION] = r->transactional;
        queued.says[ETE_CELL_resolved_transaction_failure_dropped] =
            undo_transaction(r, &queued.says[ETE_UNDONE_BY_FAILURE]);
    } else if (queued.kind == ETE_resolved_transaction_commit) {
        r->transactional = false;
    } else if (queued.informs && !in_transaction && r->transactional) {
        miss_end(r, &queued);
    } else if (queued.kind == ETE_resolved_exception && r->transactional) {
        miss_end(r, &queued);
        queued.transactional = true;
    }
    add_out(r, &queued);
    r->transactional =
        r->transactional || in_transaction || queued.kind == ETE_resolved_transaction_start;
}

/* Most elements leave outside of transactions while nothing waits in `out`: they are passed on. */
static void leave(struct resolve *r, const struct ete_queued *queued)
{
    const bool plain = queued->kind != ETE_resolved_transaction_start &&
                       queued->kind != ETE_resolved_trace_info && !r->transactional &&
                       !r->periods.on;
    if (plain && ete_queue_count(&r->out) == 0 && r->passed < PASSED_MOST) {
        pass_on(r, queued);
        r->passed++;
    } else {
        queue_up(r, *queued);
    }
}

/* What precedes the oldest P0 element that is not resolved cannot be cancelled any more. */
static void leave_resolved(struct resolve *r)
{
    while (r->unseen == 0 && ete_queue_count(&r->open) > 0 &&
           !ete_queue_at(&r->open, r->open.first)->p0) {
        leave(r, ete_queue_at(&r->open, r->open.first++));
    }
}

/* --- elements --- */

static unsigned resolved_kind(unsigned element)
{
    return element - ETE_elem_trace_info + ETE_resolved_trace_info;
}

static struct ete_queued hold(const struct resolve *r, const struct assay_event *element)
{
    struct ete_queued queued = {.element = element->index,
                                .offset = element->offset,
                                .kind = (uint8_t)resolved_kind(element->kind)};
    memcpy(queued.says, &element->cells[ETE_SAYS], sizeof queued.says);
    if (element->kind == ETE_elem_atoms) {
        queued.kind = ETE_resolved_atoms;
        queued.p0 = (uint8_t)queued.says[ETE_CELL_resolved_atoms_atoms];
    } else {
        queued.p0 = queued.kind == ETE_resolved_exception || queued.kind == ETE_resolved_q ||
                    queued.kind == ETE_resolved_source_address ||
                    (queued.kind == ETE_resolved_transaction_start && r->start_is_p0);
    }
    return queued;
}

static void stack(struct resolve *r, struct ete_queued queued)
{
    if (r->unseen == 0 && r->p0_elements == 0 && !queued.p0) {
        leave(r, &queued);
        return;
    }
    struct ete_queued *last = push(r, &r->open);
    if (last == NULL) {
        return;
    }
    *last = queued;
    r->p0_elements += queued.p0;
}

/* K10.5.3.3: the unseen ones are the oldest. */
static void commit(struct resolve *r, uint64_t count)
{
    const uint64_t unseen = count < r->unseen ? count : r->unseen;
    r->unseen -= unseen;
    leave_resolved(r);
    for (count -= unseen; count > 0 && r->p0_elements > 0;) {
        struct ete_queued *oldest = ete_queue_at(&r->open, r->open.first);
        const uint64_t part = oldest->p0 < count ? oldest->p0 : count;
        if (part < oldest->p0) {
            const struct ete_queued atoms = ete_queued_split(oldest, (unsigned)part);
            leave(r, &atoms);
        } else {
            r->open.first++;
            leave(r, oldest);
        }
        count -= part;
        r->p0_elements -= part;
        leave_resolved(r);
    }
}

/* K10.5.3.4: the unseen ones are reached last. A Trace Info that is kept is of what was cancelled:
 * whether a transaction is open follows from the elements before it. */
static void cancel(struct resolve *r, uint64_t count)
{
    const uint64_t oldest = r->swept > r->open.first ? r->swept : r->open.first;
    uint64_t from = r->open.next;
    uint64_t reached = 0;
    while (reached < count && from != oldest) {
        reached += ete_queue_at(&r->open, --from)->p0;
    }
    if (reached > count) { /* of the oldest atoms that it reaches some stay */
        struct ete_queued *atoms = ete_queue_at(&r->open, from++);
        const uint64_t gone = atoms->p0 - (reached - count);
        ete_queued_shorten(atoms, (unsigned)gone);
        r->p0_elements -= gone;
        reached = count;
    }
    const uint64_t unseen = count - reached < r->unseen ? count - reached : r->unseen;
    r->p0_elements -= ete_queue_sift(&r->open, from, outlasts_cancel);
    for (uint64_t n = from; n != r->open.next; n++) {
        ete_queue_at(&r->open, n)->informs &= ete_queue_at(&r->open, n)->begins;
    }
    r->swept = from == oldest ? r->open.next : r->swept;
    r->unseen -= unseen;
    leave_resolved(r);
}

/* What waits, and is not resolved. */
static struct ete_queued count_open(const struct resolve *r, enum reason reason)
{
    return (struct ete_queued){
        .element = r->index,
        .offset = r->offset,
        .kind = ETE_unresolved,
        .says = {[ETE_CELL_unresolved_reason] = reason,
                 [ETE_CELL_unresolved_elements] = ete_queue_elements(&r->open, r->open.first) +
                                                  ete_queue_elements(&r->out, r->ready),
                 [ETE_CELL_unresolved_p0_elements] = r->p0_elements,
                 [ETE_CELL_unresolved_unseen] = r->unseen}};
}

/* Nothing that waits can be resolved any more, be it P0 elements or a transaction. What says
 * nothing of the program flow is passed on. */
static void give_up(struct resolve *r, enum reason reason)
{
    struct ete_queued unresolved = count_open(r, reason);
    uint64_t *const count = &unresolved.says[ETE_CELL_unresolved_elements];
    *count = undo_transaction(r, &unresolved.says[ETE_UNDONE_UNRESOLVED]);
    if (reason == AT_END && *count > 0) {
        unresolved.says[ETE_CELL_unresolved_reason] = AT_END_IN_TRANSACTION;
    }
    *count += ete_queue_elements(&r->open, r->open.first);
    ete_queue_sift(&r->open, r->open.first, reason == AT_END ? outlasts_cancel : outlasts_discard);
    for (uint64_t n = r->open.first; n != r->open.next; n++) {
        ete_queue_at(&r->open, n)->informs = false;
    }
    *count -= ete_queue_elements(&r->open, r->open.first);
    r->swept = 0;
    r->p0_elements = 0;
    r->unseen = 0;
    r->begun = false;
    leave_resolved(r);
    if (*count > 0 || unresolved.says[ETE_CELL_unresolved_unseen] > 0) {
        leave(r, &unresolved);
    }
}

/* K10.5.3.5. A transaction ends with the speculation; its failure has an element of its own. */
static void end_speculation(struct resolve *r, const struct assay_event *element,
                            enum reason reason)
{
    const struct ete_queued queued = hold(r, element);
    give_up(r, reason);
    leave(r, &queued);
}

/* K10.5.3.2: where the analysis begins, or begins again, there are P0 elements that were not seen.
 */
static void take_trace_info(struct resolve *r, const struct assay_event *element)
{
    const uint64_t depth = element->cells[ETE_CELL_elem_trace_info_spec_depth];
    struct ete_queued queued = hold(r, element);
    if (r->begun ? depth != r->p0_elements + r->unseen : depth < r->p0_elements) {
        give_up(r, AT_OTHER_DEPTH);
        add_loss(r, &queued);
    }
    queued.informs = true;
    queued.begins = !r->begun;
    if (queued.begins) {
        r->unseen = depth - r->p0_elements;
        r->begun = true;
    }
    stack(r, queued);
}

/* More elements wait than the queues hold: all of them are given up. */
static void lose(struct resolve *r)
{
    const struct ete_queued lost = count_open(r, AT_FULL);
    r->open.first = r->open.next;
    r->out.next = r->ready;
    r->p0_elements = 0;
    r->unseen = 0;
    r->begun = false;
    r->transactional = false;
    r->incomplete = true;
    add_out(r, &lost);
    add_loss(r, &lost);
    r->full = false;
}

/* Most elements come while nothing waits, and need not wait either: they pass the queues by. Which
 * kind it is costs no branch, since it changes from element to element. */
static bool pass_by(struct resolve *r, const struct assay_event *element)
{
    static const uint8_t resolved[ETE_KIND_COUNT] = {
        [ETE_elem_context] = ETE_resolved_context,
        [ETE_elem_target_address] = ETE_resolved_target_address,
        [ETE_elem_timestamp] = ETE_resolved_timestamp,
        [ETE_elem_timestamp_marker] = ETE_resolved_timestamp_marker,
        [ETE_elem_cycle_count] = ETE_resolved_cycle_count,
        [ETE_elem_event] = ETE_resolved_event,
        [ETE_elem_atoms] = ETE_resolved_atoms};
    /* In `out` nothing waits outside of a transaction. */
    const bool is_empty = ete_queue_count(&r->open) + r->unseen == 0;
    const unsigned kind = resolved[element->kind];
    const bool is_run = kind == ETE_resolved_atoms;
    const uint64_t committed = element->cells[ETE_CELL_elem_atoms_committed];
    const bool waits = is_run & (committed < element->cells[ETE_CELL_elem_atoms_atoms]);
    if (!is_empty || r->transactional || kind == 0 || waits) {
        return false;
    }
    uint64_t *cells = assay_step_add_cells(&r->base, kind, element, ETE_RESOLVED_CELLS);
    memcpy(cells, &element->cells[ETE_SAYS], ETE_SAYS_MOST * sizeof *cells);
    return true;
}

static void accept(struct resolve *r, const struct assay_event *element)
{
    switch (element->kind) {
    case ETE_elem_trace_info:
        take_trace_info(r, element);
        break;
    case ETE_elem_commit:
        commit(r, element->cells[ETE_CELL_elem_commit_count]);
        break;
    case ETE_elem_cancel:
        cancel(r, element->cells[ETE_CELL_elem_cancel_count]);
        break;
    case ETE_elem_discard:
        end_speculation(r, element, AT_DISCARD);
        break;
    case ETE_elem_loss:
        end_speculation(r, element, AT_LOSS);
        break;
    default:
        stack(r, hold(r, element));
        break;
    }
    if (element->kind == ETE_elem_atoms) {
        commit(r, element->cells[ETE_CELL_elem_atoms_committed]);
    }
    if (r->full) {
        lose(r);
    }
}

/* Passes on some of what is ready, and whose period is known. True when there is no more. */
static bool pass_ready(struct resolve *r)
{
    const uint64_t end = r->periods.on ? r->periods.open : r->ready;
    for (; r->passed < PASSED_MOST && r->out.first != end; r->passed++) {
        pass_on(r, ete_queue_at(&r->out, r->out.first++));
    }
    return r->out.first == end;
}

/* The first element, before which the first period begins. */
static void begin_periods(struct resolve *r, const struct assay_event *element)
{
    const struct ete_queued at = hold(r, element);
    const struct ete_queued period = ete_period_at(&at);
    push_out(r, &period);
}

/* An element that has to wait, or for which others waited. Apart from `step`, which is as short as
 * most elements need. */
static __attribute__((noinline)) bool step_queues(struct resolve *r,
                                                  const struct assay_event *element)
{
    r->passed = 0;
    if (!r->accepted) {
        if (r->periods.on && r->out.next == 0) {
            begin_periods(r, element);
        }
        accept(r, element);
        if (r->periods.on) {
            ete_end_periods(&r->periods, &r->out, r->ready, false);
        }
    }
    r->accepted = !pass_ready(r);
    return !r->accepted;
}

static bool step(struct assay_step_stage *stage, const struct assay_event *element)
{
    struct resolve *r = (struct resolve *)stage;
    r->element = element;
    r->index = element->index;
    r->offset = element->offset;
    const bool is_new = !r->accepted && !r->periods.on;
    return (is_new && pass_by(r, element)) || step_queues(r, element);
}

/* Whether the program executed what still waits nobody knows. */
static bool finish(struct assay_step_stage *stage)
{
    struct resolve *r = (struct resolve *)stage;
    r->element = NULL;
    r->passed = 0;
    give_up(r, AT_END);
    if (r->periods.on) {
        ete_end_periods(&r->periods, &r->out, r->ready, true);
    }
    return pass_ready(r);
}

static bool complete(const struct assay_stage *stage, const char **why)
{
    const struct resolve *r = (const struct resolve *)stage;
    *why = r->incomplete ? "more elements wait for their resolution than the decoder holds" : NULL;
    return *why == NULL;
}

static void close_resolve(struct assay_stage *stage)
{
    struct resolve *r = (struct resolve *)stage;
    ete_queue_close(&r->open);
    ete_queue_close(&r->out);
    assay_step_close(stage);
}

static enum assay_error next_block(struct assay_stage *stage, struct assay_block *block,
                                   struct assay_diag *diag)
{
    const enum assay_error error = assay_step_next_by(stage, block, diag, step);
    return ((const struct resolve *)stage)->out_of_memory
               ? assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory")
               : error;
}

struct assay_stage *ete_resolve_open(const struct assay_decode_input *input,
                                     struct assay_history *elements)
{
    static const struct assay_stage_ops ops = {
        .take = assay_step_take, .next = next_block, .complete = complete, .close = close_resolve};
    const struct assay_step_setup setup = {.ops = &ops,
                                           .layer = ETE_RESOLVED_ELEMENT,
                                           .below = elements,
                                           .slots = 1 << 12,
                                           .cells = ETE_RESOLVED_CELLS,
                                           .most = PASSED_MOST,
                                           .lead = input->lead,
                                           .step = step,
                                           .finish = finish};
    struct resolve *r = assay_step_open(sizeof *r, &setup);
    if (r == NULL) {
        return NULL;
    }
    r->values = input->parameters;
    const struct assay_timeline *timeline = assay_image_timeline(input->images);
    r->periods.on = timeline != NULL && timeline->dated && timeline->moments > 0;
    r->start_is_p0 = (r->values->value[ETE_TRCIDR0] >> ETE_COMMTRANS_BIT & 1) == 0;
    return &r->base.base;
}
