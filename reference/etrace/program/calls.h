/* The return addresses of calls that encoder and decoder know alike (3.2.5). */
#ifndef ASSAY_ETRACE_CALLS_H
#define ASSAY_ETRACE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* The newest ones; when there is no room the oldest goes. */
struct etrace_calls {
    uint64_t *ring;
    uint32_t most;  /* entries; a power of two, or 0: there are none */
    uint32_t limit; /* of the depth; at most as many */
    uint32_t top;   /* where the next one goes */
    uint32_t depth; /* entries in use */
};

/* By the parameters of a stream: a stack, or else a counter. False: out of memory. */
bool etrace_calls_open(struct etrace_calls *calls, const uint64_t *layout);
void etrace_calls_close(struct etrace_calls *calls);
void etrace_calls_push(struct etrace_calls *calls, uint64_t address);

/* The newest one, of at least one: to look at, and to take. */
uint64_t etrace_calls_top(const struct etrace_calls *calls);
uint64_t etrace_calls_pop(struct etrace_calls *calls);

#endif
