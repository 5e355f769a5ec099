/* Wrong paths: elements of a program that was never executed, and a Cancel that takes them back.
 * What is on such a path nobody looks at, so that it is any sequence of elements. */
#include "generators/ete/unit_private.h"

enum { NEAR_BITS = 20, PATH_MOST = 12, ONE_OF_FEW = 8 };

static uint64_t some_address(struct ete_unit *u, uint64_t near)
{
    const uint64_t mask = assay_mask(NEAR_BITS) & ~UINT64_C(3);
    return (near & ~mask) | (assay_random(&u->random) & mask);
}

static void put_target(struct ete_unit *u, uint64_t address)
{
    ete_unit_put(u, ETE_elem_target_address, ETE_CELL_elem_target_address_address, address);
}

static void put_atom(struct ete_unit *u, bool taken)
{
    ete_unit_put(u, ETE_elem_atom, ETE_CELL_elem_atom_taken, taken);
    ete_unit_add_p0(u, u->shown_end);
}

static void put_exception(struct ete_unit *u, uint64_t near)
{
    struct ete_element exception = {.kind = ETE_elem_exception};
    exception.cells[ETE_CELL_elem_exception_type] = ETE_DATA_FAULT;
    exception.cells[ETE_CELL_elem_exception_address] = some_address(u, near);
    ete_unit_put_element(u, &exception);
    ete_unit_add_p0(u, u->shown_end);
    put_target(u, some_address(u, near));
}

/* `count` P0 elements, and other elements between them. */
static void put_path(struct ete_unit *u, uint64_t near, uint64_t count)
{
    for (; count > 0; count--) {
        if (ete_unit_chance(u, ONE_OF_FEW)) {
            put_exception(u, near);
        } else {
            put_atom(u, ete_unit_below(u, 2) != 0);
        }
        if (ete_unit_chance(u, ONE_OF_FEW)) {
            put_target(u, some_address(u, near));
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

void ete_unit_speculate(struct ete_unit *u, const struct ete_executed_p0 *p0, bool *explicit_target)
{
    const bool wrong = ete_unit_chance(u, u->options.mispredictions);
    const uint64_t length = wrong ? some_length(u) : 0;
    const bool misses = wrong && p0->conditional;
    ete_unit_put(u, ETE_elem_atom, ETE_CELL_elem_atom_taken, p0->taken != misses);
    ete_unit_add_p0(u, u->executed);
    if (!wrong) {
        return;
    }
    if (p0->taken && p0->type == ETE_BRANCH_INDIRECT && p0->next_known) {
        put_target(u, some_address(u, p0->next));
        *explicit_target = true;
    }
    put_path(u, p0->pc, length);
    put_cancel(u, length);
    if (misses) {
        ete_unit_put_element(u, &(struct ete_element){.kind = ETE_elem_mispredict});
    }
}
