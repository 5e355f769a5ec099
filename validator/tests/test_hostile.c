/* Damaged and random input: always a verdict, the same one from both back ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tests/random.h"
#include "common/tests/turn.h"
#include "validator/tests/vector_runner.h"

enum { MUTATIONS = 2000, RECORD = 32 };

static struct ready_corpus corpus;

static int open_corpus(void **state)
{
    (void)state;
    corpus = load_corpus(ASSAY_CORPUS);
    return corpus.count > 0 ? 0 : -1;
}

static int close_corpus(void **state)
{
    (void)state;
    free_corpus(&corpus);
    return 0;
}

/* --- what has to hold of a result --- */

static void assert_sound(const struct assay_results *results, bool may_be_unreadable)
{
    assert_int_equal(results->input_count, 1);
    const struct assay_input_result *input = &results->inputs[0];
    bool violated = false;
    bool judged = input->bytes > 0;
    uint64_t exercised = 0;
    assert_int_equal(results->conclusion, input->conclusion);
    if (input->conclusion == ASSAY_UNREADABLE) {
        assert_true(may_be_unreadable);
        assert_true(input->diag.message[0] != '\0');
        return;
    }
    assert_int_equal(input->streams[0].events[ASSAY_KIND_END], 1);
    for (size_t i = 0; i < input->stream_count; i++) {
        judged = judged && input->streams[i].complete && input->streams[i].exercised > 0;
    }
    for (size_t r = 0; r < results->rule_count; r++) {
        const struct assay_rule_total *total = &results->rules[r];
        violated = violated || (total->violated > 0 && !total->rule->diagnosis);
        exercised += total->rule->diagnosis ? 0 : total->exercised;
        assert_true(total->violated <= total->exercised);
        assert_int_equal(total->verdict == ASSAY_FAIL || total->verdict == ASSAY_RECOGNISED,
                         total->violated > 0);
        assert_int_equal(total->finding_count, total->violated < 1000 ? total->violated : 1000);
        for (size_t i = 0; i < total->finding_count; i++) {
            assert_true(total->findings[i].finding->message[0] != '\0');
        }
    }
    assert_int_equal(input->exercised, exercised);
    assert_int_equal(input->conclusion, violated ? ASSAY_VIOLATES
                                        : judged ? ASSAY_CONFORMS
                                                 : ASSAY_INCOMPLETE);
}

static void assert_same(const struct assay_results *a, const struct assay_results *b)
{
    assert_int_equal(a->conclusion, b->conclusion);
    for (size_t r = 0; r < a->rule_count; r++) {
        const struct assay_rule_total *x = &a->rules[r];
        const struct assay_rule_total *y = &b->rules[r];
        assert_int_equal(x->verdict, y->verdict);
        assert_int_equal(x->exercised, y->exercised);
        assert_int_equal(x->violated, y->violated);
        for (size_t i = 0; i < x->finding_count; i++) {
            const struct assay_finding *f = x->findings[i].finding;
            const struct assay_finding *g = y->findings[i].finding;
            assert_int_equal(f->offset, g->offset);
            assert_string_equal(f->message, g->message);
            assert_memory_equal(f->values, g->values,
                                f->rule->evidence_count * sizeof f->values[0]);
        }
    }
}

/* A capture with its streams. */
static void run_any(struct vector_run *run, const struct ready_vector *vector, bool evaluate)
{
    if (vector->vector.stream_count > 0) {
        run_capture(run, vector, evaluate);
    } else {
        run_vector(run, vector, assay_catalogue_of(vector->vector.format), evaluate);
    }
}

/* What is being tried; empty when it went well. */
static char trial[256];

static int tell_of_trial(void **state)
{
    (void)state;
    if (trial[0] != '\0') {
        print_error("%s; test-hostile tries the same again\n", trial);
    }
    trial[0] = '\0';
    return 0;
}

