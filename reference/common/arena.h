/* Memory that is given back all at once: for what is built at start-up (rules, texts). Not for
 * events.
 */
#ifndef ASSAY_COMMON_ARENA_H
#define ASSAY_COMMON_ARENA_H

#include <stddef.h>

struct assay_arena_chunk;

struct assay_arena {
    struct assay_arena_chunk *chunks; /* owned; zero-initialise the struct to begin */
    size_t used;                      /* in the newest chunk */
    size_t total;
};

/* Zeroed memory, aligned for any type; null when memory is out. */
void *assay_arena_take(struct assay_arena *arena, size_t size);

/* A terminated copy of `length` bytes; null when memory is out. */
char *assay_arena_text(struct assay_arena *arena, const char *text, size_t length);

void assay_arena_free(struct assay_arena *arena);

/* Makes room for one more element in an arena-backed array: when *count has reached *capacity, the
 * array moves to twice the room. Null when memory is out. */
void *assay_arena_grow(struct assay_arena *arena, void *array, size_t count, size_t *capacity,
                       size_t element);

#endif
