#include "etrace/calls.h"

#include <stdlib.h>

bool etrace_calls_open(struct etrace_calls *calls, unsigned size)
{
    *calls = (struct etrace_calls){.most = size > 0 ? 1u << size : 0};
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
        calls->depth += calls->depth < calls->most;
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