static void judge_both_ways(const struct ready_vector *vector)
{
    struct vector_run compiled;
    struct vector_run evaluated;
    const bool executed = vector->vector.execution != NULL;
    run_any(&compiled, vector, false);
    run_any(&evaluated, vector, true);
    assert_sound(compiled.results, executed);
    assert_sound(evaluated.results, executed);
    assert_same(compiled.results, evaluated.results);
    end_run(&compiled);
    end_run(&evaluated);
    trial[0] = '\0';
}

/* --- mutations --- */

struct bytes {
    uint8_t *data;
    size_t size;
};

static struct bytes copy_of(const struct assay_sink *sink)
{
    struct bytes bytes = {.data = malloc(2 * sink->size + RECORD), .size = sink->size};
    assert_non_null(bytes.data);
    if (sink->size > 0) {
        memcpy(bytes.data, sink->data, sink->size);
    }
    return bytes;
}

static void change_byte(struct bytes *bytes, uint64_t *seed)
{
    const size_t at = (size_t)random_below(seed, bytes->size);
    if (random_below(seed, 2) == 0) {
        bytes->data[at] ^= (uint8_t)(1u << random_below(seed, 8));
    } else {
        bytes->data[at] = (uint8_t)random_value(seed, 8);
    }
}

static void drop_record(struct bytes *bytes, uint64_t *seed)
{
    const size_t at = (size_t)random_below(seed, bytes->size / RECORD) * RECORD;
    memmove(bytes->data + at, bytes->data + at + RECORD, bytes->size - at - RECORD);
    bytes->size -= RECORD;
}

static void repeat_record(struct bytes *bytes, uint64_t *seed)
{
    const size_t at = (size_t)random_below(seed, bytes->size / RECORD) * RECORD;
    memmove(bytes->data + at + RECORD, bytes->data + at, bytes->size - at);
    bytes->size += RECORD;
}

static void swap_records(struct bytes *bytes, uint64_t *seed)
{
    const size_t a = (size_t)random_below(seed, bytes->size / RECORD) * RECORD;
    const size_t b = (size_t)random_below(seed, bytes->size / RECORD) * RECORD;
    uint8_t record[RECORD];
    memcpy(record, bytes->data + a, RECORD);
    memmove(bytes->data + a, bytes->data + b, RECORD);
    memcpy(bytes->data + b, record, RECORD);
}

static void change_type(struct bytes *bytes, uint64_t *seed)
{
    static const uint8_t types[] = {0x41, 0x08, 0x01, 0x07, 0x05, 0x43, 0x44, 0x45, 0x00, 0xff};
    const size_t at = (size_t)random_below(seed, bytes->size / RECORD) * RECORD;
    bytes->data[at] = types[random_below(seed, sizeof types)];
}

static void mutate(struct bytes *bytes, uint64_t *seed)
{
    const uint64_t rounds = 1 + random_below(seed, 6);
    for (uint64_t i = 0; i < rounds && bytes->size > 0; i++) {
        const bool records = bytes->size >= RECORD;
        switch (random_below(seed, 8)) {
        case 0:
            bytes->size = (size_t)random_below(seed, bytes->size + 1);
            break;
        case 1:
            if (records) {
                drop_record(bytes, seed);
            }
            break;
        case 2:
            if (records && i == 0) { /* there is room for one */
                repeat_record(bytes, seed);
            }
            break;
        case 3:
            if (records) {
                swap_records(bytes, seed);
            }
            break;
        case 4:
            if (records) {
                change_type(bytes, seed);
            }
            break;
        default:
            change_byte(bytes, seed);
        }
    }
}

