/* Records in the stream: across blocks and buffers, in pieces, compressed, and longer than memory.
 */
#include "stf/tests/stf_support.h"

#include <sys/resource.h>

#include "common/tests/turn.h"
#include "io/sink.h"
#include "io/zstf.h"

/* A comment of so many bytes of text: dots, at its end a digest. */
static void put_long_comment(struct trace *trace, size_t length, bool digest)
{
    static const char word[] = " 0123abcdef\n";
    PUT(trace, comment, {"length", length});
    const size_t tail = digest && length >= sizeof word ? sizeof word : 0;
    put_fill(trace, '.', length - tail);
    put_bytes(trace, word, tail);
}

static void assert_long_comment(const struct seen *seen, size_t length, bool digest)
{
    const size_t bytes = 5 + length;
    assert_int_equal(seen->kind, STF_comment);
    assert_int_equal(seen->bits, 8 * (bytes < 1 + STF_SHOWN ? bytes : 1 + STF_SHOWN));
    ASSERT_VALUES(seen, {"length", length}, {"text_has_digest", digest},
                  {"text_printable", !digest}, {"text_terminated", digest});
}

static void records_of_any_length_are_read_alike_in_the_middle_and_at_the_end(void **state)
{
    (void)state;
    for (size_t length = STF_SHOWN - 60; length < STF_SHOWN + 100; length += 3) {
        const bool digest = length % 2 == 0;
        for (unsigned where = 0; where < 3; where++) {
            if (!is_in_turn(length + where)) {
                continue;
            }
            struct trace trace = begin(3);
            put_fill(&trace, 255, where == 1 ? 3000 : 0);
            const size_t before = where == 1 ? 3002 : 2;
            put_long_comment(&trace, length, digest);
            const size_t end = trace.size;
            PUT(&trace, inst_32, {"encoding", 0x13});
            put_fill(&trace, 255, where == 2 ? 4 * STF_SHOWN : 0);
            struct decoded all = decode_all(&trace);
            assert_true(all.complete);
            assert_long_comment(&all.list[before], length, digest);
            assert_int_equal(all.list[before + 1].kind, STF_inst_32);
            assert_int_equal(all.list[before + 1].offset, end);
            assert_int_equal(end_of(&all)->offset, trace.size);
            free(all.list);
            free(trace.data);
        }
    }
}

/* Records of all lengths, long ones among them, with random fields. */
static struct trace make_mixture(uint64_t seed)
{
    struct trace trace = begin_with(6, 2, 0, 0x1000);
    PUT(&trace, vlen_config, {"vlen", 512});
    for (unsigned i = 0; i < 3000; i++) {
        const uint64_t choice = random_below(&seed, 40);
        if (choice == 0) {
            put_long_comment(&trace, (size_t)random_below(&seed, 3000), i % 2 == 0);
        } else if (choice < 6) {
            PUT(&trace, event, {"id", random_below(&seed, 30)}, {"count", choice});
            put_fill(&trace, (uint8_t)i, 8 * choice);
        } else if (choice < 12) {
            PUT(&trace, inst_reg, {"number", choice}, {"type", 3}, {"operand", choice % 4});
            put_fill(&trace, (uint8_t)i, 56);
        } else if (choice < 18) {
            PUT(&trace, inst_mem_access, {"address", random_next(&seed)}, {"size", choice},
                {"type", choice % 3});
        } else if (choice < 30) {
            PUT(&trace, inst_32, {"encoding", random_next(&seed) & UINT32_MAX});
        } else {
            PUT(&trace, inst_16, {"encoding", random_next(&seed) & UINT16_MAX});
        }
        if (i % 1000 == 500) {
            put_long_comment(&trace, 65536 + i, true);
        }
    }
    return trace;
}

static void a_source_that_gives_single_bytes_gives_the_same_events(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        if (!is_in_turn(seed)) {
            continue;
        }
        struct trace trace = make_mixture(seed);
        struct decoded all = decode_all(&trace);
        struct decoded pieces = decode_pieces(&trace);
        assert_true(all.complete);
        assert_true(all.count > 3000);
        assert_same(&all, &pieces);
        free(all.list);
        free(pieces.list);
        free(trace.data);
    }
}

