/* The queue between a thread that writes a trace and the decoder that reads it. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/stop.h"
#include "io/source_push.h"

enum { CAPACITY = 1000, TOTAL = 300000 };

struct writer {
    struct assay_push *push;
    size_t piece;
    enum assay_error error;
};

static uint8_t byte_at(size_t n)
{
    return (uint8_t)(n * 7 + n / 256);
}

static void *write_all(void *argument)
{
    struct writer *writer = argument;
    uint8_t piece[5000];
    for (size_t n = 0; n < TOTAL && writer->error == ASSAY_OK;) {
        const size_t size = writer->piece < TOTAL - n ? writer->piece : TOTAL - n;
        for (size_t i = 0; i < size; i++) {
            piece[i] = byte_at(n + i);
        }
        writer->error = assay_push_write(writer->push, piece, size);
        n += size;
    }
    assay_push_close(writer->push);
    return NULL;
}

/* Reads to the end by pieces of `want` bytes; how many there were. */
static size_t read_all(struct assay_source *source, size_t want)
{
    size_t at = 0;
    for (;;) {
        const uint8_t *data;
        size_t have;
        assert_int_equal(assay_source_peek(source, want, &data, &have), ASSAY_OK);
        if (have == 0) {
            return at;
        }
        for (size_t i = 0; i < have; i++) {
            assert_int_equal(data[i], byte_at(at + i));
        }
        at += have;
        assay_source_consume(source, have);
    }
}

static void bytes_arrive_in_order_whatever_the_pieces(void **state)
{
    static const size_t pieces[] = {1, 999, 1000, 1001, 5000};
    (void)state;
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        struct writer writer = {.piece = pieces[i]};
        struct assay_source *source;
        pthread_t thread;
        assert_int_equal(assay_push_open(CAPACITY, &writer.push, &source), ASSAY_OK);
        assert_int_equal(pthread_create(&thread, NULL, write_all, &writer), 0);
        assert_int_equal(read_all(source, 1 + i * 700), TOTAL);
        pthread_join(thread, NULL);
        assert_int_equal(writer.error, ASSAY_OK);
        assay_source_close(source);
    }
}

static void a_writer_that_waits_is_told_when_the_source_is_closed(void **state)
{
    struct writer writer = {.piece = 5000};
    struct assay_source *source;
    const uint8_t *data;
    size_t have;
    pthread_t thread;
    (void)state;
    assert_int_equal(assay_push_open(CAPACITY, &writer.push, &source), ASSAY_OK);
    assert_int_equal(pthread_create(&thread, NULL, write_all, &writer), 0);
    assert_int_equal(assay_source_peek(source, 1, &data, &have), ASSAY_OK);
    assay_source_close(source);
    pthread_join(thread, NULL);
    assert_int_equal(writer.error, ASSAY_BROKEN_PIPE);
}

struct reader {
    struct assay_source *source;
    _Atomic uint64_t consumed;
};

/* Reads pieces of 10 bytes, and at a pause what there is; then it waits for more. */
static void *read_pieces(void *argument)
{
    struct reader *reader = argument;
    struct assay_source *source = reader->source;
    const uint8_t *data;
    size_t have;
    do {
        if (!assay_source_pauses(source, 10)) {
            (void)assay_source_peek(source, 10, &data, &have);
        } else {
            (void)assay_source_peek(source, 0, &data, &have);
            if (have == 0) {
                (void)assay_source_peek(source, 1, &data, &have);
                continue; /* what it is, is looked at again */
            }
        }
        assay_source_consume(source, 10);
        atomic_store(&reader->consumed, assay_source_offset(source));
    } while (have > 0);
    return NULL;
}

static void a_flush_waits_until_the_reader_wants_more(void **state)
{
    struct assay_push *push;
    struct reader reader = {0};
    pthread_t thread;
    (void)state;
    assert_int_equal(assay_push_open(CAPACITY, &push, &reader.source), ASSAY_OK);
    assert_int_equal(pthread_create(&thread, NULL, read_pieces, &reader), 0);
    for (uint64_t sum = 1; sum < 1000; sum = 2 * sum + 1) {
        uint8_t bytes[CAPACITY] = {0};
        const uint64_t old = atomic_load(&reader.consumed);
        assert_int_equal(assay_push_write(push, bytes, (size_t)(sum - old)), ASSAY_OK);
        assay_push_flush(push);
        assert_int_equal(atomic_load(&reader.consumed), sum);
        assay_push_flush(push); /* there is nothing to wait for */
    }
    assay_push_close(push);
    pthread_join(thread, NULL);
    assay_source_close(reader.source);
}

static void a_flush_ends_with_the_reader(void **state)
{
    struct assay_push *push;
    struct assay_source *source;
    (void)state;
    assert_int_equal(assay_push_open(CAPACITY, &push, &source), ASSAY_OK);
    assert_int_equal(assay_push_write(push, "abc", 3), ASSAY_OK);
    assay_source_close(source);
    assay_push_flush(push);
    assay_push_close(push);
}

static void *request(void *stop)
{
    assay_stop_request(stop);
    return NULL;
}

static void a_stop_ends_a_reader_that_waits(void **state)
{
    struct assay_push *push;
    struct assay_source *source;
    struct assay_stop stop;
    const uint8_t *data;
    size_t have;
    pthread_t thread;
    (void)state;
    assert_int_equal(assay_stop_open(&stop), ASSAY_OK);
    assert_int_equal(assay_push_open(CAPACITY, &push, &source), ASSAY_OK);
    assay_source_stop(source, &stop);
    assert_int_equal(assay_push_write(push, "abc", 3), ASSAY_OK);
    assert_int_equal(pthread_create(&thread, NULL, request, &stop), 0);
    assert_int_equal(assay_source_peek(source, 4, &data, &have), ASSAY_READ_FAILED);
    pthread_join(thread, NULL);
    assert_int_equal(assay_push_write(push, "abc", 3), ASSAY_BROKEN_PIPE);
    assay_push_close(push);
    assay_source_close(source);
    assay_stop_reset(&stop);
    assert_false(assay_stop_requested(&stop));
    assay_stop_close(&stop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_arrive_in_order_whatever_the_pieces),
        cmocka_unit_test(a_flush_waits_until_the_reader_wants_more),
        cmocka_unit_test(a_flush_ends_with_the_reader),
        cmocka_unit_test(a_writer_that_waits_is_told_when_the_source_is_closed),
        cmocka_unit_test(a_stop_ends_a_reader_that_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
