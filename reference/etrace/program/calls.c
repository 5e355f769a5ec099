#include "etrace/program/calls.h"

#include "etrace/etrace.h"

#include <stdlib.h>

bool etrace_calls_open(struct etrace_calls *calls, const uint64_t *layout)
{
    const bool counts = layout[ETRACE_RETURN_STACK_SIZE] == 0;
    const uint64_t size = layout[counts ? ETRACE_CALL_COUNTER_SIZE : ETRACE_RETURN_STACK_SIZE];
    *calls = (struct etrace_calls){.most = size > 0 ? 1u << size : 0};
    calls->limit = calls->most - (counts && size > 0 && layout[ETRACE_COUNTER_DEPTH] != 0);
    calls->ring = calls->most > 0 ? calloc(calls->most, sizeof *calls->ring) : NULL;
    return calls->most == 0 || calls->ring != NULL;
}

void etrace_calls_close(struct etrace_calls *calls)
{
    free(calls->ring);
}

void etrace_calls_push(struct etrace_calls *calls, uint64_t address)
{
    if (calls->most > 0) {
        calls->ring[calls->top++ & (calls->most - 1)] = address;
        calls->depth += calls->depth < calls->limit;
    }
}

uint64_t etrace_calls_top(const struct etrace_calls *calls)
{
    return calls->ring[(calls->top - 1) & (calls->most - 1)];
}

uint64_t etrace_calls_pop(struct etrace_calls *calls)
{
    calls->depth--;
    return calls->ring[--calls->top & (calls->most - 1)];
}
