/* A mispredicted return is named by the depth of the stack alone (6.6.3). */
#include "etrace/facts/state.h"

enum { MOST_STEPS = 4096, MOST_CALLS = 64 };

/* The program as it goes on if the return was predicted rightly. */
struct ahead {
    const struct etrace_calls *calls;
    uint32_t used;             /* of the newest entries of `calls` */
    uint64_t made[MOST_CALLS]; /* return addresses of calls ahead */
    uint32_t count;
};

static uint32_t depth_of(const struct ahead *a)
{
    return a->calls->depth - a->used + a->count;
}

static uint64_t pop(struct ahead *a)
{
    if (a->count > 0) {
        return a->made[--a->count];
    }
    return a->calls->ring[(a->calls->top - 1 - a->used++) & (a->calls->most - 1)];
}

/* Where an instruction leads if nothing is to be reported for that, and no outcome is needed. */
static bool go_on(struct etrace_facts *f, struct ahead *a, const struct etrace_instruction *before,
                  const struct etrace_instruction *i, uint64_t *next)
{
    const uint64_t after = i->pc + i->size;
    const bool sequential =
        f->layout[ETRACE_SIJUMP] != 0 && etrace_sequential_target(before, i, &f->reading, next);
    if (i->flow == ETRACE_FLOW_JUMP) {
        *next = i->target;
    } else if (i->flow == ETRACE_FLOW_RETURN && !sequential && depth_of(a) > 0) {
        *next = pop(a);
    } else if (i->flow == ETRACE_FLOW_NONE) {
        *next = after;
    } else if (!sequential) {
        return false;
    }
    if (i->call) {
        if (a->count == MOST_CALLS || depth_of(a) >= a->calls->limit) {
            return false;
        }
        a->made[a->count++] = after;
    }
    return true;
}

unsigned etrace_between_returns(struct etrace_facts *f)
{
    struct ahead a = {.calls = &f->calls};
    struct etrace_instruction before = {.size = 0};
    const uint32_t depth = f->calls.depth;
    uint64_t pc = pop(&a);
    for (unsigned n = 0; n < MOST_STEPS; n++) {
        const struct etrace_instruction i = etrace_instruction_at(&f->cursor, pc, &f->reading);
        if (i.size == 0) {
            return 0;
        }
        if (i.flow == ETRACE_FLOW_RETURN && depth_of(&a) == depth) {
            return n + 1;
        }
        if (!go_on(f, &a, &before, &i, &pc)) {
            return 0;
        }
        before = i;
    }
    return 0;
}
