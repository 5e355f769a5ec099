/* An arena: memory that is freed all at once. It is meant for data built at start-up (rules,
 * texts), not for events.
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

/* Returns zeroed memory, aligned for any type; null when out of memory. The arena owns it. */
void *assay_arena_take(struct assay_arena *arena, size_t size);

/* Returns a null-terminated copy of `length` bytes; null when out of memory. The arena owns it. */
char *assay_arena_text(struct assay_arena *arena, const char *text, size_t length);

/* What is in `from`, which is empty then, is `arena`'s: it is freed with it. */
void assay_arena_join(struct assay_arena *arena, struct assay_arena *from);

void assay_arena_free(struct assay_arena *arena);

/* Makes room for one more element of an array in the arena: when `count` has reached *capacity, the
 * array is moved to memory of twice the capacity. Returns the array; null when out of memory. */
void *assay_arena_grow(struct assay_arena *arena, void *array, size_t count, size_t *capacity,
                       size_t element);

#endif
