/* A run of instructions: what its event says, and where the program goes on after it. Inline, as
 * most of the time of the analysis is spent here. */
#ifndef ASSAY_ETE_RUN_H
#define ASSAY_ETE_RUN_H

#include "ete/analyse.h"
#include "isa/a64_condition.h"

/* What ETE_GOES_ON has in cell 0. */
static const uint64_t ETE_GOES_ON = UINT64_C(0x7f) << GOES_BIT;

/* What tests_flags and flags_left have in the cell of the count. */
static const uint64_t ETE_FLAGS = UINT64_C(0x1ffff) << TESTS_BIT;

static inline enum arm_set ete_set(const struct ete_analyse *a)
{
    return a->aarch64 ? ARM_A64 : a->at.is1 ? ARM_T32 : ARM_A32;
}

static inline uint64_t ete_address_mask(const struct ete_analyse *a)
{
    return a->aarch64 ? UINT64_MAX : UINT32_MAX;
}

/* Takes the bits away that an address has not in the execution state, if that is known: in AArch32
 * bits 63:32 are zero, whatever the address history had there. */
static inline void ete_mask_position(struct ete_analyse *a)
{
    if (a->has_context) {
        a->at.address &= ete_address_mask(a);
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

/* Where the program goes on after a run. */
static inline void ete_say_computed(uint64_t *cells, enum ete_goes_by by, struct ete_position place)
{
    cells[FACTS] |= (uint64_t)by << GOES_BIT | UINT64_C(1) << COMPUTED_BIT |
                    (uint64_t)place.is1 << COMPUTED_IS1_BIT;
    cells[COMPUTED] = place.address;
}

/* The walk from where the program is. */
static inline struct ete_walk_from ete_walk_from(const struct ete_analyse *a)
{
    const enum arm_set set = ete_set(a);
    return (struct ete_walk_from){.pc = a->at.address,
                                  .set = set,
                                  .covered = set == ARM_T32 ? a->at.covered : 0,
                                  .wfx_p0 = a->wfx_p0,
                                  .conditions = a->conditions};
}

/* The key of a walk in the cache besides its address. */
static inline uint16_t ete_walk_key(const struct ete_walk_from *from)
{
    return (uint16_t)(from->set | (unsigned)from->covered << 2);
}

/* The place after a walk from where the program is, and where the direct branch at its end leads.
 */
static inline struct ete_position ete_after(const struct ete_analyse *a,
                                            const struct ete_walk *walk)
{
    return (struct ete_position){.address = (a->at.address + walk->bytes) & ete_address_mask(a),
                                 .is1 = a->at.is1,
                                 .covered = walk->covered};
}

/* Where the last instruction of a walk is. It begins in the page where the walk does. */
static inline uint64_t ete_last_of(const struct ete_walk *walk, uint64_t begin)
{
    return begin + walk->bytes - walk->last_size;
}

static inline struct ete_position ete_target_of(const struct ete_walk *walk)
{
    return (struct ete_position){.address = walk->target, .is1 = walk->target_set == ARM_T32};
}

/* Where the last instruction of a walk is, by address ranges of branch broadcasting. */
static inline enum ete_broadcasts ete_end_broadcasts(const struct ete_analyse *a,
                                                     const struct ete_walk *walk)
{
    const uint64_t last = (a->at.address + walk->bytes - 1) & ete_address_mask(a);
    return ete_broadcasts(&a->broadcast, ete_last_of(walk, a->at.address), last);
}

/* What ViewInst says of the instructions of a walk, by their addresses. */
static inline uint64_t ete_viewed(const struct ete_analyse *a, const struct ete_walk *walk)
{
    const uint64_t at_last = ete_last_of(walk, a->at.address);
    const uint64_t last = (a->at.address + walk->bytes - 1) & ete_address_mask(a);
    if (!a->view.filters && !a->view.has_points) {
        return 0;
    }
    return (uint64_t)ete_view_of(&a->view, a->at.address, at_last, last) << VIEW_BIT |
           (uint64_t)ete_view_points(&a->view, a->at.address, last, ete_set(a) != ARM_T32)
               << POINTS_BIT;
}

/* Whether the last instruction of a walk tests condition flags that the walk did not set. */
static inline bool ete_tests(const struct ete_walk *walk)
{
    return walk->keeps_flags && walk->form == ARM_FORM_BY_FLAGS;
}

/* What is left of the condition flags after a run. Returns what its cell says of it. */
static inline uint64_t ete_leave_flags(struct ete_analyse *a, bool tests, uint16_t before,
                                       uint16_t left)
{
    a->flags = left;
    return (uint64_t)(tests & (before != A64_ALL_FLAGS)) << TESTS_BIT | (uint64_t)left << FLAGS_BIT;
}

/* Whether its branch is taken says of the flags what they can be; of one in a Q none does. */
static inline void ete_say_flags(struct ete_analyse *a, const struct ete_walk *walk,
                                 uint64_t *cells)
{
    const bool says = (cells[FACTS] >> BY_BIT & 3) != ETE_BY_Q && walk->form == ARM_FORM_BY_FLAGS;
    const bool taken = (cells[FACTS] >> TAKEN_BIT & 1) != 0;
    const uint16_t before = walk->keeps_flags ? a->flags_before : A64_ALL_FLAGS;
    const uint16_t left = before & (says ? a64_flags_by(walk->last_word, taken) : A64_ALL_FLAGS);
    cells[COUNT] &= ~ETE_FLAGS;
    cells[COUNT] |= ete_leave_flags(a, says && ete_tests(walk), before, left);
}

/* What a run says of its walk from where the program is, and of where that is. */
static inline void ete_say_walk(const struct ete_analyse *a, const struct ete_walk *walk,
                                uint64_t *cells)
{
    cells[FACTS] = ete_where(a) | walk->facts | (uint64_t)ete_walk_from(a).covered << COVERED_BIT;
    cells[ADDRESS] = a->at.address;
    cells[END] = (a->at.address + walk->bytes) & ete_address_mask(a);
    cells[COUNT] = walk->count | (uint64_t)a->cursor.number << 32;
    cells[CONTEXT] = ete_context_ids(a);
    cells[LAST_WORD] = walk->last;
    cells[ETE_MET] = walk->met;
}

static inline void ete_fill_run(struct ete_analyse *a, const struct ete_walk *walk, enum ete_by by,
                                uint64_t *cells)
{
    const enum ete_broadcasts broadcasts = ete_end_broadcasts(a, walk);
    ete_stack_pass(&a->stack, broadcasts);
    ete_say_walk(a, walk, cells);
    cells[FACTS] |= (uint64_t)by << BY_BIT | a->since | (uint64_t)broadcasts << BROADCAST_BIT |
                    ete_viewed(a, walk);
    a->since = 0;
    cells[LAST_WORD] |= a->counted << COUNTED_BIT;
    a->counted = 0;
    a->flags_before = a->flags;
    ete_say_flags(a, walk, cells);
    cells[MOMENTS] = a->cursor.moments.low | (uint64_t)a->cursor.moments.high << 32;
}

/* What the facts of a run say of its walk, wherever and however it was reached. */
static inline uint64_t ete_facts_of(const struct ete_walk *walk)
{
    return (uint64_t)walk->p0 << LAST_BIT |
           (uint64_t)(walk->conditional && walk->p0 != ETE_P0_NONE) << CONDITIONAL_BIT |
           (uint64_t)(walk->link && walk->p0 != ETE_P0_NONE) << LINK_BIT |
           (uint64_t)walk->last_call << LAST_CALL_BIT;
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
    const uint64_t facts = cells[FACTS] & ~ETE_GOES_ON;
    const uint64_t taken = facts >> TAKEN_BIT & 1;
    const uint64_t branches = taken & (walk->p0 == ETE_P0_DIRECT);
    const bool was_is1 = (facts & 3) == ARM_T32;
    const struct ete_position target = ete_target_of(walk);
    cells[FACTS] = facts;
    cells[STATED] = 0;
    cells[COMPUTED] = 0;
    ete_say_flags(a, walk, cells);
    a->from_stack = (taken & (walk->p0 == ETE_P0_INDIRECT)) != 0;
    a->known = !a->from_stack;
    if (!a->known) {
        return;
    }
    a->at = (struct ete_position){.address = ete_choose(branches, target.address, cells[END]),
                                  .is1 = ete_choose(branches, target.is1, was_is1) != 0,
                                  .covered =
                                      (uint8_t)ete_choose(branches, target.covered, walk->covered)};
    ete_say_computed(cells, (enum ete_goes_by)(ETE_GOES_SEQUENCE + branches), a->at);
}

#endif
