/* The decoder and the encoder: blocks, damage, storage. */
#include "astf/tests/astf_support.h"

enum { RECORD = ASTF_RECORD_BYTES };

static void every_record_comes_once_at_its_offset_whatever_the_blocks(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 1022, 1023, 1024, 1025, 2047, 2048, 2049, 9000};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        for (size_t s = 0; s < STORAGES; s++) {
            struct assay_sink trace = stored_trace(storages[s], counts[c]);
            for (int threaded = 0; threaded < 2; threaded++) {
                struct decoded all = decode_trace(trace.data, trace.size, threaded, NULL);
                assert_int_equal(all.count, counts[c] + 2);
                for (size_t i = 0; i <= counts[c]; i++) {
                    assert_stored(&all, i);
                }
                const struct seen *end = end_of(&all);
                assert_int_equal(end->bits, 0);
                assert_int_equal(end->offset, (counts[c] + 1) * RECORD);
                assert_int_equal(derived(end, "container"), s);
                assert_int_equal(derived(end, "stream_fault"), ASSAY_OK);
                assert_int_equal(derived(end, "streams"), s > 0);
                assert_int_equal(derived(end, "trailing_bytes"), 0);
                assert_int_equal(derived(end, "stored_offset"), trace.size);
                assert_true(all.complete);
                assert_true(all.largest_block <= 1024);
                free(all.list);
            }
            assay_sink_close(&trace, NULL);
        }
    }
}

static void an_empty_input_is_only_an_end(void **state)
{
    (void)state;
    struct decoded all = decode_trace("", 0, true, NULL);
    assert_int_equal(all.count, 1);
    assert_int_equal(end_of(&all)->offset, 0);
    free(all.list);
}

static void a_truncated_record_is_reported_with_its_bytes(void **state)
{
    (void)state;
    static const size_t whole[] = {0, 1, 1023, 1024, 1025};
    struct assay_sink trace = stored_trace("raw", 2000);
    for (size_t w = 0; w < sizeof whole / sizeof whole[0]; w++) {
        for (size_t tail = 1; tail < RECORD; tail++) {
            const size_t size = whole[w] * RECORD + tail;
            uint8_t *cut = malloc(size);
            assert_non_null(cut);
            memcpy(cut, trace.data, size);
            struct decoded all = decode_trace(cut, size, false, NULL);
            assert_int_equal(all.count, whole[w] + 2);
            const struct seen *last = &all.list[whole[w]];
            assert_int_equal(last->fault, ASTF_FAULT_TRUNCATED_RECORD);
            assert_int_equal(last->offset, whole[w] * RECORD);
            assert_int_equal(last->bits, tail * 8);
            assert_int_equal(derived(last, "value"), tail);
            assert_memory_equal(last->bytes, cut + whole[w] * RECORD, tail);
            assert_int_equal(end_of(&all)->offset, size);
            assert_false(all.complete);
            free(all.list);
            free(cut);
        }
    }
    assay_sink_close(&trace, NULL);
}

static void a_truncated_record_at_the_end_of_compressed_data_is_reported_too(void **state)
{
    (void)state;
    for (size_t s = 0; s < STORAGES; s++) {
        struct assay_sink sink;
        struct assay_encoder *encoder = NULL;
        _Alignas(8) uint8_t record[RECORD];
        const struct assay_event header = {
            .bytes = record, .bits = ASTF_RECORD_BITS, .kind = ASTF_header};
        assay_sink_memory(&sink, 0);
        assert_int_equal(astf_encoder_ops.open(&sink, storages[s], &encoder, NULL), ASSAY_OK);
        make_header(record, s > 0, false);
        assert_int_equal(astf_encoder_ops.put(encoder, &header, NULL), ASSAY_OK);
        make_instr(record, 0x1000, 0);
        assert_int_equal(astf_encoder_ops.put_raw(encoder, record, RECORD), ASSAY_OK);
        assert_int_equal(astf_encoder_ops.put_raw(encoder, record, 5), ASSAY_OK);
        assert_int_equal(astf_encoder_ops.close(encoder), ASSAY_OK);
        struct decoded all = decode_trace(sink.data, sink.size, true, NULL);
        assert_int_equal(all.count, 4);
        assert_int_equal(all.list[2].fault, ASTF_FAULT_TRUNCATED_RECORD);
        assert_int_equal(derived(&all.list[2], "value"), 5);
        free(all.list);
        assay_sink_close(&sink, NULL);
    }
}

