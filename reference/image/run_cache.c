#include "image/run_cache.h"

#include <stdlib.h>
#include <string.h>

enum { VALUE_ALIGNMENT = 16 };

_Static_assert(sizeof(struct assay_run_slot) * ASSAY_RUN_WAYS == ASSAY_CACHE_LINE,
               "a window is one line of the processor's cache");

enum assay_error assay_run_cache_open(struct assay_run_cache *cache, size_t entries,
                                      size_t value_size)
{
    *cache = (struct assay_run_cache){0};
    if (entries == 0 || entries > ASSAY_RUN_ENTRIES_MAX || value_size == 0 ||
        value_size > ASSAY_RUN_VALUE_MAX) {
        return ASSAY_OUT_OF_RANGE;
    }
    cache->windows = 1;
    cache->shift = 64;
    while (cache->windows * ASSAY_RUN_WAYS < entries) {
        cache->windows *= 2;
        cache->shift--;
    }
    cache->value_size = (value_size + VALUE_ALIGNMENT - 1) / VALUE_ALIGNMENT * VALUE_ALIGNMENT;
    const size_t slots = cache->windows * ASSAY_RUN_WAYS;
    cache->hands = calloc(cache->windows, 1);
    if (!assay_table_open(&cache->slots_memory, slots * sizeof *cache->slots, true) ||
        !assay_table_open(&cache->values_memory, slots * cache->value_size, false) ||
        cache->hands == NULL) {
        assay_run_cache_close(cache);
        return ASSAY_NO_MEMORY;
    }
    cache->slots = cache->slots_memory.at;
    cache->values = cache->values_memory.at;
    return ASSAY_OK;
}

void assay_run_cache_close(struct assay_run_cache *cache)
{
    assay_table_close(&cache->slots_memory);
    assay_table_close(&cache->values_memory);
    free(cache->hands);
    *cache = (struct assay_run_cache){0};
}

void assay_run_cache_clear(struct assay_run_cache *cache)
{
    memset(cache->slots, 0, cache->windows * ASSAY_RUN_WAYS * sizeof *cache->slots);
    memset(cache->hands, 0, cache->windows);
    cache->puts = 0;
    cache->evictions = 0;
}

/* The slot of a window that is given to a new key. */
static size_t choose(struct assay_run_cache *cache, size_t window)
{
    struct assay_run_slot *slots = &cache->slots[window * ASSAY_RUN_WAYS];
    for (size_t i = 0; i < ASSAY_RUN_WAYS; i++) {
        if (slots[i].used == 0) {
            return i;
        }
    }
    /* Ends after one round at the latest, as the marks are taken off on the way. */
    size_t hand = cache->hands[window];
    while (slots[hand].found != 0) {
        slots[hand].found = 0;
        hand = (hand + 1) % ASSAY_RUN_WAYS;
    }
    cache->hands[window] = (uint8_t)((hand + 1) % ASSAY_RUN_WAYS);
    cache->evictions++;
    return hand;
}

void *assay_run_cache_put(struct assay_run_cache *cache, uint32_t space, uint64_t address,
                          uint16_t mode)
{
    void *there = assay_run_cache_find(cache, space, address, mode);
    if (there != NULL) {
        return there;
    }
    const size_t window = assay_run_window(cache, space, address, mode);
    const size_t number = window * ASSAY_RUN_WAYS + choose(cache, window);
    cache->slots[number] =
        (struct assay_run_slot){.address = address, .space = space, .mode = mode, .used = 1};
    cache->puts++;
    return cache->values + number * cache->value_size;
}
