/* A run of instructions: what its event says, and where the program goes on after it. Inline, as
 * most of the time of the analysis is spent here. */
#ifndef ASSAY_ETE_RUN_H
#define ASSAY_ETE_RUN_H

#include "ete/analyse.h"

static inline enum arm_set ete_set(const struct ete_analyse *a)
{
    return a->aarch64 ? ARM_A64 : a->at.is1 ? ARM_T32 : ARM_A32;
}

/* Takes the bits away that an address has not in the execution state, if that is known: in AArch32
 * bits 63:32 are zero, whatever the address history had there. */
static inline void ete_mask_position(struct ete_analyse *a)
{
    if (a->has_context) {
        a->at.address &= ete_address_mask(ete_set(a));
    }
}

static inline uint64_t ete_where(const struct ete_analyse *a)
{
    return (uint64_t)ete_set(a) | (uint64_t)a->el << EL_BIT | (uint64_t)a->security << SECURITY_BIT;
}

static inline uint64_t ete_context_ids(const struct ete_analyse *a)
{
    return a->context_id | (uint64_t)a->vmid << 32;
}

/* The moments between which the program is read. */
static inline uint64_t ete_moments(const struct ete_analyse *a)
{
    return a->program.cursor.moments.low | (uint64_t)a->program.cursor.moments.high << 32;
}

/* Where the program goes on after a run. */
static inline void ete_say_computed(uint64_t *cells, enum ete_goes_by by, struct ete_position place)
{
    cells[ETE_RUN_FLAGS] |= (uint64_t)by << GOES_BIT | UINT64_C(1) << COMPUTED_BIT |
                            (uint64_t)place.is1 << COMPUTED_IS1_BIT;
    cells[ETE_RUN_COMPUTED] = place.address;
}

/* Where the walk from where the program is begins. */
static inline struct ete_walk_from ete_from(const struct ete_analyse *a)
{
    return ete_walk_from(&a->program, &a->at, ete_set(a));
}

/* What a run says of its walk from where the program is. */
static inline void ete_fill_run(struct ete_analyse *a, const struct ete_walk *walk, enum ete_by by,
                                uint64_t *cells)
{
    const struct ete_walk_from from = ete_from(a);
    ete_say_walk(&a->program, &from, walk, ete_where(a), ete_context_ids(a), cells);
    cells[ETE_RUN_FLAGS] |= (uint64_t)by << BY_BIT | a->after_system;
    a->after_system = 0;
    cells[ETE_RUN_MOMENTS] = ete_moments(a);
}

/* One of two values, without a branch. */
static inline uint64_t ete_choose(uint64_t first, uint64_t yes, uint64_t no)
{
    return no ^ ((no ^ yes) & (0 - first));
}

/* A run that ends with the walk was taken, or not, as its cells say: where the program is then.
 * Whether a branch was taken changes from run to run, so that where it leads is computed without a
 * branch. */
static inline void ete_go_on(struct ete_analyse *a, const struct ete_walk *walk, uint64_t *cells)
{
    const uint64_t facts = cells[ETE_RUN_FLAGS] & ~ETE_GOES_ON;
    const uint64_t taken = facts >> TAKEN_BIT & 1;
    const uint64_t branches = taken & (walk->p0 == ETE_P0_DIRECT);
    const bool was_is1 = (facts & 3) == ARM_T32;
    const struct ete_position target = ete_target_of(walk);
    cells[ETE_RUN_FLAGS] = facts;
    cells[ETE_RUN_STATED] = 0;
    cells[ETE_RUN_COMPUTED] = 0;
    a->from_stack = (taken & (walk->p0 == ETE_P0_INDIRECT)) != 0;
    a->known = !a->from_stack;
    if (!a->known) {
        return;
    }
    a->at = (struct ete_position){
        .address = ete_choose(branches, target.address, cells[ETE_RUN_END]),
        .is1 = ete_choose(branches, target.is1, was_is1) != 0,
        .covered = (uint8_t)ete_choose(branches, target.covered, walk->covered)};
    ete_say_computed(cells, (enum ete_goes_by)(ETE_GOES_SEQUENCE + branches), a->at);
}

#endif