static void a_record_of_an_unknown_type_is_skipped(void **state)
{
    (void)state;
    for (unsigned type = 0; type < 256; type++) {
        uint8_t trace[4 * RECORD];
        make_header(trace, false, false);
        make_instr(trace + RECORD, 0x1000, 0);
        make_instr(trace + 2 * RECORD, 0x1004, 0);
        make_instr(trace + 3 * RECORD, 0x1008, 0);
        trace[2 * RECORD] = (uint8_t)type;
        struct decoded all = decode_trace(trace, sizeof trace, false, NULL);
        assert_int_equal(all.count, 5);
        assert_int_equal(all.list[2].kind, astf_kind_of((uint8_t)type));
        if (all.list[2].kind == ASTF_malformed) {
            assert_int_equal(all.list[2].fault, ASTF_FAULT_UNKNOWN_TYPE);
            assert_int_equal(derived(&all.list[2], "value"), type);
            assert_int_equal(all.list[2].bits, ASTF_RECORD_BITS);
        }
        assert_stored(&all, 1);
        assert_stored(&all, 3);
        assert_true(all.complete);
        free(all.list);
    }
}

static void any_bytes_are_read_to_their_end(void **state)
{
    (void)state;
    uint64_t seed = 21;
    for (unsigned round = 0; round < 400; round++) {
        const size_t size = (size_t)random_below(&seed, 3000);
        uint8_t *bytes = malloc(size + 1);
        assert_non_null(bytes);
        random_fill(&seed, bytes, size);
        bytes[0] = bytes[0] == 'A' ? 0 : bytes[0];
        struct decoded all = decode_trace(bytes, size, round % 2 != 0, NULL);
        assert_int_equal(all.count, (size + RECORD - 1) / RECORD + 1);
        assert_int_equal(end_of(&all)->offset, size);
        free(all.list);
        free(bytes);
    }
}

/* --- metadata --- */

/* Of a record whose text is 0 but for bytes `first` and `end`, counted from 1; all 0 if end is 0.
 */
static uint64_t text_end(enum astf_kind kind, size_t text_at, size_t first, size_t end)
{
    uint8_t trace[2 * RECORD];
    uint8_t *text = trace + RECORD + text_at;
    make_header(trace, false, false);
    clear_record(trace + RECORD, kind);
    if (end > 0) {
        text[first - 1] = 0x01;
        text[end - 1] = 0x80;
    }
    struct decoded all = decode_trace(trace, sizeof trace, false, NULL);
    const uint64_t value = derived(&all.list[1], "text_end");
    free(all.list);
    return value;
}

static void the_text_of_a_record_ends_with_its_last_byte_that_is_not_zero(void **state)
{
    (void)state;
    assert_int_equal(text_end(ASTF_string, 4, 0, 0), 0);
    assert_int_equal(text_end(ASTF_string_cont, 1, 0, 0), 0);
    for (size_t end = 1; end <= 31; end++) {
        for (size_t first = 1; first <= end; first++) {
            assert_int_equal(text_end(ASTF_string_cont, 1, first, end), end);
            assert_true(end > 28 || text_end(ASTF_string, 4, first, end) == end);
        }
    }
}

static void control_characters_are_counted_without_zeros_tabs_and_line_ends(void **state)
{
    (void)state;
    for (unsigned c = 0; c < 256; c++) {
        uint8_t trace[2 * RECORD];
        make_header(trace, false, false);
        clear_record(trace + RECORD, ASTF_string_cont);
        trace[RECORD + 1] = trace[2 * RECORD - 1] = (uint8_t)c;
        struct decoded all = decode_trace(trace, sizeof trace, false, NULL);
        const bool plain = c >= 0x20 ? c != 0x7f : c == 0 || c == 9 || c == 10 || c == 13;
        assert_int_equal(derived(&all.list[1], "control_characters"), plain ? 0 : 2);
        free(all.list);
    }
}

