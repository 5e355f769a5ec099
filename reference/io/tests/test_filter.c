/* Filters and compressors on data that is as it should be. */
#include "io/tests/filter_support.h"

#include <lzma.h>

static void what_is_compressed_comes_back(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 31, 5000000};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const struct blob original = sample(sizes[s]);
        for (size_t c = 0; c < CONTAINERS; c++) {
            const struct blob packed = compress_with(containers[c], original);
            for (int threaded = 0; threaded < 2; threaded++) {
                const struct assay_source_status status =
                    decode_whole(packed, containers[c], threaded, original);
                assert_int_equal(status.streams, 1);
                assert_int_equal(status.trailing_bytes, 0);
            }
            free(packed.data);
        }
        free(original.data);
    }
}

static void raw_bytes_are_copied_both_ways(void **state)
{
    (void)state;
    const struct blob original = sample(300000);
    const struct blob packed = compress_with(ASSAY_CONTAINER_RAW, original);
    assert_int_equal(packed.size, original.size);
    const struct assay_source_status status =
        decode_whole(packed, ASSAY_CONTAINER_RAW, true, original);
    assert_int_equal(status.streams, 0);
    free(packed.data);
    free(original.data);
}

static enum assay_container probe(const void *data, size_t size)
{
    struct assay_source *source;
    assert_int_equal(assay_source_memory(data, size, &source), ASSAY_OK);
    const enum assay_container container = assay_container_probe(source);
    assert_int_equal(assay_source_offset(source), 0);
    assay_source_close(source);
    return container;
}

static void a_container_is_told_by_its_signature(void **state)
{
    (void)state;
    const struct blob original = sample(100);
    for (size_t c = 0; c < CONTAINERS; c++) {
        const struct blob packed = compress_with(containers[c], original);
        assert_int_equal(probe(packed.data, packed.size), containers[c]);
        free(packed.data);
    }
    free(original.data);
}

static void near_misses_of_signatures_are_unknown(void **state)
{
    (void)state;
    assert_int_equal(probe("", 0), ASSAY_CONTAINER_UNKNOWN);
    assert_int_equal(probe("\xfd"
                           "7zXZ",
                           5),
                     ASSAY_CONTAINER_UNKNOWN);
    assert_int_equal(probe("\x1f\x8c\x08", 3), ASSAY_CONTAINER_UNKNOWN);
    assert_int_equal(probe("\x78\x9d", 2), ASSAY_CONTAINER_UNKNOWN); /* FCHECK is wrong */
    assert_int_equal(probe("\x88\x1c", 2), ASSAY_CONTAINER_UNKNOWN); /* a window of 64 KiB */
    assert_int_equal(probe("\x79\x17", 2), ASSAY_CONTAINER_UNKNOWN); /* no deflate */
    assert_int_equal(probe("\x78\x01", 2), ASSAY_CONTAINER_ZLIB);
    assert_int_equal(probe("\x28\xb5\x2f", 3), ASSAY_CONTAINER_UNKNOWN);
    assert_int_equal(probe("\x27\xb5\x2f\xfd", 4), ASSAY_CONTAINER_UNKNOWN); /* zstd 0.7 */
    assert_int_equal(probe("\x60\x2a\x4d\x18", 4), ASSAY_CONTAINER_UNKNOWN);
    assert_int_equal(probe("\x5f\x2a\x4d\x18", 4), ASSAY_CONTAINER_ZSTD);
}

