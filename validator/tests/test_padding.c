/* Bytes that say nothing change nothing of what is judged: each vector of ETE is judged again with
 * Ignore packets behind it, and, where it begins with an A-sync, before it. Readers may take many
 * packets at once where many follow, and must find the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/tests/turn.h"
#include "validator/tests/vector_runner.h"

enum { PADDING = 300, IGNORE = 0x70, ASYNC_ZEROS = 11 };

#define A_PIECE "what is before the first A-sync can be packets of a session that goes on"
#define LONGER  "it is longer than four periods of TRCSYNCPR"

/* Rules of the begin or the end of a stream, which is another one then. */
static const struct {
    const char *rule, *why;
} exceptions[] = {
    {"ETE-0010", LONGER},
    {"ETE-0313", LONGER},
    {"ETE-0040", A_PIECE},
    {"ETE-0042", A_PIECE},
    {"ETE-0045", A_PIECE},
    {"ETE-0066", A_PIECE},
    {"ETE-0070", A_PIECE},
    {"ETE-0071", A_PIECE},
    {"ETE-0085", A_PIECE},
    {"ETE-0088", A_PIECE},
    {"ETE-0090", A_PIECE},
    {"ETE-0291", A_PIECE},
    {"ETE-0342", A_PIECE},
    {"ETE-0009", "the packet that the end cuts goes on with what is behind it"},
    {"ETE-0297", "the packet that the end cuts goes on with what is behind it"},
    {"ETE-0301", "the packet that the end cuts goes on with what is behind it"},
    {"ETE-0011", "a stream that was empty has bytes"},
    {"ETE-0012", "the first A-sync is not at the first byte"},
    {"ETE-0300", "the first A-sync is not at the first byte"},
    {"ETE-0302", "the first A-sync is not after whole cache lines"},
    {"ETE-0304", "more bytes are behind what cannot be read"},
    {"ETE-0305", "more bytes are behind what cannot be read"},
    {"ETE-0227", "the A-sync is further away"},
    {"ETE-0309", "the first frames are others"},
};

static struct ready_corpus corpus;

static bool is_exception(const char *rule)
{
    bool is = false;
    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++) {
        is = is || strcmp(exceptions[i].rule, rule) == 0;
    }
    return is;
}

static bool begins_with_async(const struct ready_vector *vector)
{
    static const uint8_t zeros[ASYNC_ZEROS];
    return vector->bytes.size > ASYNC_ZEROS && memcmp(vector->bytes.data, zeros, ASYNC_ZEROS) == 0;
}

/* Whether the end of the stream cuts a packet, or zeros of no packet are there: other packets are
 * then made of them and what is behind them. */
static bool ends_in_a_packet(const struct ready_vector *vector)
{
    struct vector_reader reader;
    bool open = false;
    open_events(&reader, vector);
    for (const struct assay_event *event; (event = next_event(&reader)) != NULL;) {
        if (event->kind == ASSAY_KIND_MALFORMED) {
            open = true;
        } else if (vector->vector.format->kinds[event->kind].layer == 0 &&
                   event->kind != ASSAY_KIND_END) {
            open = strcmp(vector->vector.format->kinds[event->kind].name, "padding") == 0;
        }
    }
    close_events(&reader);
    return open;
}

/* What a rule says of both; 1 where it is not the same. */
static unsigned compare(const struct ready_vector *vector, const char *where,
                        const struct vector_run *bare, const struct vector_run *padded)
{
    unsigned bad = 0;
    for (size_t r = 0; r < bare->results->rule_count; r++) {
        const struct assay_rule_total *a = &bare->results->rules[r];
        const struct assay_rule_total *b = &padded->results->rules[r];
        if ((a->verdict != b->verdict || a->violated != b->violated) &&
            !is_exception(a->rule->id)) {
            print_error("%s: %s is violated %llu times, and %llu times with padding %s\n",
                        vector->path, a->rule->id, (unsigned long long)a->violated,
                        (unsigned long long)b->violated, where);
            bad = 1;
        }
    }
    return bad;
}

static unsigned judge_padded(const struct ready_vector *vector, size_t before, size_t behind)
{
    const struct assay_catalogue *catalogue = assay_catalogue_of(vector->vector.format);
    const size_t size = vector->bytes.size;
    struct ready_vector other = *vector;
    struct vector_run bare, padded;
    uint8_t *bytes = malloc(before + size + behind + 1);
    assert_non_null(bytes);
    memset(bytes, IGNORE, before + size + behind);
    if (size > 0) {
        memcpy(bytes + before, vector->bytes.data, size);
    }
    other.bytes.data = bytes;
    other.bytes.size = before + size + behind;
    run_vector(&bare, vector, catalogue, false);
    run_vector(&padded, &other, catalogue, false);
    const unsigned bad = compare(vector, before > 0 ? "before it" : "behind it", &bare, &padded);
    end_run(&bare);
    end_run(&padded);
    free(bytes);
    return bad;
}

static void packets_that_say_nothing_change_no_finding(void **state)
{
    (void)state;
    unsigned bad = 0, run = 0;
    for (size_t i = 0; i < corpus.count; i++) {
        const struct ready_vector *vector = &corpus.list[i];
        if (!is_in_turn(i) || vector->vector.expectation == ASSAY_EXPECT_REFUSES) {
            continue;
        }
        if (!ends_in_a_packet(vector)) {
            bad += judge_padded(vector, 0, PADDING);
            run++;
        }
        if (begins_with_async(vector)) {
            bad += judge_padded(vector, PADDING, 0);
            run++;
        }
    }
    if (bad > 0) {
        print_error("%u of %u padded streams are judged otherwise\n", bad, run);
    }
    assert_true(run > 1000);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_that_say_nothing_change_no_finding),
    };
    corpus = load_corpus_of(ASSAY_CORPUS, "ete");
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free_corpus(&corpus);
    return failed;
}
