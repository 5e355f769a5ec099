#include "etrace/program/targets.h"

#include <stdlib.h>
#include <string.h>

#include "etrace/etrace.h"

#define EMPTY UINT64_MAX

bool etrace_targets_open(struct etrace_targets *targets, const uint64_t *layout)
{
    *targets = (struct etrace_targets){
        .size = (unsigned)layout[ETRACE_CACHE_SIZE],
        .lsb = layout[ETRACE_IADDRESS_LSB] > 0 ? (unsigned)layout[ETRACE_IADDRESS_LSB] : 1,
        .cached = (enum etrace_cached)layout[ETRACE_CACHED_TARGETS]};
    if (targets->size == 0) {
        return true;
    }
    targets->jumps = malloc(2 * sizeof *targets->jumps << targets->size);
    if (targets->jumps != NULL) {
        targets->xrets = targets->jumps + ((size_t)1 << targets->size);
        etrace_targets_reset(targets);
    }
    return targets->jumps != NULL;
}

void etrace_targets_close(struct etrace_targets *targets)
{
    free(targets->jumps);
}

void etrace_targets_reset(struct etrace_targets *targets)
{
    if (targets->jumps != NULL) {
        memset(targets->jumps, 0xff, 2 * sizeof *targets->jumps << targets->size);
    }
}

uint64_t etrace_targets_index(const struct etrace_targets *targets, uint64_t target)
{
    return target >> targets->lsb & assay_mask(targets->size);
}

bool etrace_targets_has(const struct etrace_targets *targets, uint64_t target)
{
    const uint64_t index = etrace_targets_index(targets, target);
    return targets->jumps != NULL && targets->jumps[index] == target &&
           targets->xrets[index] == target;
}

void etrace_targets_learn(struct etrace_targets *targets, uint64_t target, bool xret)
{
    if (targets->jumps != NULL) {
        const uint64_t index = etrace_targets_index(targets, target);
        targets->xrets[index] = target;
        if (!xret) {
            targets->jumps[index] = target;
        }
    }
}

enum etrace_cache_entry etrace_targets_find(struct etrace_targets *targets, uint64_t index,
                                            uint64_t *target)
{
    if (targets->jumps == NULL) {
        return ETRACE_ENTRY_EMPTY;
    }
    const uint64_t by_jumps = targets->jumps[index];
    const uint64_t by_xrets = targets->xrets[index];
    if (targets->cached == ETRACE_CACHED_UNKNOWN && by_jumps != by_xrets) {
        if (by_jumps != EMPTY) {
            return ETRACE_ENTRY_UNKNOWN;
        }
        targets->cached = ETRACE_CACHED_XRETS;
    }
    *target = targets->cached == ETRACE_CACHED_XRETS ? by_xrets : by_jumps;
    return *target == EMPTY ? ETRACE_ENTRY_EMPTY : ETRACE_ENTRY_FILLED;
}