/* The bytes of a vector access after a Context with vectors of 1024 bits. */
static void assert_vector_bytes(uint32_t iword, bool streaming, uint64_t expected)
{
    uint8_t trace[3 * RECORD];
    make_header(trace, false, false);
    clear_record(trace + RECORD, ASTF_context);
    astf_set(trace + RECORD, context, evl, 7);
    astf_set(trace + RECORD, context, pstate_sm, streaming);
    clear_record(trace + 2 * RECORD, ASTF_instr);
    astf_set(trace + 2 * RECORD, instr, iword, iword);
    struct decoded all = decode_trace(trace, sizeof trace, false, NULL);
    assert_int_equal(derived(&all.list[2], "vector_bytes"), expected);
    free(all.list);
}

static void a_vector_access_has_at_most_the_bytes_of_its_elements(void **state)
{
    (void)state;
    assert_vector_bytes(0xa5e0a000, false, 128); /* ld1d {z0.d}, p0/z, [x0] */
    assert_vector_bytes(0xa460a000, false, 16);  /* ld1b {z0.d}: 16 bytes to doublewords */
    assert_vector_bytes(0xa5c0e000, false, 384); /* ld3d */
    assert_vector_bytes(0xa5802000, false, 16);  /* ld1rqd */
    assert_vector_bytes(0x85c0e000, false, 0);   /* ld1rd: the word gives the size */
    assert_vector_bytes(0xa5ff6000, false, 0);   /* ldff1d */
    assert_vector_bytes(0xa5f0a000, false, 0);   /* ldnf1d */
    assert_vector_bytes(0x85804000, false, 0);   /* ldr z0: no predicate */
    assert_vector_bytes(0x85c06000, false, 0);   /* prfd */
    assert_vector_bytes(0xe0800000, false, 0);   /* ld1w {za0h.s[w12, 0]} */
    assert_vector_bytes(0xe0800000, true, 128);
    assert_vector_bytes(0xf9400020, true, 0); /* ldr x0 */
}

/* --- cells that records do not fill --- */

static void assert_cells_are_0(const struct seen *event, unsigned first, unsigned behind)
{
    for (unsigned w = first; w < behind; w++) {
        assert_int_equal(event->cells[w], 0);
    }
}

/* Whatever stood in the same place of the block before. */
static void what_only_an_execution_tells_is_0_without_one(void **state)
{
    (void)state;
    enum { BLOCK = 1024 };
    const uint32_t branch = 0x14000001, nop = 0xd503201f;
    static uint8_t trace[(1 + 3 * BLOCK) * RECORD];
    make_header(trace, false, false);
    for (size_t i = 1; i <= 3 * BLOCK; i++) {
        uint8_t *record = trace + i * RECORD;
        clear_record(record, i > BLOCK && i <= 2 * BLOCK ? ASTF_context : ASTF_instr);
        if (record[0] == 0x01) {
            astf_set(record, instr, pc, 0x1000);
            astf_set(record, instr, iword, i <= BLOCK ? branch : nop);
        }
    }
    struct decoded all = decode_trace(trace, sizeof trace, false, NULL);
    for (size_t i = 1; i <= BLOCK; i++) {
        assert_int_equal(derived(&all.list[i], "direct_target"), 0x1004);
        assert_cells_are_0(&all.list[BLOCK + i], 0, 2);
        assert_int_equal(derived(&all.list[2 * BLOCK + i], "direct_target"), 0);
    }
    assert_cells_are_0(end_of(&all), ASTF_COMPARE_END, ASTF_CELLS);
    free(all.list);
}

/* --- storage --- */

static void a_header_that_announces_missing_data_is_truncated(void **state)
{
    (void)state;
    for (int use_zlib = 0; use_zlib < 2; use_zlib++) {
        for (int threaded = 0; threaded < 2; threaded++) {
            uint8_t header[RECORD];
            make_header(header, true, use_zlib);
            struct decoded all = decode_trace(header, sizeof header, threaded, NULL);
            assert_int_equal(all.count, 3);
            assert_int_equal(all.list[0].kind, ASTF_header);
            assert_int_equal(all.list[1].fault, ASTF_FAULT_TRUNCATED_STREAM);
            assert_int_equal(derived(end_of(&all), "container"),
                             use_zlib ? ASSAY_CONTAINER_ZLIB : ASSAY_CONTAINER_XZ);
            assert_int_equal(derived(end_of(&all), "stream_fault"), ASSAY_TRUNCATED);
            assert_int_equal(derived(end_of(&all), "streams"), 0);
            assert_false(all.complete);
            free(all.list);
        }
    }
}

