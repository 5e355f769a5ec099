/* Where packets of ETE are found: from an A-sync on, in streams that are whole, cut or broken. */
#include "ete/tests/ete_support.h"

#include "io/source_private.h"
#include "model/layout.h"

static const char session[] = START "\x04\x9d\x01\x02\x03\x04\x05\x06\x07\x08"
                                    "\xf7\x02\x80\x80\x01\x06\x1d\x95\x05\x95\x20\xdc";
enum { SESSION = sizeof session - 1 };

static void decoding_begins_at_the_next_async_from_any_byte(void **state)
{
    (void)state;
    char stream[2 * SESSION];
    struct assay_parameter_values values = unknown();
    memcpy(stream, session, SESSION);
    memcpy(stream + SESSION, session, SESSION);
    struct decoded whole = decode(session, SESSION, &values, ETE_PACKET);
    assert_true(whole.complete);
    for (size_t from = 2; from < SESSION; from++) {
        struct decoded all = decode(stream + from, sizeof stream - from, &values, ETE_PACKET);
        assert_true(all.count >= whole.count);
        assert_int_equal(all.list[0].fault, ETE_FAULT_UNSYNCHRONISED);
        struct seen *tail = &all.list[all.count - whole.count];
        for (size_t i = 0; i + 1 < whole.count; i++) {
            assert_int_equal(tail[i].kind, whole.list[i].kind);
            assert_int_equal(tail[i].offset, whole.list[i].offset + SESSION - from);
            if (tail[i].kind == ETE_trace_info) { /* the only one that tells of bytes before it */
                assert_int_equal(value_of(&tail[i], "skipped"), SESSION - from);
                tail[i].cells[ETE_CELL_trace_info_skipped] = 0;
            }
            assert_memory_equal(tail[i].cells, whole.list[i].cells, sizeof tail[i].cells);
        }
        assert_int_equal(value_of(&tail[whole.count - 1], "skipped"), SESSION - from);
        free(all.list);
    }
    free(whole.list);
}

static void a_stream_that_is_cut_ends_with_what_is_whole(void **state)
{
    (void)state;
    struct assay_parameter_values values = unknown();
    struct decoded whole = decode(session, SESSION, &values, ETE_PACKET);
    for (size_t size = ASYNC_SIZE; size < SESSION; size++) {
        struct decoded all = decode(session, size, &values, ETE_PACKET);
        const struct seen *last = &all.list[all.count - 2];
        const bool cut = last->kind == ETE_malformed;
        assert_true(all.complete == !cut);
        assert_true(!cut || last->fault == ETE_FAULT_TRUNCATED_PACKET);
        for (size_t i = 0; i + 1 + cut < all.count; i++) {
            assert_int_equal(all.list[i].kind, whole.list[i].kind);
        }
        free(all.list);
    }
    free(whole.list);
}

static void zeros_of_no_packet_are_padding(void **state)
{
    (void)state;
    enum { ZEROS = 10000 };
    static uint8_t stream[START_SIZE + ZEROS + START_SIZE + 100];
    struct assay_parameter_values values = unknown();
    memcpy(stream, START, START_SIZE);
    memcpy(stream + START_SIZE + ZEROS, START, START_SIZE);
    struct decoded all = decode(stream, sizeof stream, &values, ETE_PACKET);
    assert_true(all.complete);
    uint64_t padding = 0;
    unsigned asyncs = 0;
    for (size_t i = 0; i < all.count; i++) {
        assert_int_not_equal(all.list[i].kind, ETE_malformed);
        padding += all.list[i].kind == ETE_padding ? all.list[i].bits / 8 : 0;
        asyncs += all.list[i].kind == ETE_async;
    }
    assert_int_equal(asyncs, 2);
    assert_in_range(padding, ZEROS + 100 - 32, ZEROS + 100);
    free(all.list);
}

/* A source that has no more bytes at once than it is asked for, and ends with a fault or without.
 */
struct sparing {
    struct assay_source base;
    const uint8_t *last; /* one past all bytes */
    enum assay_error fault;
};

static void fill_sparingly(struct assay_source *source, size_t want)
{
    const struct sparing *s = (const struct sparing *)source;
    const size_t left = (size_t)(s->last - source->at);
    const size_t have = (size_t)(source->end - source->at);
    assay_source_lengthen(source, (want < left ? want : left) - have);
    if (want > left) {
        assay_source_end(source, s->fault, NULL);
    }
}

static void close_nothing(struct assay_source *source)
{
    (void)source;
}

