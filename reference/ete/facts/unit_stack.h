/* What a trace unit's return stack can have (K10.5.5.3), by the calls and returns that were
 * followed. The analyzer's own (ete/stack.h) has what the elements say; here it is whether the
 * trace unit can have given up an entry, and whether it must have one. Inline, as it is on the path
 * of each run. */
#ifndef ASSAY_ETE_UNIT_STACK_H
#define ASSAY_ETE_UNIT_STACK_H

#include "ete/facts/broadcast.h"
#include "ete/stack.h"

struct ete_unit_stack {
    struct ete_return_addresses addresses;
    /* At the most those that the trace unit still has: it discards all of them where it enters a
     * region in which branches are broadcast. ETE_STACK: not known. */
    unsigned kept;
    bool outside; /* the latest instruction is certainly not in such a region */
    /* Those pushed since the trace unit may have pushed one that is not here. Where they are
     * ETE_STACK, or the session began meanwhile, each entry that it has is one of these: `whole`.
     */
    unsigned followed;
    bool whole;
    bool enabled; /* TRCCONFIGR.RS */
};

/* The program went on to an instruction, where branches are broadcast or not. Its own return
 * address is pushed after this. */
static inline void ete_unit_stack_pass(struct ete_unit_stack *s, enum ete_broadcasts where)
{
    if (where == ETE_BROADCASTS && s->outside) {
        s->kept = 0;
    }
    s->outside = where == ETE_BROADCASTS_NOT;
}

static inline void ete_unit_stack_push(struct ete_unit_stack *s, struct ete_position place)
{
    ete_push_address(&s->addresses, place);
    s->kept += s->kept < ETE_STACK;
    s->followed += s->followed < ETE_STACK;
    s->whole = s->whole || s->followed == ETE_STACK;
}

/* The program went where the entry on top says. */
static inline void ete_unit_stack_pop(struct ete_unit_stack *s)
{
    if (s->addresses.entries > 0) {
        (void)ete_pop_address(&s->addresses);
        s->kept -= s->kept > 0;
        s->followed -= s->followed > 0;
    }
}

/* Whether the entry on top is a place. */
static inline bool ete_unit_stack_leads_to(const struct ete_unit_stack *s, uint64_t address,
                                           bool is1)
{
    const struct ete_position *top = ete_last_address(&s->addresses);
    return s->enabled && s->addresses.entries > 0 && top->address == address && top->is1 == is1;
}

/* The trace unit may have traced a call that was not followed; and where that is, its entries are
 * not known any more. */
static inline void ete_unit_stack_miss(struct ete_unit_stack *s)
{
    s->followed = 0;
    s->whole = false;
}

#endif