static void data_in_an_unknown_container_is_not_decoded(void **state)
{
    (void)state;
    uint8_t trace[3 * RECORD];
    make_header(trace, true, false);
    memset(trace + RECORD, 0xee, 2 * RECORD);
    struct decoded all = decode_trace(trace, sizeof trace, true, NULL);
    assert_int_equal(all.count, 3);
    assert_int_equal(all.list[1].fault, ASTF_FAULT_UNKNOWN_CONTAINER);
    assert_int_equal(all.list[1].bits, 0);
    assert_int_equal(derived(&all.list[1], "value"), 0);
    assert_int_equal(end_of(&all)->offset, RECORD);
    assert_int_equal(derived(end_of(&all), "container"), ASSAY_CONTAINER_UNKNOWN);
    assert_false(all.complete);
    free(all.list);
}

/* 4.2.1 has LZMA and Zlib alone. */
static void zstd_is_not_a_storage_of_astf(void **state)
{
    (void)state;
    struct assay_sink sink;
    struct assay_compressor *compressor;
    uint8_t records[2 * RECORD] = {0};
    make_header(records, true, false);
    assay_sink_memory(&sink, 0);
    assay_sink_write(&sink, records, RECORD);
    assert_int_equal(assay_compressor_open(&sink, ASSAY_CONTAINER_ZSTD, &compressor, NULL),
                     ASSAY_OK);
    assay_compressor_write(compressor, records + RECORD, RECORD);
    assert_int_equal(assay_compressor_end(compressor), ASSAY_OK);
    struct decoded all = decode_trace(sink.data, sink.size, false, NULL);
    assert_int_equal(all.count, 3);
    assert_int_equal(all.list[1].fault, ASTF_FAULT_UNKNOWN_CONTAINER);
    assert_int_equal(derived(end_of(&all), "container"), ASSAY_CONTAINER_UNKNOWN);
    free(all.list);
    assay_sink_close(&sink, NULL);

    struct assay_encoder *encoder = NULL;
    struct assay_diag diag = {0};
    assay_sink_memory(&sink, 0);
    assert_int_equal(astf_encoder_ops.open(&sink, "zstd", &encoder, &diag), ASSAY_UNKNOWN_NAME);
    assert_null(encoder);
    assay_sink_close(&sink, NULL);
}

static void bytes_after_the_stream_are_counted(void **state)
{
    (void)state;
    for (size_t s = 1; s < STORAGES; s++) {
        for (size_t extra = 1; extra < 70; extra += 17) {
            uint8_t junk[70];
            memset(junk, 0xee, sizeof junk);
            struct assay_sink trace = stored_trace(storages[s], 50);
            const size_t stored = trace.size;
            assay_sink_write(&trace, junk, extra);
            struct decoded all = decode_trace(trace.data, trace.size, extra % 2 != 0, NULL);
            assert_int_equal(all.count, 52);
            assert_int_equal(derived(end_of(&all), "trailing_bytes"), extra);
            assert_int_equal(derived(end_of(&all), "stored_offset"), stored);
            assert_int_equal(all.complete, extra == 0);
            free(all.list);
            assay_sink_close(&trace, NULL);
        }
    }
}

static void consecutive_streams_are_one_trace(void **state)
{
    (void)state;
    for (size_t s = 1; s < STORAGES; s++) {
        for (int threaded = 0; threaded < 2; threaded++) {
            struct assay_sink trace = stored_trace(storages[s], 1500);
            struct assay_sink more = stored_trace(storages[s], 7);
            assay_sink_write(&trace, more.data + RECORD, more.size - RECORD);
            assay_sink_write(&trace, more.data + RECORD, more.size - RECORD);
            struct decoded all = decode_trace(trace.data, trace.size, threaded, NULL);
            assert_int_equal(all.count, 1 + 1500 + 14 + 1);
            assert_stored(&all, 1500);
            assert_true(astf_get(all.list[1501].bytes, instr, pc) == 0x1000);
            assert_int_equal(all.list[1514].offset, 1514 * RECORD);
            assert_int_equal(derived(end_of(&all), "streams"), 3);
            assert_int_equal(derived(end_of(&all), "trailing_bytes"), 0);
            free(all.list);
            assay_sink_close(&trace, NULL);
            assay_sink_close(&more, NULL);
        }
    }
}

