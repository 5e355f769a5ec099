/* Sources whose bytes a function makes of those of another one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "io/source.h"

enum { SIZE = 3000000 };

/* A reader that gives every byte twice, `most` at a time, and an error behind byte `last`. */
struct twice {
    size_t most, last, given;
    bool *closed;
};

static enum assay_error read_twice(void *context, struct assay_source *under, uint8_t *out,
                                   size_t room, size_t *size)
{
    struct twice *t = context;
    const uint8_t *data = NULL;
    size_t have = 0;
    assert_true(room >= ASSAY_READ_ROOM);
    (void)assay_source_peek(under, 1, &data, &have);
    size_t count = have < t->most ? have : t->most;
    count = count < room / 2 ? count : room / 2;
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = out[2 * i + 1] = data[i];
    }
    assay_source_consume(under, count);
    *size = 2 * count;
    t->given += 2 * count;
    return t->given >= t->last ? ASSAY_CORRUPT : ASSAY_OK;
}

static void close_twice(void *context)
{
    *((struct twice *)context)->closed = true;
    free(context);
}

static const struct assay_source_reader reader = {.read = read_twice, .close = close_twice};

static struct assay_source *open_twice(struct assay_source *under, size_t most, size_t last,
                                       bool *closed)
{
    struct twice *t = malloc(sizeof *t);
    struct assay_source *source = NULL;
    assert_non_null(t);
    *closed = false;
    *t = (struct twice){.most = most, .last = last, .closed = closed};
    assert_int_equal(assay_source_over(under, &reader, t, &source), ASSAY_OK);
    return source;
}

static struct assay_source *open_bytes(const uint8_t *bytes, size_t size)
{
    struct assay_source *source = NULL;
    assert_int_equal(assay_source_memory(bytes, size, &source), ASSAY_OK);
    return source;
}

static uint8_t *make_bytes(void)
{
    uint8_t *bytes = malloc(SIZE);
    assert_non_null(bytes);
    for (size_t i = 0; i < SIZE; i++) {
        bytes[i] = (uint8_t)(i * 7 + i / 256);
    }
    return bytes;
}

static void all_bytes_come_whatever_is_asked_for_and_read_at_once(void **state)
{
    (void)state;
    static const size_t wants[] = {1, 3, 4096, 100000, ASSAY_PEEK_MAX};
    static const size_t mosts[] = {50, 5000, SIZE};
    uint8_t *bytes = make_bytes();
    for (size_t n = 0; n < 15; n++) {
        bool closed;
        const size_t want = wants[n % 5];
        const size_t size = want < 100 ? 50000 : SIZE;
        struct assay_source *source =
            open_twice(open_bytes(bytes, size), mosts[n / 5], SIZE_MAX, &closed);
        const uint8_t *data = NULL;
        size_t have = 0;
        size_t at = 0;
        while (assay_source_peek(source, want, &data, &have) == ASSAY_OK && have > 0) {
            const size_t part = have < want ? have : want;
            assert_int_equal(assay_source_offset(source), at);
            assert_true(have >= want || at + have == 2 * size);
            for (size_t i = 0; i < part; i++) {
                assert_int_equal(data[i], bytes[(at + i) / 2]);
            }
            assay_source_consume(source, part);
            at += part;
        }
        assert_int_equal(at, 2 * size);
        assert_false(closed);
        assay_source_close(source);
        assert_true(closed);
    }
    free(bytes);
}

static void an_error_of_the_reader_comes_behind_its_bytes(void **state)
{
    (void)state;
    bool closed;
    uint8_t *bytes = make_bytes();
    struct assay_source_status status;
    struct assay_source *source = open_twice(open_bytes(bytes, SIZE), 10, 100, &closed);
    const uint8_t *data = NULL;
    size_t have = 0;
    assert_int_equal(assay_source_peek(source, 50, &data, &have), ASSAY_OK);
    assert_int_equal(assay_source_peek(source, 101, &data, &have), ASSAY_CORRUPT);
    assert_int_equal(have, 100);
    assay_source_status(source, &status);
    assert_int_equal(status.fault, ASSAY_CORRUPT);
    assert_int_equal(status.stored_size, SIZE);
    assay_source_close(source);
    free(bytes);
}

/* A source over one that ends early: the fault goes up through both. */
static void a_fault_of_the_source_below_is_that_of_the_one_above(void **state)
{
    (void)state;
    bool closed[2];
    struct assay_source_status status;
    uint8_t *bytes = make_bytes();
    struct assay_source *below = open_twice(open_bytes(bytes, SIZE), 10, 100, &closed[0]);
    struct assay_source *source = open_twice(below, SIZE, SIZE_MAX, &closed[1]);
    const uint8_t *data = NULL;
    size_t have = 0;
    assert_int_equal(assay_source_peek(source, 1000, &data, &have), ASSAY_CORRUPT);
    assert_int_equal(have, 200);
    assay_source_status(source, &status);
    assert_int_equal(status.fault, ASSAY_CORRUPT);
    assay_source_close(source);
    assert_true(closed[0] && closed[1]);
    free(bytes);
}

static void an_interrupted_source_reads_no_more(void **state)
{
    (void)state;
    bool closed;
    uint8_t *bytes = make_bytes();
    struct assay_source *source = open_twice(open_bytes(bytes, SIZE), 10, SIZE_MAX, &closed);
    struct assay_source *other = NULL;
    const uint8_t *data = NULL;
    size_t have = 0;
    assert_int_equal(assay_source_peek(source, 20, &data, &have), ASSAY_OK);
    assert_int_equal(assay_source_again(source, &other), ASSAY_UNSUPPORTED);
    assay_source_interrupt(source);
    assert_int_equal(assay_source_peek(source, have + 1, &data, &have), ASSAY_READ_FAILED);
    assert_int_equal(have, 20);
    assay_source_close(source);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_bytes_come_whatever_is_asked_for_and_read_at_once),
        cmocka_unit_test(an_error_of_the_reader_comes_behind_its_bytes),
        cmocka_unit_test(a_fault_of_the_source_below_is_that_of_the_one_above),
        cmocka_unit_test(an_interrupted_source_reads_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
