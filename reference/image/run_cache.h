/* A cache of decoded parts of the program: usually a run of instructions up to the next branch,
 * looked up by the address of its first one. A program image never changes once it is sealed, so
 * that entries never become stale; where its memory changes in time, a value also says in which
 * span it holds (struct assay_image_span).
 *
 * Open addressing with a fixed window: a key can be in one of the ASSAY_RUN_WAYS slots of its
 * window only, which lie in one cache line. Eviction: an empty slot of the window is taken first;
 * else the first one, from a hand that goes round, that was not found since the hand passed it last
 * (second chance). When all were found since then, their marks are cleared and the one at the hand
 * is evicted. So a new value always stays until the next put, and a value stays while it is used
 * more often than its neighbours. The contents depend only on the sequence of calls.
 *
 * One thread. Nothing is allocated after opening.
 */
#ifndef ASSAY_IMAGE_RUN_CACHE_H
#define ASSAY_IMAGE_RUN_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/table.h"

enum { ASSAY_RUN_WAYS = 4 };

/* The most that a cache may have. */
#define ASSAY_RUN_ENTRIES_MAX ((size_t)1 << 24)
#define ASSAY_RUN_VALUE_MAX   ((size_t)1 << 16)

/* A slot's key. Private. */
struct assay_run_slot {
    uint64_t address;
    uint32_t space;
    uint16_t mode;
    uint8_t used;  /* 0: empty */
    uint8_t found; /* since the hand passed */
};

/* Private, except for the counts. */
struct assay_run_cache {
    struct assay_run_slot *slots;                   /* ASSAY_RUN_WAYS for each window */
    uint8_t *values;                                /* value_size bytes for each slot */
    struct assay_table slots_memory, values_memory; /* in which they are */
    uint8_t *hands;                                 /* of each window */
    size_t value_size;                              /* a multiple of 16 */
    size_t windows;                                 /* a power of two */
    unsigned shift;                                 /* 64 less the logarithm of `windows` */
    uint64_t puts, evictions;                       /* since opening or clearing, for statistics */
};

/* A cache of at least `entries` values (rounded up to a power of two, at least ASSAY_RUN_WAYS), of
 * value_size bytes each. ASSAY_OUT_OF_RANGE: one of the two is 0 or above its limit;
 * ASSAY_NO_MEMORY. */
enum assay_error assay_run_cache_open(struct assay_run_cache *cache, size_t entries,
                                      size_t value_size);

/* Frees what the cache owns; one that is zero-initialised or was closed already is allowed. */
void assay_run_cache_close(struct assay_run_cache *cache);

/* Empties the cache. */
void assay_run_cache_clear(struct assay_run_cache *cache);

/* The window of a key. Private. */
static inline size_t assay_run_window(const struct assay_run_cache *cache, uint32_t space,
                                      uint64_t address, unsigned mode)
{
    /* One multiplication would put addresses at some even distances into few windows. */
    uint64_t key = address ^ ((uint64_t)space << 40) ^ ((uint64_t)mode << 32);
    key *= UINT64_C(0x9e3779b97f4a7c15);
    key = (key ^ key >> 32) * UINT64_C(0xd6e8feb86659fd93);
    /* A shift by 64 is not defined, and a cache of one window has none to choose from. */
    return (size_t)(key >> 1 >> (cache->shift - 1));
}

/* The value of a key, aligned to 16 bytes and valid until the next put; null when it is not there.
 * `space` is a number from assay_image_select, `mode` what else changes how bytes are decoded (the
 * instruction set), as the format likes. */
static inline void *assay_run_cache_find(struct assay_run_cache *cache, uint32_t space,
                                         uint64_t address, uint16_t mode)
{
    const size_t first = assay_run_window(cache, space, address, mode) * ASSAY_RUN_WAYS;
    for (size_t i = first; i < first + ASSAY_RUN_WAYS; i++) {
        struct assay_run_slot *slot = &cache->slots[i];
        if (slot->address == address && slot->space == space && slot->mode == mode &&
            slot->used != 0) {
            slot->found = 1;
            return cache->values + i * cache->value_size;
        }
    }
    return NULL;
}

/* Room for the value of a key: the value that is there, or a slot whose contents are undefined and
 * which the caller fills. Never null. */
void *assay_run_cache_put(struct assay_run_cache *cache, uint32_t space, uint64_t address,
                          uint16_t mode);

#endif
