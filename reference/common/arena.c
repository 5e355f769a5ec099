#include "common/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct assay_arena_chunk {
    struct assay_arena_chunk *next;
    size_t size;
    _Alignas(max_align_t) unsigned char data[];
};

/* Chunks grow, so that small arenas, of which there can be thousands, take little. */
enum { CHUNK_FIRST = 1 << 12, CHUNK_MOST = 1 << 16 };

static size_t capacity_for(const struct assay_arena *arena, size_t size)
{
    const size_t twice = arena->chunks != NULL ? 2 * arena->chunks->size : CHUNK_FIRST;
    const size_t capacity = twice < CHUNK_MOST ? twice : CHUNK_MOST;
    return size > capacity ? size : capacity;
}

void *assay_arena_take(struct assay_arena *arena, size_t size)
{
    const size_t align = _Alignof(max_align_t);
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    size = (size + align - 1) / align * align;
    if (arena->chunks == NULL || size > arena->chunks->size - arena->used) {
        const size_t capacity = capacity_for(arena, size);
        struct assay_arena_chunk *chunk = calloc(1, sizeof *chunk + capacity);
        if (chunk == NULL) {
            return NULL;
        }
        chunk->next = arena->chunks;
        chunk->size = capacity;
        arena->chunks = chunk;
        arena->used = 0;
    }
    void *p = arena->chunks->data + arena->used;
    arena->used += size;
    arena->total += size;
    return p;
}

char *assay_arena_text(struct assay_arena *arena, const char *text, size_t length)
{
    char *copy = assay_arena_take(arena, length + 1);
    if (copy != NULL && length > 0) {
        memcpy(copy, text, length);
    }
    return copy;
}

void *assay_arena_grow(struct assay_arena *arena, void *array, size_t count, size_t *capacity,
                       size_t element)
{
    if (count < *capacity) {
        return array;
    }
    /* An array that was not grown here (borrowed, capacity 0) can be longer than the first room. */
    size_t wanted = *capacity == 0 ? 8 : *capacity * 2;
    wanted = wanted > count ? wanted : count * 2;
    void *bigger = assay_arena_take(arena, wanted * element);
    if (bigger != NULL && count > 0) {
        memcpy(bigger, array, count * element);
    }
    if (bigger != NULL) {
        *capacity = wanted;
    }
    return bigger;
}

/* The newest chunk stays the one that is taken from. */
void assay_arena_join(struct assay_arena *arena, struct assay_arena *from)
{
    if (arena->chunks == NULL) {
        arena->chunks = from->chunks;
        arena->used = from->used;
    } else if (from->chunks != NULL) {
        struct assay_arena_chunk *last = from->chunks;
        while (last->next != NULL) {
            last = last->next;
        }
        last->next = arena->chunks->next;
        arena->chunks->next = from->chunks;
    }
    arena->total += from->total;
    *from = (struct assay_arena){0};
}

void assay_arena_free(struct assay_arena *arena)
{
    while (arena->chunks != NULL) {
        struct assay_arena_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
    *arena = (struct assay_arena){0};
}
