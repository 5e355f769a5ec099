/* Sets of kinds of events. A set is a value of constant size, so that it can be constant data
 * in emitted catalogues; how many kinds a format can have is one number.
 */
#ifndef ASSAY_COMMON_KINDS_H
#define ASSAY_COMMON_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most kinds of events that a format can have, over all of its layers. ASSAY_CHECK_KINDS in a
 * format's table keeps it below. */
enum { ASSAY_MAX_KINDS = 256, ASSAY_KIND_WORDS = ASSAY_MAX_KINDS / 64 };

_Static_assert(ASSAY_MAX_KINDS % 64 == 0, "a set of kinds is made of whole words");

/* Checks the number of kinds at compile time; to be written after the table of a format's kinds. */
#define ASSAY_CHECK_KINDS(table)                                                                   \
    _Static_assert(sizeof(table) / sizeof((table)[0]) <= ASSAY_MAX_KINDS,                          \
                   "the format has more kinds than a set holds: raise ASSAY_MAX_KINDS")

struct assay_kinds {
    uint64_t words[ASSAY_KIND_WORDS]; /* kind n: bit n % 64 of word n / 64 */
};

/* `kind` is below ASSAY_MAX_KINDS in all of these. */
static inline bool assay_kinds_has(const struct assay_kinds *set, size_t kind)
{
    return (set->words[kind / 64] >> (kind % 64) & 1) != 0;
}

static inline void assay_kinds_add(struct assay_kinds *set, size_t kind)
{
    set->words[kind / 64] |= UINT64_C(1) << (kind % 64);
}

static inline struct assay_kinds assay_kinds_of(size_t kind)
{
    struct assay_kinds set = {{0}};
    assay_kinds_add(&set, kind);
    return set;
}

/* Adds the kinds of another set (union). */
static inline void assay_kinds_join(struct assay_kinds *set, const struct assay_kinds *other)
{
    for (size_t i = 0; i < ASSAY_KIND_WORDS; i++) {
        set->words[i] |= other->words[i];
    }
}

static inline bool assay_kinds_empty(const struct assay_kinds *set)
{
    uint64_t any = 0;
    for (size_t i = 0; i < ASSAY_KIND_WORDS; i++) {
        any |= set->words[i];
    }
    return any == 0;
}

static inline bool assay_kinds_meet(const struct assay_kinds *a, const struct assay_kinds *b)
{
    uint64_t any = 0;
    for (size_t i = 0; i < ASSAY_KIND_WORDS; i++) {
        any |= a->words[i] & b->words[i];
    }
    return any != 0;
}

/* The lowest kind of the set that is not below `from`; ASSAY_MAX_KINDS if there is none. */
static inline unsigned assay_kinds_next(const struct assay_kinds *set, unsigned from)
{
    while (from < ASSAY_MAX_KINDS && !assay_kinds_has(set, from)) {
        from++;
    }
    return from;
}

/* The highest kind of a set that is not empty. */
static inline unsigned assay_kinds_last(const struct assay_kinds *set)
{
    unsigned kind = ASSAY_MAX_KINDS - 1;
    while (kind > 0 && !assay_kinds_has(set, kind)) {
        kind--;
    }
    return kind;
}

#endif