/* Wherever it is truncated, the records before are right, and the truncation is reported once. */
static void a_truncated_stream_gives_the_records_before_its_end(void **state)
{
    (void)state;
    for (size_t s = 1; s < STORAGES; s++) {
        struct assay_sink trace = stored_trace(storages[s], 3000);
        size_t most = 0;
        for (size_t size = RECORD + 1; size < trace.size; size += 1 + trace.size / 97) {
            struct decoded all = decode_trace(trace.data, size, size % 2 != 0, NULL);
            size_t records = 1;
            while (all.list[records].kind == ASTF_instr) {
                assert_stored(&all, records++);
            }
            const struct seen *fault = &all.list[all.count - 2];
            if (derived(end_of(&all), "container") == ASSAY_CONTAINER_UNKNOWN) {
                /* Too little of the signature is left. */
                assert_true(size < RECORD + 6);
                assert_int_equal(fault->fault, ASTF_FAULT_UNKNOWN_CONTAINER);
            } else {
                assert_int_equal(fault->fault, ASTF_FAULT_TRUNCATED_STREAM);
                assert_int_equal(derived(fault, "value"), size);
                assert_int_equal(derived(end_of(&all), "stream_fault"), ASSAY_TRUNCATED);
                assert_int_equal(all.count, records + 2);
            }
            assert_false(all.complete);
            most = records > most ? records : most;
            free(all.list);
        }
        assert_true(most > 1000);
        assay_sink_close(&trace, NULL);
    }
}

static void a_stream_whose_check_is_wrong_is_corrupt(void **state)
{
    (void)state;
    static const size_t from_end[] = {[1] = 20, [3] = 2, [4] = 6};
    for (size_t s = 1; s < STORAGES; s++) {
        if (strcmp(storages[s], "lzma") == 0) {
            continue; /* has no check */
        }
        for (int threaded = 0; threaded < 2; threaded++) {
            struct assay_sink trace = stored_trace(storages[s], 100);
            trace.data[trace.size - from_end[s]] ^= 0x10;
            struct decoded all = decode_trace(trace.data, trace.size, threaded, NULL);
            const struct seen *fault = &all.list[all.count - 2];
            assert_int_equal(fault->fault, ASTF_FAULT_CORRUPT_STREAM);
            assert_int_equal(derived(end_of(&all), "stream_fault"), ASSAY_CORRUPT);
            assert_false(all.complete);
            free(all.list);
            assay_sink_close(&trace, NULL);
        }
    }
}

/* --- the encoder --- */

static void the_encoder_writes_what_the_decoder_read(void **state)
{
    (void)state;
    uint64_t seed = 22;
    uint8_t trace[300 * RECORD];
    random_fill(&seed, trace, sizeof trace);
    for (size_t i = 0; i < 300; i++) {
        const size_t kind = ASSAY_KIND_FIRST + random_below(&seed, ASTF_KIND_COUNT - 2);
        trace[i * RECORD] = (uint8_t)assay_format_astf.kinds[kind].fields[0].value;
    }
    make_header(trace, false, false);
    struct decoded all = decode_trace(trace, sizeof trace, false, NULL);
    struct assay_sink sink;
    struct assay_encoder *encoder = NULL;
    assay_sink_memory(&sink, 0);
    assert_int_equal(astf_encoder_ops.open(&sink, NULL, &encoder, NULL), ASSAY_OK);
    for (size_t i = 0; i + 1 < all.count; i++) {
        const struct assay_event event = {.bytes = all.list[i].bytes,
                                          .bits = all.list[i].bits,
                                          .kind = (uint16_t)all.list[i].kind};
        assert_int_equal(astf_encoder_ops.put(encoder, &event, NULL), ASSAY_OK);
    }
    assert_int_equal(astf_encoder_ops.close(encoder), ASSAY_OK);
    assert_int_equal(sink.size, sizeof trace);
    assert_memory_equal(sink.data, trace, sizeof trace);
    assay_sink_close(&sink, NULL);
    free(all.list);
}

