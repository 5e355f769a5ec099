/* Wrong paths: elements of a program that was never executed, and a Cancel that takes them back.
 * What is on such a path nobody looks at, so that it is any sequence of elements. */
#include "generators/ete/unit_private.h"

enum { NEAR_BITS = 20, PATH_MOST = 12, ONE_OF_FEW = 8 };

/* Of the same instruction set. */
static struct ete_address some_address(struct ete_unit *u, struct ete_address near)
{
    const uint64_t mask = assay_mask(NEAR_BITS) & ~UINT64_C(3);
    return (struct ete_address){(near.value & ~mask) | (assay_random(&u->random) & mask), near.is1};
}

static void put_atom(struct ete_unit *u, bool taken)
{
    ete_unit_put(u, ETE_elem_atom, ETE_CELL_elem_atom_taken, taken);
    ete_unit_add_p0(u, u->shown_end);
}

static void put_exception(struct ete_unit *u, struct ete_address near)
{
    const struct ete_address from = some_address(u, near);
    struct ete_element exception = {.kind = ETE_elem_exception};
    exception.cells[ETE_CELL_elem_exception_type] = ETE_DATA_FAULT;
    exception.cells[ETE_CELL_elem_exception_address] = from.value;
    exception.cells[ETE_CELL_elem_exception_is1] = from.is1;
    ete_unit_put_element(u, &exception);
    ete_unit_add_p0(u, u->shown_end);
    ete_unit_put_target(u, some_address(u, near));
}

static void put_q(struct ete_unit *u, struct ete_address near)
{
    struct ete_element q = {.kind = ETE_elem_q};
    const bool counts = !ete_unit_has(u, ETE_Q_BIT + 1);
    const uint64_t count = counts + ete_unit_below(u, PATH_MOST);
    q.cells[ETE_CELL_elem_q_counted] = count > 0;
    q.cells[ETE_CELL_elem_q_count] = count;
    ete_unit_put_element(u, &q);
    ete_unit_add_p0(u, u->shown_end);
    ete_unit_put_target(u, some_address(u, near));
}

/* A transaction begins, and a Cancel takes its Transaction Start back (Table K10-19). Nothing says
 * then that it has ended. */
static void put_start(struct ete_unit *u)
{
    put_atom(u, true);
    ete_unit_put_plain(u, ETE_elem_transaction_start);
    if (ete_unit_start_is_p0(u)) {
        ete_unit_add_p0(u, u->shown_end);
    }
    u->transaction.marked = true;
}

/* `count` P0 elements, and other elements between them. */
static void put_path(struct ete_unit *u, struct ete_address near, uint64_t count)
{
    const uint64_t end = u->oldest + u->depth + count;
    bool can_start = u->options.transactions && !u->transaction.announced;
    while (u->oldest + u->depth < end) {
        if (can_start && end - u->oldest - u->depth >= 2 && ete_unit_chance(u, ONE_OF_FEW)) {
            put_start(u);
            can_start = false;
        } else if (ete_unit_chance(u, ONE_OF_FEW)) {
            put_exception(u, near);
        } else if (ete_unit_chance(u, u->options.q)) {
            put_q(u, near);
        } else {
            put_atom(u, ete_unit_below(u, 2) != 0);
        }
        if (ete_unit_chance(u, ONE_OF_FEW)) {
            ete_unit_put_target(u, some_address(u, near));
        }
    }
}

/* The youngest P0 elements are those of the path. */
static void put_cancel(struct ete_unit *u, uint64_t count)
{
    if (count > 0) {
        ete_unit_put(u, ETE_elem_cancel, ETE_CELL_elem_cancel_count, count);
        u->depth -= count;
    }
}

/* As long as it can be without that the P0 element before it is committed. */
static uint64_t some_length(struct ete_unit *u)
{
    const uint64_t most = u->options.max_depth > PATH_MOST ? PATH_MOST : u->options.max_depth;
    return most > 0 ? ete_unit_below(u, most) : 0;
}

/* The prediction was wrong, or it was right and was corrected twice. */
static void put_mispredicts(struct ete_unit *u, bool conditional, bool misses)
{
    const unsigned more = conditional && ete_unit_chance(u, ONE_OF_FEW) ? 2 : 0;
    for (unsigned n = more + misses; n > 0; n--) {
        ete_unit_put_plain(u, ETE_elem_mispredict);
    }
}

bool ete_unit_speculate(struct ete_unit *u, const struct ete_executed_p0 *p0, bool *explicit_target)
{
    const bool wrong = ete_unit_chance(u, u->options.mispredictions);
    const uint64_t length = wrong ? some_length(u) : 0;
    const bool misses = wrong && p0->conditional;
    const bool first = p0->taken != misses;
    ete_unit_put(u, ETE_elem_atom, ETE_CELL_elem_atom_taken, first);
    ete_unit_add_p0(u, u->executed);
    if (!wrong) {
        return first;
    }
    if (first && p0->type == ETE_BRANCH_INDIRECT && p0->next_known) {
        ete_unit_put_target(u, some_address(u, p0->next));
        *explicit_target = p0->taken;
    }
    put_path(u, p0->pc, length);
    put_cancel(u, length);
    put_mispredicts(u, p0->conditional, misses);
    return first;
}