static void lzma_is_told_by_the_plausibility_of_its_header(void **state)
{
    (void)state;
    static const uint8_t good[] = {0x5d, 0, 0, 0x80, 0, 255, 255, 255, 255, 255, 255, 255, 255, 0};
    static const struct {
        size_t at;
        uint8_t value;
        enum assay_container expected;
    } changes[] = {
        {0, 224, ASSAY_CONTAINER_LZMA},     {0, 225, ASSAY_CONTAINER_UNKNOWN},
        {3, 0xc0, ASSAY_CONTAINER_LZMA}, /* 2^23 + 2^22 */
        {3, 0xa0, ASSAY_CONTAINER_UNKNOWN}, {3, 0xe0, ASSAY_CONTAINER_UNKNOWN},
        {3, 0, ASSAY_CONTAINER_UNKNOWN},    {1, 1, ASSAY_CONTAINER_UNKNOWN},
        {12, 0, ASSAY_CONTAINER_LZMA},      {12, 254, ASSAY_CONTAINER_UNKNOWN},
        {13, 1, ASSAY_CONTAINER_UNKNOWN},
    };
    assert_int_equal(probe(good, sizeof good), ASSAY_CONTAINER_LZMA);
    assert_int_equal(probe(good, 13), ASSAY_CONTAINER_LZMA);
    assert_int_equal(probe(good, 12), ASSAY_CONTAINER_UNKNOWN);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        uint8_t header[sizeof good];
        memcpy(header, good, sizeof good);
        header[changes[i].at] = changes[i].value;
        assert_int_equal(probe(header, sizeof header), changes[i].expected);
    }
}

static void containers_have_names(void **state)
{
    (void)state;
    assert_string_equal(assay_container_name(ASSAY_CONTAINER_XZ), "xz");
    assert_string_equal(assay_container_name(ASSAY_CONTAINER_UNKNOWN), "unknown");
    assert_string_equal(assay_container_name(ASSAY_CONTAINER_COUNT), "unknown");
}

static void streams_that_follow_at_once_are_one_text(void **state)
{
    (void)state;
    static const size_t sizes[] = {300000, 0, 1, 70000};
    const size_t count = sizeof sizes / sizeof sizes[0];
    for (size_t c = 0; c < CONTAINERS; c++) {
        struct blob original = blob_of("", 0);
        struct blob packed = blob_of("", 0);
        for (size_t s = 0; s < count; s++) {
            const struct blob part = sample(sizes[s]);
            const struct blob stream = compress_with(containers[c], part);
            append(&original, part.data, part.size);
            append(&packed, stream.data, stream.size);
            free(part.data);
            free(stream.data);
        }
        for (int threaded = 0; threaded < 2; threaded++) {
            const struct assay_source_status status =
                decode_whole(packed, containers[c], threaded, original);
            assert_int_equal(status.streams, count);
            assert_int_equal(status.trailing_bytes, 0);
        }
        free(original.data);
        free(packed.data);
    }
}

static void bytes_after_the_last_stream_are_counted(void **state)
{
    (void)state;
    const struct blob original = sample(1000);
    static const char garbage[] = "#these are no stream";
    for (size_t c = 0; c < CONTAINERS; c++) {
        struct blob packed = compress_with(containers[c], original);
        const size_t stored = packed.size;
        append(&packed, garbage, sizeof garbage);
        for (int threaded = 0; threaded < 2; threaded++) {
            const struct assay_source_status status =
                decode_whole(packed, containers[c], threaded, original);
            assert_int_equal(status.streams, 1);
            assert_int_equal(status.trailing_bytes, sizeof garbage);
            assert_int_equal(status.stored_offset, stored);
        }
        free(packed.data);
    }
    free(original.data);
}

static void padding_between_xz_streams_comes_in_fours(void **state)
{
    (void)state;
    static const uint8_t zeros[1 << 17];
    static const struct {
        size_t padding;
        uint64_t streams;
    } cases[] = {{4, 2}, {8, 2}, {sizeof zeros, 2}, {3, 1}, {5, 1}};
    const struct blob half = sample(1000);
    struct blob twice = blob_of(half.data, half.size);
    append(&twice, half.data, half.size);
    const struct blob stream = compress_with(ASSAY_CONTAINER_XZ, half);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct blob packed = blob_of(stream.data, stream.size);
        append(&packed, zeros, cases[i].padding);
        append(&packed, stream.data, stream.size);
        const struct assay_source_status status = decode_whole(
            packed, ASSAY_CONTAINER_XZ, i % 2 == 0, cases[i].streams == 2 ? twice : half);
        assert_int_equal(status.streams, cases[i].streams);
        const size_t extra = cases[i].padding % 4 + stream.size;
        assert_int_equal(status.trailing_bytes, cases[i].streams == 2 ? 0 : extra);
        free(packed.data);
    }
    free(stream.data);
    free(twice.data);
    free(half.data);
}