static void without_a_name_the_first_header_chooses_the_storage(void **state)
{
    (void)state;
    static const enum assay_container expected[2][2] = {{ASSAY_CONTAINER_RAW, ASSAY_CONTAINER_RAW},
                                                        {ASSAY_CONTAINER_XZ, ASSAY_CONTAINER_ZLIB}};
    for (unsigned flags = 0; flags < 4; flags++) {
        struct assay_sink sink;
        struct assay_encoder *encoder = NULL;
        _Alignas(8) uint8_t record[RECORD];
        const struct assay_event event = {
            .bytes = record, .bits = ASTF_RECORD_BITS, .kind = ASTF_header};
        assay_sink_memory(&sink, 0);
        assert_int_equal(astf_encoder_ops.open(&sink, NULL, &encoder, NULL), ASSAY_OK);
        make_header(record, flags / 2 != 0, flags % 2 != 0);
        assert_int_equal(astf_encoder_ops.put(encoder, &event, NULL), ASSAY_OK);
        make_header(record, flags / 2 == 0, flags % 2 == 0);
        assert_int_equal(astf_encoder_ops.put(encoder, &event, NULL), ASSAY_OK);
        assert_int_equal(astf_encoder_ops.close(encoder), ASSAY_OK);
        struct decoded all = decode_trace(sink.data, sink.size, false, NULL);
        assert_int_equal(all.count, 3);
        assert_int_equal(all.list[1].kind, ASTF_header);
        assert_int_equal(derived(end_of(&all), "container"), expected[flags / 2][flags % 2]);
        free(all.list);
        assay_sink_close(&sink, NULL);
    }
}

static void an_unknown_storage_is_refused_by_name(void **state)
{
    (void)state;
    static const char *const names[] = {"", "zip", "unknown", "RAW"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct assay_sink sink;
        struct assay_encoder *encoder = NULL;
        struct assay_diag diag = {0};
        assay_sink_memory(&sink, 0);
        assert_int_equal(astf_encoder_ops.open(&sink, names[i], &encoder, &diag),
                         ASSAY_UNKNOWN_NAME);
        assert_non_null(strstr(diag.message, names[i]));
        assert_null(encoder);
        assay_sink_close(&sink, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_record_comes_once_at_its_offset_whatever_the_blocks),
        cmocka_unit_test(an_empty_input_is_only_an_end),
        cmocka_unit_test(a_truncated_record_is_reported_with_its_bytes),
        cmocka_unit_test(a_truncated_record_at_the_end_of_compressed_data_is_reported_too),
        cmocka_unit_test(a_record_of_an_unknown_type_is_skipped),
        cmocka_unit_test(any_bytes_are_read_to_their_end),
        cmocka_unit_test(the_text_of_a_record_ends_with_its_last_byte_that_is_not_zero),
        cmocka_unit_test(control_characters_are_counted_without_zeros_tabs_and_line_ends),
        cmocka_unit_test(a_vector_access_has_at_most_the_bytes_of_its_elements),
        cmocka_unit_test(what_only_an_execution_tells_is_0_without_one),
        cmocka_unit_test(a_header_that_announces_missing_data_is_truncated),
        cmocka_unit_test(data_in_an_unknown_container_is_not_decoded),
        cmocka_unit_test(zstd_is_not_a_storage_of_astf),
        cmocka_unit_test(bytes_after_the_stream_are_counted),
        cmocka_unit_test(consecutive_streams_are_one_trace),
        cmocka_unit_test(a_truncated_stream_gives_the_records_before_its_end),
        cmocka_unit_test(a_stream_whose_check_is_wrong_is_corrupt),
        cmocka_unit_test(the_encoder_writes_what_the_decoder_read),
        cmocka_unit_test(without_a_name_the_first_header_chooses_the_storage),
        cmocka_unit_test(an_unknown_storage_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
