/* Both back ends on long streams: the events of all vectors of a format, put together by chance,
 * block after block. Emitted checks look at the rows of a block together, and pass over those that
 * no row concerns; what they find must be what the evaluator finds, which takes one event after the
 * other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/tests/random.h"
#include "common/tests/turn.h"
#include "validator/engine/compiled.h"
#include "validator/tests/vector_runner.h"

enum { STREAMS = 150, MOST_EVENTS = 6000, MOST_AT_ONCE = 2500 };

/* The recorded vectors of a format. */
struct pool {
    const struct assay_catalogue *catalogue;
    struct recorded *list;
    size_t count;
};

static struct ready_corpus corpus;

static struct pool make_pool(const struct assay_format *format)
{
    struct pool pool = {.catalogue = assay_catalogue_of(format)};
    pool.list = calloc(corpus.count, sizeof *pool.list);
    assert_non_null(pool.list);
    for (size_t i = 0; i < corpus.count; i++) {
        if (corpus.list[i].vector.format == format &&
            corpus.list[i].vector.expectation != ASSAY_EXPECT_REFUSES) {
            record_vector(&pool.list[pool.count++], &corpus.list[i]);
        }
    }
    return pool;
}

static void free_pool(struct pool *pool)
{
    for (size_t i = 0; i < pool->count; i++) {
        free_recorded(&pool->list[i]);
    }
    free(pool->list);
}

/* Parts of vectors, and single events again and again, so that blocks are of one sort as well as of
 * many. */
static size_t make_stream(const struct pool *pool, uint64_t *seed, struct assay_event *stream)
{
    const size_t wanted = 1 + random_below(seed, MOST_EVENTS);
    size_t count = 0;
    while (count < wanted) {
        const struct recorded *from = &pool->list[random_below(seed, pool->count)];
        const size_t begin = random_below(seed, from->count);
        const bool again = random_below(seed, 3) == 0;
        const size_t part = 1 + (again ? random_below(seed, 900) : from->count - begin - 1);
        for (size_t i = 0; i < part && count < wanted; i++) {
            stream[count] = from->events[again ? begin : begin + i];
            stream[count].index = count;
            stream[count].offset = 8 * count;
            count++;
        }
    }
    return count;
}

static struct assay_judge *judge_stream(const struct assay_judge_settings *settings,
                                        const struct assay_event *stream, size_t count,
                                        uint64_t seed)
{
    struct assay_judge *judge = NULL;
    assert_int_equal(assay_judge_open(settings, &judge, NULL), ASSAY_OK);
    for (size_t at = 0, part; at < count; at += part) {
        part = 1 + random_below(&seed, MOST_AT_ONCE);
        part = part < count - at ? part : count - at;
        assert_int_equal(judge_in_layers(judge, settings->catalogue->format, stream + at, part),
                         ASSAY_OK);
    }
    return judge;
}

static void compare_rule(const char *id, const struct assay_rule_result *emitted,
                         const struct assay_rule_result *evaluated)
{
    if (emitted->verdict != evaluated->verdict || emitted->exercised != evaluated->exercised ||
        emitted->violated != evaluated->violated ||
        emitted->finding_count != evaluated->finding_count) {
        fail_msg("%s: exercised %llu, violated %llu; evaluated: %llu, %llu", id,
                 (unsigned long long)emitted->exercised, (unsigned long long)emitted->violated,
                 (unsigned long long)evaluated->exercised, (unsigned long long)evaluated->violated);
    }
    for (size_t i = 0; i < emitted->finding_count; i++) {
        assert_int_equal(emitted->findings[i]->index, evaluated->findings[i]->index);
        assert_string_equal(emitted->findings[i]->message, evaluated->findings[i]->message);
    }
}