/* .lzma with its size in the header and no marker at the end, as LZMA Utils and others write it. */
static struct blob lzma_of_known_size(struct blob original)
{
    lzma_options_lzma options;
    assert_false(lzma_lzma_preset(&options, 1));
    options.ext_flags = 0;
    lzma_set_ext_size(options, original.size);
    const lzma_filter filters[] = {{.id = LZMA_FILTER_LZMA1EXT, .options = &options},
                                   {.id = LZMA_VLI_UNKNOWN}};
    uint8_t header[13] = {(uint8_t)((options.pb * 5 + options.lp) * 9 + options.lc)};
    for (unsigned i = 0; i < 4; i++) {
        header[1 + i] = (uint8_t)(options.dict_size >> (8 * i));
    }
    for (unsigned i = 0; i < 8; i++) {
        header[5 + i] = (uint8_t)((uint64_t)original.size >> (8 * i));
    }
    uint8_t *out = malloc(original.size * 2 + 1000);
    size_t size = 0;
    assert_int_equal(lzma_raw_buffer_encode(filters, NULL, original.data, original.size, out, &size,
                                            original.size * 2 + 1000),
                     LZMA_OK);
    struct blob packed = blob_of(header, sizeof header);
    append(&packed, out, size);
    free(out);
    return packed;
}

static void the_end_of_lzma_with_a_known_size_is_found(void **state)
{
    (void)state;
    /* A multiple of the blocks' size too: there the output is full just when the stream ends. */
    static const size_t sizes[] = {1, 5000, ASSAY_PEEK_MAX, 2 * ASSAY_PEEK_MAX};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const struct blob original = sample(sizes[s]);
        struct blob packed = lzma_of_known_size(original);
        for (int threaded = 0; threaded < 2; threaded++) {
            assert_int_equal(decode_whole(packed, ASSAY_CONTAINER_LZMA, threaded, original).streams,
                             1);
        }
        struct blob twice = blob_of(original.data, original.size);
        append(&twice, original.data, original.size);
        const struct blob copy = blob_of(packed.data, packed.size);
        append(&packed, copy.data, copy.size);
        append(&packed, "end", 3);
        const struct assay_source_status status =
            decode_whole(packed, ASSAY_CONTAINER_LZMA, true, twice);
        assert_int_equal(status.streams, 2);
        assert_int_equal(status.trailing_bytes, 3);
        free(copy.data);
        free(twice.data);
        free(packed.data);
        free(original.data);
    }
}

static void skippable_frames_of_zstd_give_nothing(void **state)
{
    (void)state;
    static const uint8_t skippable[] = {0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};
    const struct blob original = sample(70000);
    const struct blob frame = compress_with(ASSAY_CONTAINER_ZSTD, original);
    struct blob packed = blob_of(skippable, sizeof skippable);
    append(&packed, frame.data, frame.size);
    append(&packed, skippable, sizeof skippable);
    assert_int_equal(probe(packed.data, packed.size), ASSAY_CONTAINER_ZSTD);
    for (int threaded = 0; threaded < 2; threaded++) {
        const struct assay_source_status status =
            decode_whole(packed, ASSAY_CONTAINER_ZSTD, threaded, original);
        assert_int_equal(status.streams, 3);
        assert_int_equal(status.trailing_bytes, 0);
    }
    free(packed.data);
    free(frame.data);
    free(original.data);
}

