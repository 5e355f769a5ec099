/* Memory whose use beyond its end is the same on every machine: a library that scripts/mutate-c
 * preloads. Memory that is allocated has a pattern in it, and so has as much behind it, at most
 * GUARD_MOST bytes. Who reads there gets the pattern; where it was written to, the program is ended
 * when the memory is given back. The address sanitizer does more, and takes ten times as long where
 * a decoder with its tables is opened for each of thousands of small traces. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PATTERN = 0xa5, GUARD_LEAST = 64, GUARD_MOST = 1 << 16 };

#define MARK UINT64_C(0x6775617264656421)

/* Precedes what is given. Other memory, as of aligned_alloc, has no mark before it. */
struct head {
    uint64_t size, mark;
};

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void __libc_free(void *p);
void *__libc_realloc(void *p, size_t size);

static size_t guard_of(size_t size)
{
    return size < GUARD_LEAST ? GUARD_LEAST : size < GUARD_MOST ? size : GUARD_MOST;
}

static void *guarded(struct head *head, size_t size)
{
    if (head == NULL) {
        return NULL;
    }
    *head = (struct head){.size = size, .mark = MARK};
    memset((char *)(head + 1) + size, PATTERN, guard_of(size));
    return head + 1;
}

static size_t with_guard(size_t size)
{
    return size < SIZE_MAX / 2 ? sizeof(struct head) + size + guard_of(size) : SIZE_MAX / 2;
}

void *malloc(size_t size)
{
    void *p = guarded(__libc_malloc(with_guard(size)), size);
    return p != NULL ? memset(p, PATTERN, size) : NULL;
}

void *calloc(size_t count, size_t size)
{
    size_t all;
    if (__builtin_mul_overflow(count, size, &all)) {
        return NULL;
    }
    return guarded(__libc_calloc(1, with_guard(all)), all);
}

static struct head *head_of(void *p)
{
    struct head *head = (struct head *)p - 1;
    return p != NULL && head->mark == MARK ? head : NULL;
}

void free(void *p)
{
    struct head *head = head_of(p);
    if (head == NULL) {
        __libc_free(p);
        return;
    }
    const unsigned char *guard = (const unsigned char *)p + head->size;
    const size_t size = guard_of(head->size);
    if (guard[0] != PATTERN || memcmp(guard, guard + 1, size - 1) != 0) {
        abort();
    }
    head->mark = 0;
    __libc_free(head);
}

void *realloc(void *p, size_t size)
{
    const struct head *head = head_of(p);
    if (p != NULL && head == NULL) {
        return __libc_realloc(p, size);
    }
    void *other = malloc(size);
    if (other != NULL && p != NULL) {
        memcpy(other, p, head->size < size ? head->size : size);
        free(p);
    }
    return other;
}
