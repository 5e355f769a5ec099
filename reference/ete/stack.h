/* The return stack of an analyzer (K10.5.5.3). Inline, as it is on the path of each branch. */
#ifndef ASSAY_ETE_STACK_H
#define ASSAY_ETE_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "ete/program.h"

enum { ETE_STACK = 15 }; /* entries of the return stack (RXSVZC) */

/* Return addresses, of which the oldest one is lost where there are more than ETE_STACK. */
struct ete_return_addresses {
    struct ete_position place[ETE_STACK]; /* a ring */
    unsigned top;                         /* of it: the entry that the next push fills */
    unsigned entries;
};

static inline void ete_push_address(struct ete_return_addresses *r, struct ete_position place)
{
    r->place[r->top] = place;
    r->top = (r->top + 1) % ETE_STACK;
    r->entries += r->entries < ETE_STACK;
}

/* The one that was pushed last, where there is one; the second removes it. */
static inline const struct ete_position *ete_last_address(const struct ete_return_addresses *r)
{
    return &r->place[(r->top + ETE_STACK - 1) % ETE_STACK];
}

static inline struct ete_position ete_pop_address(struct ete_return_addresses *r)
{
    r->top = (r->top + ETE_STACK - 1) % ETE_STACK;
    r->entries--;
    return r->place[r->top];
}

struct ete_stack {
    struct ete_return_addresses addresses;
    unsigned recent; /* those pushed since the last Trace Info or Trace On element */
    /* Branches were executed that were not followed: where there were calls, the trace unit has
     * their entries above those that are here, but for those pushed since. */
    bool doubted;
    unsigned sure; /* those pushed since */
    bool enabled;  /* TRCCONFIGR.RS */
};

static inline void ete_stack_push(struct ete_stack *s, struct ete_position place)
{
    ete_push_address(&s->addresses, place);
    s->recent += s->recent < ETE_STACK;
    s->sure += s->sure < ETE_STACK;
    s->doubted = s->doubted && s->sure < ETE_STACK;
}

/* Of a stack that has entries. */
static inline struct ete_position ete_stack_pop(struct ete_stack *s)
{
    s->recent -= s->recent > 0;
    s->sure -= s->sure > 0;
    return ete_pop_address(&s->addresses);
}

/* Branches were executed that were not followed. */
static inline void ete_stack_doubt(struct ete_stack *s)
{
    s->doubted = true;
    s->sure = 0;
}

/* Whether the trace unit's entry on top can be another one than the one here. */
static inline bool ete_stack_is_doubtful(const struct ete_stack *s)
{
    return s->doubted && s->sure == 0;
}

#endif