static void a_filter_may_lie_over_a_filter(void **state)
{
    (void)state;
    const struct blob original = sample(1000000);
    const struct blob inner = compress_with(ASSAY_CONTAINER_XZ, original);
    struct blob outer = compress_with(ASSAY_CONTAINER_GZIP, inner);
    append(&outer, "tail", 4);
    for (int threaded = 0; threaded < 2; threaded++) {
        struct assay_source *below =
            open_packed(outer.data, outer.size, ASSAY_CONTAINER_GZIP, threaded);
        assert_int_equal(assay_container_probe(below), ASSAY_CONTAINER_XZ);
        struct assay_source *source;
        assert_int_equal(assay_filter_open(below, ASSAY_CONTAINER_XZ, threaded, &source, NULL),
                         ASSAY_OK);
        assert_int_equal(read_against(source, original), ASSAY_OK);
        assert_int_equal(assay_source_offset(source), original.size);
        struct assay_source_status status;
        assay_source_status(source, &status);
        assert_int_equal(status.stored_offset, outer.size - 4);
        assert_int_equal(status.stored_size, outer.size);
        assert_int_equal(status.trailing_bytes, 4);
        assert_int_equal(status.streams, 1);
        assay_source_close(source);
    }
    free(outer.data);
    free(inner.data);
    free(original.data);
}

static void a_filter_begins_at_the_present_place(void **state)
{
    (void)state;
    const struct blob original = sample(1000);
    const struct blob stream = compress_with(ASSAY_CONTAINER_ZLIB, original);
    struct blob packed = blob_of("head", 4);
    append(&packed, stream.data, stream.size);
    struct assay_source *under;
    struct assay_source *source;
    assert_int_equal(assay_source_memory(packed.data, packed.size, &under), ASSAY_OK);
    assay_source_consume(under, 4);
    assert_int_equal(assay_container_probe(under), ASSAY_CONTAINER_ZLIB);
    assert_int_equal(assay_filter_open(under, ASSAY_CONTAINER_ZLIB, false, &source, NULL),
                     ASSAY_OK);
    assert_int_equal(read_against(source, original), ASSAY_OK);
    struct assay_source_status status;
    assay_source_status(source, &status);
    assert_int_equal(status.stored_offset, packed.size);
    assay_source_close(source);
    free(packed.data);
    free(stream.data);
    free(original.data);
}

static void the_stored_offset_goes_with_the_bytes_shown(void **state)
{
    (void)state;
    const struct blob original = sample(5000000);
    const struct blob packed = compress_with(ASSAY_CONTAINER_GZIP, original);
    for (int threaded = 0; threaded < 2; threaded++) {
        struct assay_source *source =
            open_packed(packed.data, packed.size, ASSAY_CONTAINER_GZIP, threaded);
        struct assay_source_status status;
        assay_source_status(source, &status);
        assert_int_equal(status.stored_offset, 0);
        uint64_t before = 0;
        const uint8_t *data;
        size_t have;
        while (assay_source_peek(source, 1, &data, &have) == ASSAY_OK && have > 0) {
            assay_source_status(source, &status);
            assert_true(status.stored_offset > before);
            before = status.stored_offset;
            assay_source_consume(source, have);
        }
        assert_int_equal(before, packed.size);
        assay_source_close(source);
    }
    free(packed.data);
    free(original.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_compressed_comes_back),
        cmocka_unit_test(raw_bytes_are_copied_both_ways),
        cmocka_unit_test(a_container_is_told_by_its_signature),
        cmocka_unit_test(near_misses_of_signatures_are_unknown),
        cmocka_unit_test(lzma_is_told_by_the_plausibility_of_its_header),
        cmocka_unit_test(containers_have_names),
        cmocka_unit_test(streams_that_follow_at_once_are_one_text),
        cmocka_unit_test(bytes_after_the_last_stream_are_counted),
        cmocka_unit_test(padding_between_xz_streams_comes_in_fours),
        cmocka_unit_test(the_end_of_lzma_with_a_known_size_is_found),
        cmocka_unit_test(skippable_frames_of_zstd_give_nothing),
        cmocka_unit_test(a_filter_may_lie_over_a_filter),
        cmocka_unit_test(a_filter_begins_at_the_present_place),
        cmocka_unit_test(the_stored_offset_goes_with_the_bytes_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
