/* The return stack of an analyzer (K10.5.5.3). Inline, as it is on the path of each branch. */
#ifndef ASSAY_ETE_STACK_H
#define ASSAY_ETE_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "ete/program.h"

enum { ETE_STACK = 15 }; /* entries of the return stack (RXSVZC) */

struct ete_stack {
    struct ete_position place[ETE_STACK]; /* a ring */
    unsigned top;                         /* of it: the entry that the next push fills */
    unsigned entries;
    unsigned recent; /* those pushed since the last Trace Info or Trace On element */
    /* Branches were executed that were not followed: where there were calls, the trace unit has
     * their entries above those that are here, but for those pushed since. */
    bool doubted;
    unsigned sure; /* those pushed since */
    bool enabled;  /* TRCCONFIGR.RS */
};

/* A return address. The oldest entry is lost where there are more than ETE_STACK. */
static inline void ete_stack_push(struct ete_stack *s, struct ete_position place)
{
    s->place[s->top] = place;
    s->top = (s->top + 1) % ETE_STACK;
    s->entries += s->entries < ETE_STACK;
    s->recent += s->recent < ETE_STACK;
    s->sure += s->sure < ETE_STACK;
    s->doubted = s->doubted && s->sure < ETE_STACK;
}

/* The entry that was pushed last, of a stack that has entries; the second removes it. */
static inline const struct ete_position *ete_stack_top(const struct ete_stack *s)
{
    return &s->place[(s->top + ETE_STACK - 1) % ETE_STACK];
}

static inline struct ete_position ete_stack_pop(struct ete_stack *s)
{
    s->top = (s->top + ETE_STACK - 1) % ETE_STACK;
    s->entries--;
    s->recent -= s->recent > 0;
    s->sure -= s->sure > 0;
    return s->place[s->top];
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
