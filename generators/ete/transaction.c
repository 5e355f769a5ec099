/* Transactions (K10.5.8.4): a Transaction Start, and the Commit or Failure that ends it. What a
 * failed one had executed is not left out of the elements: the Failure takes it back. */
#include "generators/ete/unit_private.h"

void ete_unit_announce(struct ete_unit *u, bool start)
{
    struct ete_unit_transaction *t = &u->transaction;
    t->announced = true;
    t->started = start;
    t->marked = true;
    t->context_said = false;
    t->from = u->executed;
    t->p0 = u->oldest + u->depth;
    t->before = u->stack;
    if (start) {
        ete_unit_put_plain(u, ETE_elem_transaction_start);
    }
    if (start && ete_unit_start_is_p0(u)) {
        ete_unit_add_p0(u, u->shown_end);
    }
}

void ete_unit_forget_transaction(struct ete_unit *u)
{
    if (u->transaction.marked) {
        ete_unit_put_plain(u, ETE_elem_transaction_failure);
    }
    u->transaction.announced = false;
    u->transaction.marked = false;
}

void ete_unit_commit_transaction(struct ete_unit *u)
{
    struct ete_unit_transaction *t = &u->transaction;
    t->open = false;
    if (!t->announced) {
        return;
    }
    ete_unit_put_postponed(u);
    ete_unit_end_q(u, u->executed - 1, &u->pc);
    ete_unit_put_plain(u, ETE_elem_transaction_commit);
    t->announced = false;
    t->marked = false;
    /* It is resolved with the P0 element before it. */
    if (u->depth == 0) {
        u->committed_end = u->shown_end;
    } else {
        u->ends[(u->oldest + u->depth - 1) % ETE_UNIT_DEPTH_MOST] = u->shown_end;
    }
}

/* What is not committed of the transaction can be cancelled as well, or a part of it. Returns
 * whether the Transaction Start is among that. */
static bool cancel_some(struct ete_unit *u)
{
    struct ete_unit_transaction *t = &u->transaction;
    const uint64_t first = t->p0 > u->oldest ? t->p0 : u->oldest;
    const uint64_t all = u->oldest + u->depth - first;
    const uint64_t count = ete_unit_below(u, 2) != 0 ? ete_unit_below(u, all + 1) : 0;
    if (count > 0) {
        ete_unit_put(u, ETE_elem_cancel, ETE_CELL_elem_cancel_count, count);
        u->depth -= count;
    }
    return ete_unit_start_is_p0(u) && count > 0 && u->oldest + u->depth == t->p0 && t->started;
}

void ete_unit_fail_transaction(struct ete_unit *u)
{
    struct ete_unit_transaction *t = &u->transaction;
    t->open = false;
    if (!t->announced) {
        return;
    }
    u->postponed_count = 0;
    u->q.open = false;
    if (!cancel_some(u) || ete_unit_below(u, 2) != 0) {
        ete_unit_put_plain(u, ETE_elem_transaction_failure);
        t->marked = false;
    }
    t->announced = false;
    u->stack = t->before;
    if (!u->tracing) {
        u->lost_from = u->lost_from < t->from ? u->lost_from : t->from;
        return;
    }
    ete_unit_leave_out(u, t->from, u->executed);
    u->shown_end = u->executed;
    u->enter_due = true;
    u->context_due = t->context_said;
}