static void a_trace_that_is_cut_anywhere_gives_the_events_before_the_cut(void **state)
{
    (void)state;
    struct trace trace = make_mixture(9);
    struct decoded all = decode_all(&trace);
    uint64_t seed = 3;
    for (unsigned i = 0; i < 60; i++) {
        const size_t size = 14 + (size_t)random_below(&seed, trace.size - 14);
        if (!is_in_turn(i)) {
            continue;
        }
        const struct trace cut = {.data = trace.data, .size = size};
        struct decoded part = decode_all(&cut);
        const size_t whole = part.complete ? part.count - 1 : part.count - 2;
        assert_true(all.list[whole].offset <= size && all.list[whole + 1].offset > size);
        assert_int_equal(part.complete, all.list[whole].offset == size);
        for (size_t n = 0; n < whole; n++) {
            assert_int_equal(part.list[n].kind, all.list[n].kind);
            assert_true(part.list[n].offset == all.list[n].offset);
        }
        if (!part.complete) {
            assert_malformed(&part, STF_FAULT_TRUNCATED_RECORD, all.list[whole].offset,
                             trace.data[all.list[whole].offset]);
            ASSERT_VALUES(&part.list[whole], {"shown", size - all.list[whole].offset});
        }
        free(part.list);
    }
    free(all.list);
    free(trace.data);
}

/* Texts of 16-bit lengths can be longer than what is shown, too. */
static void the_whole_text_counts_in_every_record_that_has_one(void **state)
{
    (void)state;
    static const enum stf_kind kinds[] = {STF_trace_info, STF_clock_id, STF_isa_extended};
    for (size_t i = 0; i < 3; i++) {
        for (unsigned last = 0; last < 2; last++) {
            struct trace trace = begin(6);
            put_record(&trace, kinds[i], (const struct set[]){{"length", 65535}, {NULL, 0}});
            put_fill(&trace, 'x', 65524);
            put_bytes(&trace, " 0123abcdef", 11);
            put_fill(&trace, 255, last ? 0 : 2 * STF_SHOWN);
            struct decoded all = decode_all(&trace);
            assert_true(all.complete);
            ASSERT_VALUES(&all.list[2], {"text_has_digest", 1}, {"text_printable", 1},
                          {"text_terminated", 0});
            if (kinds[i] == STF_trace_info) {
                ASSERT_VALUES(&all.list[2], {"tool_known", 0});
            }
            free(all.list);
            free(trace.data);
        }
    }
}

/* A trace whose third record is a comment of so many bytes; after it is one instruction. */
struct endless {
    struct trace head;
    uint64_t length;
};

static void make_bytes(const void *of, uint64_t at, uint8_t *to, size_t size)
{
    const struct endless *endless = of;
    static const uint8_t instruction[] = {240, 0x13, 0, 0, 0};
    const uint64_t behind = endless->head.size + endless->length;
    memset(to, 'a', size);
    for (; size > 0 && at < endless->head.size; at++, size--) {
        *to++ = endless->head.data[at];
    }
    for (uint64_t i = behind; i < at + size; i++) {
        if (i >= at) {
            to[i - at] = instruction[i - behind];
        }
    }
}

static struct endless make_endless(uint64_t length)
{
    struct endless endless = {.head = begin(3), .length = length};
    PUT(&endless.head, comment, {"length", length});
    return endless;
}

static void a_comment_of_a_quarter_of_a_gigabyte_takes_no_memory(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {300000, UINT64_C(1) << 28};
    for (size_t i = 0; i < 2; i++) {
        struct endless endless = make_endless(lengths[i]);
        const uint64_t size = endless.head.size + lengths[i];
        struct rusage before, after;
        getrusage(RUSAGE_SELF, &before);
        struct decoded all = decode_input(
            (struct assay_decode_input){.source = open_made(make_bytes, &endless, size + 5)});
        getrusage(RUSAGE_SELF, &after);
        assert_true(all.complete);
        ASSERT_VALUES(&all.list[2], {"length", lengths[i]}, {"text_printable", 1},
                      {"text_has_digest", 0});
        assert_int_equal(all.list[3].kind, STF_inst_32);
        assert_true(all.list[3].offset == size);
        assert_true(after.ru_maxrss - before.ru_maxrss < 16 * 1024);
        free(all.list);
        free(endless.head.data);
    }
}

static void a_long_record_that_ends_too_early_is_truncated(void **state)
{
    (void)state;
    static const uint64_t there[] = {0, 100, STF_SHOWN, STF_SHOWN + 40, 1 << 20};
    for (size_t i = 0; i < sizeof there / sizeof there[0]; i++) {
        struct endless endless = make_endless(UINT32_MAX);
        const uint64_t size = endless.head.size + there[i];
        struct decoded all = decode_input(
            (struct assay_decode_input){.source = open_made(make_bytes, &endless, size)});
        assert_malformed(&all, STF_FAULT_TRUNCATED_RECORD, 13, 3);
        ASSERT_VALUES(&all.list[2], {"shown", size - 13});
        free(all.list);
        free(endless.head.data);
    }
}

