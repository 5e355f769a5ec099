/* The jump target cache that encoder and decoder have alike (3.2.7). */
#ifndef ASSAY_ETRACE_TARGETS_H
#define ASSAY_ETRACE_TARGETS_H

#include <stdbool.h>
#include <stdint.h>

#include "etrace/etrace.h"

enum etrace_cache_entry { ETRACE_ENTRY_EMPTY, ETRACE_ENTRY_FILLED, ETRACE_ENTRY_UNKNOWN };

/* While it is not known whether targets of returns from traps are learnt, the cache is there in
 * both ways. */
struct etrace_targets {
    uint64_t *jumps; /* entries, UINT64_MAX: empty; null: there is no cache */
    uint64_t *xrets; /* those of a cache that learns targets of returns from traps */
    unsigned size;   /* logarithm of the number of entries */
    unsigned lsb;    /* lowest bit of addresses that selects one */
    enum etrace_cached cached;
};

/* By parameters. False: out of memory. */
bool etrace_targets_open(struct etrace_targets *targets, const uint64_t *layout);
void etrace_targets_close(struct etrace_targets *targets);

/* As after a synchronisation packet. */
void etrace_targets_reset(struct etrace_targets *targets);

/* The target of a jump, or of a return from a trap (`xret`), was reported. */
void etrace_targets_learn(struct etrace_targets *targets, uint64_t target, bool xret);

uint64_t etrace_targets_index(const struct etrace_targets *targets, uint64_t target);

/* Whether the cache has a target, whether or not those of returns from traps are learnt. */
bool etrace_targets_has(const struct etrace_targets *targets, uint64_t target);

/* The entry that an encoder sends the index of. An entry that only targets of returns from traps
 * have filled says that they are learnt. ETRACE_ENTRY_UNKNOWN: it depends on that, and nothing says
 * it. */
enum etrace_cache_entry etrace_targets_find(struct etrace_targets *targets, uint64_t index,
                                            uint64_t *target);

#endif
