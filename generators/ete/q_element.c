/* Q elements (K10.5.5.15): a number of instructions, or some, in place of the atoms of their P0
 * instructions; then the address of the next one. */
#include "generators/ete/unit_private.h"

enum { Q_MOST = 60, UNCOUNTED_ONCE_IN = 4 };

/* After a branch, but not an exception return, which can go into the middle of what an IT covers.
 */
void ete_unit_begin_q(struct ete_unit *u, const struct ete_executed_p0 *p0)
{
    const bool can = u->tracing && p0->next_known && ete_unit_has(u, ETE_Q_BIT) &&
                     !ete_unit_has(u, ETE_BROADCAST_BIT) &&
                     (p0->type == ETE_BRANCH_DIRECT || p0->type == ETE_BRANCH_INDIRECT);
    if (can && ete_unit_chance(u, u->options.q)) {
        ete_unit_put_postponed(u);
        u->q.open = true;
        u->q.until = u->executed + 1 + ete_unit_below(u, Q_MOST);
        u->q.known = UINT64_MAX;
    }
}

/* Where a branch went that could have gone elsewhere is not said (ITXGPZ). The unit ends the Q
 * element before what changes the context, or begins a transaction. */
bool ete_unit_count_p0(struct ete_unit *u, const struct ete_executed_p0 *p0)
{
    const bool open =
        p0->type == ETE_BRANCH_INDIRECT || (p0->type == ETE_BRANCH_DIRECT && p0->conditional);
    if (p0->type == ETE_EXCEPTION_RETURN || p0->transaction) {
        ete_unit_end_q(u, u->executed - 1, &p0->pc);
    }
    if (u->q.open && open && u->q.known == UINT64_MAX) {
        u->q.known = u->executed;
    }
    return u->q.open;
}

void ete_unit_end_q(struct ete_unit *u, uint64_t end, const struct ete_address *next)
{
    struct ete_element element = {.kind = ETE_elem_q};
    const bool counted = !ete_unit_has(u, ETE_Q_BIT + 1) || !ete_unit_chance(u, UNCOUNTED_ONCE_IN);
    const uint64_t first = u->shown_end;
    if (!u->q.open) {
        return;
    }
    u->q.open = false;
    if (first == end) {
        return;
    }
    element.cells[ETE_CELL_elem_q_counted] = counted;
    element.cells[ETE_CELL_elem_q_count] = counted ? end - first : 0;
    ete_unit_put_element(u, &element);
    ete_unit_leave_out(u, !counted ? first : u->q.known < end ? u->q.known : end, end);
    ete_unit_add_p0(u, end);
    u->stack.count = 0; /* of calls among these instructions nothing is known */
    if (next != NULL) {
        ete_unit_put_target(u, *next);
    }
}