static struct trace encode(const struct trace *original, const char *storage)
{
    struct assay_sink sink;
    struct assay_encoder *encoder = NULL;
    struct trace stored = {0};
    struct assay_decode_input input = {0};
    struct assay_decoder *decoder = NULL;
    struct assay_block block;
    assay_sink_memory(&sink, 0);
    assert_int_equal(stf_encoder_ops.open(&sink, storage, &encoder, NULL), ASSAY_OK);
    assert_int_equal(assay_source_memory(original->data, original->size, &input.source), ASSAY_OK);
    assert_int_equal(stf_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
    do {
        assert_int_equal(stf_decoder_ops.next(decoder, &block, NULL), ASSAY_OK);
        for (size_t i = 0; i < block.count; i++) {
            assert_int_equal(stf_encoder_ops.put(encoder, &block.events[i], NULL), ASSAY_OK);
        }
    } while (block.count > 0);
    stf_decoder_ops.close(decoder);
    assert_int_equal(stf_encoder_ops.close(encoder), ASSAY_OK);
    put_bytes(&stored, sink.data, sink.size);
    assay_sink_close(&sink, NULL);
    return stored;
}

static void every_storage_gives_the_same_events(void **state)
{
    (void)state;
    static const char *const storages[] = {"raw", "gzip", "xz", "lzma", "zstd", "zstf"};
    struct trace original = begin_with(3, 2, 0, 0x1000);
    for (unsigned i = 0; i < 5000; i++) {
        PUT(&original, inst_32, {"encoding", 0x13 + (i % 7) * 0x80});
    }
    struct decoded all = decode_all(&original);
    for (size_t i = 0; i < sizeof storages / sizeof storages[0]; i++) {
        struct trace stored = encode(&original, storages[i]);
        struct decoded again = decode_all(&stored);
        assert_same(&all, &again);
        ASSERT_VALUES(end_of(&again), {"index_difference", STF_INDEX_NONE}, {"stream_fault", 0},
                      {"trailing_bytes", 0}, {"stored_offset", stored.size});
        const struct assay_field *container = field_of(STF_end, "container");
        assert_string_equal(
            assay_enum_name(container->names, value_of(end_of(&again), "container")), storages[i]);
        free(again.list);
        again = decode_pieces(&stored);
        assert_same(&all, &again);
        free(again.list);
        free(stored.data);
    }
    free(all.list);
    free(original.data);
}

/* A chunk ends after an instruction: what is there begins the next, be it ever so long. */
static void a_long_comment_can_begin_a_chunk(void **state)
{
    (void)state;
    static const size_t lengths[] = {10, STF_SHOWN - 4, STF_SHOWN - 3, 3 * STF_SHOWN};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct assay_sink sink;
        struct assay_zstf_writer *writer;
        struct trace head = begin_with(3, 2, 0, 0x1000), rest = {0}, stored = {0};
        PUT(&head, inst_32, {"encoding", 0x13});
        PUT(&head, inst_32, {"encoding", 0x13});
        put_long_comment(&rest, lengths[i], false);
        PUT(&rest, inst_32, {"encoding", 0x13});
        assay_sink_memory(&sink, 0);
        assert_int_equal(assay_zstf_writer_open(&sink, 2, &writer, NULL), ASSAY_OK);
        assay_zstf_writer_write(writer, head.data, head.size - 5);
        assay_zstf_writer_end_instruction(writer, 0x1004);
        assay_zstf_writer_write(writer, head.data + head.size - 5, 5);
        assay_zstf_writer_end_instruction(writer, 0x1008);
        assay_zstf_writer_write(writer, rest.data, rest.size);
        assay_zstf_writer_end_instruction(writer, 0x100c);
        assert_int_equal(assay_zstf_writer_close(writer), ASSAY_OK);
        put_bytes(&stored, sink.data, sink.size);
        struct decoded all = decode_all(&stored);
        assert_true(all.complete);
        ASSERT_VALUES(end_of(&all), {"streams", 2}, {"index_difference", STF_INDEX_NONE});
        free(all.list);
        free(head.data);
        free(rest.data);
        free(stored.data);
        assay_sink_close(&sink, NULL);
    }
}

static void an_input_of_nothing_has_an_end(void **state)
{
    (void)state;
    const struct trace empty = {.data = (uint8_t *)"", .size = 0};
    struct decoded all = decode_all(&empty);
    assert_int_equal(all.count, 1);
    assert_int_equal(end_of(&all)->offset, 0);
    free(all.list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_of_any_length_are_read_alike_in_the_middle_and_at_the_end),
        cmocka_unit_test(a_source_that_gives_single_bytes_gives_the_same_events),
        cmocka_unit_test(a_trace_that_is_cut_anywhere_gives_the_events_before_the_cut),
        cmocka_unit_test(the_whole_text_counts_in_every_record_that_has_one),
        cmocka_unit_test(a_comment_of_a_quarter_of_a_gigabyte_takes_no_memory),
        cmocka_unit_test(a_long_record_that_ends_too_early_is_truncated),
        cmocka_unit_test(every_storage_gives_the_same_events),
        cmocka_unit_test(a_long_comment_can_begin_a_chunk),
        cmocka_unit_test(an_input_of_nothing_has_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