static struct decoded decode_sparingly(const uint8_t *bytes, size_t size, enum assay_error fault)
{
    static const struct assay_source_kind kind = {.fill = fill_sparingly, .close = close_nothing};
    struct sparing source = {
        .base = {.at = bytes, .end = bytes, .kind = &kind}, .last = bytes + size, .fault = fault};
    struct assay_parameter_values values = unknown();
    return decode_from(&source.base, &values, ETE_PACKET);
}

/* The decoder looks at some thousand bytes at once: an A-sync can lie across their end. What is
 * before it is longer with each of the streams. */
static void an_async_is_found_behind_any_number_of_bytes(void **state)
{
    (void)state;
    enum { MOST = 8300 };
    static uint8_t stream[MOST + START_SIZE];
    for (size_t before = 1; before <= MOST; before += before % 4096 < 4060 ? 29 : 1) {
        for (int zeros = 0; zeros < 2; zeros++) {
            memset(stream, zeros ? 0 : 0x71, before);
            stream[0] = 0x71;
            memcpy(stream + before, START, START_SIZE);
            struct decoded all = decode_sparingly(stream, before + START_SIZE, ASSAY_OK);
            const struct seen *async = &all.list[all.count - 3];
            const struct seen *end = &all.list[all.count - 1];
            assert_int_equal(async->kind, ETE_async);
            assert_int_equal(async->offset + async->bits / 8, before + ASYNC_SIZE);
            assert_true(zeros || async->offset == before);
            assert_int_equal(value_of(async, "zeros") + 2, async->bits / 8);
            assert_true(all.complete);
            assert_int_equal(value_of(end, "asyncs"), 1);
            assert_int_equal(value_of(end, "skipped"), async->offset);
            free(all.list);
        }
    }
}

static void zeros_before_an_async_are_part_of_it_up_to_some(void **state)
{
    (void)state;
    enum { MOST = 100, WHOLE = 31 };
    uint8_t stream[START_SIZE + MOST + 1] = START;
    struct assay_parameter_values values = unknown();
    for (size_t zeros = ETE_ASYNC_ZEROS + 1; zeros <= MOST; zeros++) {
        const size_t padding = zeros > WHOLE ? zeros - WHOLE : 0;
        memset(stream + START_SIZE, 0, zeros);
        stream[START_SIZE + zeros] = 0x80;
        struct decoded all = decode(stream, START_SIZE + zeros + 1, &values, ETE_PACKET);
        const struct seen *async = &all.list[all.count - 2];
        assert_int_equal(async->kind, ETE_async);
        assert_int_equal(async->offset, START_SIZE + padding);
        assert_int_equal(value_of(async, "zeros"), zeros - padding - 1);
        assert_int_equal(value_of(&all.list[all.count - 1], "skipped"), padding);
        free(all.list);
    }
}

static void a_source_that_fails_is_told(void **state)
{
    (void)state;
    enum { IGNORED = 3000 };
    static uint8_t stream[START_SIZE + IGNORED] = START;
    memset(stream + START_SIZE, 0x70, IGNORED);
    struct decoded all = decode_sparingly(stream, sizeof stream, ASSAY_READ_FAILED);
    assert_int_equal(all.count, 2 + IGNORED + 2);
    const struct seen *last = &all.list[all.count - 2];
    assert_int_equal(last->fault, ETE_FAULT_READ_ERROR);
    assert_int_equal(last->bits, 0);
    assert_int_equal(value_of(last, "header"), 0);
    assert_int_equal(last[1].kind, ETE_end);
    assert_false(all.complete);
    free(all.list);
}

/* --- streams without an A-sync --- */

static void a_stream_without_an_async_is_complete_if_it_is_empty(void **state)
{
    (void)state;
    struct assay_parameter_values values = unknown();
    for (size_t size = 0; size < 4; size++) {
        struct decoded all = decode("\x71\x71\x71\x71", size, &values, ETE_PACKET);
        assert_int_equal(value_of(&all.list[all.count - 1], "total"), size);
        assert_true(all.complete == (size == 0));
        free(all.list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoding_begins_at_the_next_async_from_any_byte),
        cmocka_unit_test(a_stream_that_is_cut_ends_with_what_is_whole),
        cmocka_unit_test(zeros_of_no_packet_are_padding),
        cmocka_unit_test(an_async_is_found_behind_any_number_of_bytes),
        cmocka_unit_test(zeros_before_an_async_are_part_of_it_up_to_some),
        cmocka_unit_test(a_source_that_fails_is_told),
        cmocka_unit_test(a_stream_without_an_async_is_complete_if_it_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
