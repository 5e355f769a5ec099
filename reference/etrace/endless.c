#include "etrace/endless.h"

static uint64_t call_at(const struct etrace_calls *calls, uint32_t n)
{
    return calls->ring[(calls->top - 1 - n) & (calls->most - 1)];
}

static bool is_marked(const struct etrace_loop *loop, uint64_t pc, const struct etrace_calls *calls)
{
    bool same = loop->pc == pc && loop->depth == calls->depth;
    for (uint32_t n = 0; same && n < calls->depth; n++) {
        same = loop->ring[n] == call_at(calls, n);
    }
    return same;
}

bool etrace_loop_closes(struct etrace_loop *loop, const struct etrace_calls *calls, uint64_t pc)
{
    if (is_marked(loop, pc, calls)) {
        return true;
    }
    if (++loop->steps == loop->mark_at) {
        loop->mark_at *= 2;
        loop->pc = pc;
        loop->depth = calls->depth;
        for (uint32_t n = 0; n < loop->depth; n++) {
            loop->ring[n] = call_at(calls, n);
        }
    }
    return false;
}
