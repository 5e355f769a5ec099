/* Streams of events of the toy format, and rules that judge them. */
#ifndef ASSAY_VALIDATOR_TESTS_JUDGE_SUPPORT_H
#define ASSAY_VALIDATOR_TESTS_JUDGE_SUPPORT_H

#include "validator/tests/toy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validator/engine/judge.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

enum { MOST = 5000 };

/* A stream of events. */
struct stream {
    struct toy_event memory[MOST];
    struct assay_event events[MOST];
    size_t count;
    uint64_t layer_count[2];
};

static inline struct assay_event *add(struct stream *s, unsigned kind, uint64_t n)
{
    const size_t at = s->count++;
    assert_true(at < MOST);
    s->events[at] = toy_event(&s->memory[at], kind);
    s->events[at].offset = 8 * at;
    s->events[at].index = s->layer_count[toy_format.kinds[kind].layer]++;
    if (kind >= TOY_ITEM) {
        toy_set(&s->memory[at], kind, "n", n);
    }
    return &s->events[at];
}

static inline struct stream *new_stream(void)
{
    struct stream *s = calloc(1, sizeof *s);
    assert_non_null(s);
    return s;
}

/* Rules, loaded and judging. */
struct bench {
    struct assay_loaded *loaded;
    const struct assay_catalogue *catalogue;
    struct assay_judge *judge;
};

static inline struct bench open_bench(const char *rules, struct assay_judge_settings settings)
{
    struct bench b = {0};
    struct assay_diag diag;
    const char *const texts[] = {rules};
    if (toy_load(texts, 1, NULL, &b.loaded, &diag) != ASSAY_OK) {
        fail_msg("%u:%u: %s", diag.line, diag.column, diag.message);
    }
    b.catalogue = assay_loaded_catalogue(b.loaded);
    settings.catalogue = b.catalogue;
    assert_int_equal(assay_judge_open(&settings, &b.judge, &diag), ASSAY_OK);
    assert_ptr_equal(assay_judge_catalogue(b.judge), b.catalogue);
    return b;
}

static inline unsigned layer_of(const struct stream *s, size_t at)
{
    return toy_format.kinds[s->events[at].kind].layer;
}

/* Blocks of at most so many events, each of one layer. */
static inline void feed(struct bench *b, const struct stream *s, size_t block)
{
    size_t n = 0;
    for (size_t at = 0; at < s->count; at += n) {
        for (n = 1; n < block && at + n < s->count && layer_of(s, at + n) == layer_of(s, at); n++) {
        }
        /* A copy that is gone afterwards: events need not stay. */
        struct assay_event *copy = malloc(n * sizeof *copy);
        assert_non_null(copy);
        memcpy(copy, &s->events[at], n * sizeof *copy);
        assert_int_equal(assay_judge_events(b->judge, copy, n), ASSAY_OK);
        free(copy);
    }
}

static inline void close_bench(struct bench *b)
{
    assay_judge_close(b->judge);
    assay_catalogue_free(b->loaded);
}

#define SAY(on, say)                                                                               \
    "rules:\n  - {id: T-1, title: t, clauses: [T-1], level: must, on: " on                         \
    ", require: 'false', say: '" say "'}\n"

#endif