static void compare_spread(const struct assay_rule *rule, const struct assay_rule_result *emitted,
                           const struct assay_rule_result *evaluated)
{
    assert_int_equal(emitted->sampled, evaluated->sampled);
    assert_int_equal(emitted->spread == NULL, emitted->violated == 0);
    for (uint16_t i = 0; emitted->spread != NULL && i < rule->evidence_count; i++) {
        assert_int_equal(emitted->spread[i].value, evaluated->spread[i].value);
        assert_int_equal(emitted->spread[i].varies, evaluated->spread[i].varies);
    }
}

/* Rules that could be checked on streams, and those of them that were exercised. */
struct share {
    unsigned checkable, exercised;
};

static void compare_stream(const struct pool *pool, struct assay_event *stream, uint64_t seed,
                           struct share *share)
{
    const struct recorded *like = &pool->list[random_below(&seed, pool->count)];
    struct assay_judge_settings settings = {
        .catalogue = pool->catalogue,
        .facts = &like->vector->vector.facts,
        .readings = like->vector->readings,
        .parameters = like->parameters,
        .given = (uint8_t)(recorded_given(like) |
                           (random_below(&seed, 2) == 0 ? ASSAY_NEED_EXECUTION : 0)),
        .max_findings = 5,
    };
    const size_t count = make_stream(pool, &seed, stream);
    struct assay_judge *emitted = judge_stream(&settings, stream, count, seed);
    settings.evaluate = true;
    struct assay_judge *evaluated = judge_stream(&settings, stream, count, seed + 1);
    for (size_t r = 0; r < pool->catalogue->rule_count; r++) {
        const struct assay_rule_result a = assay_judge_result(emitted, r);
        const struct assay_rule_result b = assay_judge_result(evaluated, r);
        compare_rule(pool->catalogue->rules[r].id, &a, &b);
        compare_spread(&pool->catalogue->rules[r], &a, &b);
        share->checkable += a.verdict != ASSAY_NOT_CHECKABLE && a.verdict != ASSAY_NOT_APPLICABLE;
        share->exercised += a.exercised > 0;
    }
    assert_memory_equal(assay_judge_counts(emitted), assay_judge_counts(evaluated),
                        pool->catalogue->format->kind_count * sizeof(uint64_t));
    assay_judge_close(emitted);
    assay_judge_close(evaluated);
}

static void both_find_the_same_in_long_streams(void **state)
{
    (void)state;
    struct assay_event *stream = calloc(MOST_EVENTS, sizeof *stream);
    assert_non_null(stream);
    for (size_t f = 0; assay_formats[f] != NULL; f++) {
        struct pool pool = make_pool(assay_formats[f]);
        struct share share = {0, 0};
        for (unsigned i = 1; i <= STREAMS; i++) {
            if (is_in_turn(i)) {
                compare_stream(&pool, stream, i * UINT64_C(0x9e3779b97f4a7c15), &share);
            }
        }
        printf("%s: %u of %u rules that could be checked were exercised\n", assay_formats[f]->name,
               share.exercised, share.checkable);
        assert_true(share.exercised > share.checkable / 5);
        free_pool(&pool);
    }
    free(stream);
}

static void a_set_has_the_values_that_were_seen(void **state)
{
    static const unsigned values[] = {0, 1, 7, 8, 62, 63, 64, 100, 191, 192, 254, 255};
    (void)state;
    for (unsigned first = 0; first < sizeof values / sizeof values[0]; first++) {
        uint8_t seen[ASSAY_SET_VALUES] = {0};
        uint64_t set[ASSAY_SET_WORDS];
        for (unsigned i = first; i < sizeof values / sizeof values[0]; i++) {
            seen[values[i]] = 1;
        }
        assay_compiled_set(seen, set);
        for (unsigned value = 0; value < ASSAY_SET_VALUES; value++) {
            assert_int_equal(set[value / 64] >> value % 64 & 1, seen[value]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_has_the_values_that_were_seen),
        cmocka_unit_test(both_find_the_same_in_long_streams),
    };
    corpus = load_corpus(ASSAY_CORPUS);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free_corpus(&corpus);
    return failed;
}
