/* Loops of the program that leave nothing in a trace. The path can be at an earlier iteration of
 * one than the packet is of: what is said of an iteration then holds for another one. (Iterations
 * that were executed are passed over by execution/silent_loop.h.) */
#include "etrace/interface/block_reader.h"

enum { STEPS_MOST = 1024, CALLS_MOST = 16 };

struct walk {
    const struct etrace_block_reader *r;
    struct etrace_instruction before, at;
    uint64_t next;
    uint64_t calls[CALLS_MOST];
    unsigned depth;
    bool unknown; /* why it ends: where execution goes on depends on what was executed before */
};

/* False: the target of the jump is in the trace, or not known. */
static bool find_target(struct walk *w)
{
    const bool returns = w->at.flow == ETRACE_FLOW_RETURN && w->r->reading.infers_returns;
    if (w->before.size == 0 && w->r->facts.sequential) {
        w->unknown = true;
        return false;
    }
    if (etrace_sequential_target(&w->before, &w->at, &w->r->reading.program, &w->next)) {
        return true;
    }
    w->unknown = returns && w->depth == 0;
    if (!returns || w->depth == 0) {
        return false;
    }
    w->next = w->calls[--w->depth];
    return true;
}

/* False: there is something in the trace, or it is not known. */
static bool find_next(struct walk *w)
{
    const uint64_t after = w->at.pc + w->at.size;
    switch (w->at.flow) {
    case ETRACE_FLOW_NONE:
        w->next = after;
        return w->at.valid;
    case ETRACE_FLOW_JUMP:
        w->next = w->at.target;
        break;
    case ETRACE_FLOW_INDIRECT:
    case ETRACE_FLOW_RETURN:
        if (!find_target(w)) {
            return false;
        }
        break;
    default:
        return false;
    }
    if (w->at.call) {
        w->unknown = w->depth == CALLS_MOST;
        w->calls[w->depth % CALLS_MOST] = after;
        w->depth += !w->unknown;
    }
    return !w->unknown;
}

bool etrace_block_loops(struct etrace_block_reader *r, uint64_t pc)
{
    const struct etrace_reading *reading = &r->reading.program;
    struct walk w = {.r = r, .next = pc};
    for (unsigned n = 0; n < STEPS_MOST; n++) {
        w.before = w.at;
        w.at = etrace_instruction_at(&r->cursor, w.next, reading);
        if (w.at.size == 0 || !find_next(&w)) {
            return w.unknown;
        }
        if (((w.next ^ pc) & reading->mask) == 0) {
            return true;
        }
    }
    return false;
}