static void a_mutated_vector_gets_a_verdict_and_the_same_from_both_back_ends(void **state)
{
    (void)state;
    for (unsigned i = 0; i < MUTATIONS; i++) {
        uint64_t seed = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
        if (!is_in_turn(i)) {
            continue;
        }
        struct ready_vector mutant = corpus.list[random_below(&seed, corpus.count)];
        struct bytes bytes = copy_of(&mutant.bytes);
        struct bytes execution = copy_of(&mutant.execution);
        mutate(&bytes, &seed);
        if (random_below(&seed, 3) == 0) {
            mutate(&execution, &seed);
        }
        mutant.bytes.data = bytes.data;
        mutant.bytes.size = bytes.size;
        mutant.execution.data = execution.data;
        mutant.execution.size = execution.size;
        snprintf(trial, sizeof trial, "mutation %u, of %s", i, mutant.name);
        judge_both_ways(&mutant);
        free(bytes.data);
        free(execution.data);
    }
}

/* --- noise --- */

static struct ready_vector first_vector(void)
{
    struct ready_vector vector = corpus.list[0];
    vector.vector.execution = NULL;
    return vector;
}

static void random_bytes_get_a_verdict(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 1000, 32768, 32769, 100000};
    uint64_t seed = 52;
    struct ready_vector vector = first_vector();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (unsigned round = 0; round < 8; round++) {
            uint8_t *data = malloc(sizes[i] + 1);
            assert_non_null(data);
            random_fill(&seed, data, sizes[i]);
            vector.bytes.data = data;
            vector.bytes.size = sizes[i];
            snprintf(trial, sizeof trial, "seed 52, round %u of %zu bytes", round, sizes[i]);
            judge_both_ways(&vector);
            free(data);
        }
    }
}

/* Records of known types with random fields, after a Header whose flags are random too. */
static void random_records_get_a_verdict(void **state)
{
    (void)state;
    static const uint8_t types[] = {0x08, 0x01, 0x01, 0x01, 0x07, 0x05, 0x43, 0x44, 0x45, 0x41};
    enum { RECORDS = 1500 };
    uint64_t seed = 53;
    struct ready_vector vector = first_vector();
    for (unsigned round = 0; round < 60; round++) {
        const size_t count = 1 + random_below(&seed, round % 10 == 0 ? RECORDS : 40);
        uint8_t *data = malloc(count * RECORD);
        assert_non_null(data);
        random_fill(&seed, data, count * RECORD);
        for (size_t i = 1; i < count; i++) {
            data[i * RECORD] = types[random_below(&seed, sizeof types)];
        }
        memcpy(data, "ASTF\0\x0b\0\0", 8);
        data[8] &= round % 4 == 0 ? 0xff : 0xfc; /* mostly not compressed */
        vector.bytes.data = data;
        vector.bytes.size = count * RECORD;
        snprintf(trial, sizeof trial, "seed 53, round %u of %zu records", round, count);
        judge_both_ways(&vector);
        free(data);
    }
}

static void each_bit_of_a_header_gets_a_verdict(void **state)
{
    (void)state;
    struct ready_vector vector = first_vector();
    for (unsigned bit = 0; bit <= 8 * RECORD; bit++) {
        uint8_t data[3 * RECORD] = "ASTF\0\x0b";
        data[RECORD] = 0x08;
        data[2 * RECORD] = 0x01;
        if (bit < 8 * RECORD) {
            data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        } else {
            memset(data + 6, 0xff, RECORD - 6); /* every reserved bit, and every flag */
        }
        vector.bytes.data = data;
        vector.bytes.size = sizeof data;
        snprintf(trial, sizeof trial, "bit %u of the header", bit);
        judge_both_ways(&vector);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_mutated_vector_gets_a_verdict_and_the_same_from_both_back_ends,
                                  tell_of_trial),
        cmocka_unit_test_teardown(random_bytes_get_a_verdict, tell_of_trial),
        cmocka_unit_test_teardown(random_records_get_a_verdict, tell_of_trial),
        cmocka_unit_test_teardown(each_bit_of_a_header_gets_a_verdict, tell_of_trial),
    };
    return cmocka_run_group_tests(tests, open_corpus, close_corpus);
}
