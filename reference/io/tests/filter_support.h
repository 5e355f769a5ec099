/* What the tests of filters share: sample data, compressing in memory, decoding and comparing. */
#ifndef ASSAY_COMMON_TESTS_FILTER_SUPPORT_H
#define ASSAY_COMMON_TESTS_FILTER_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "io/filter.h"

static const enum assay_container containers[] = {ASSAY_CONTAINER_XZ, ASSAY_CONTAINER_LZMA,
                                                  ASSAY_CONTAINER_ZLIB, ASSAY_CONTAINER_GZIP,
                                                  ASSAY_CONTAINER_ZSTD};
enum { CONTAINERS = sizeof containers / sizeof containers[0] };

struct blob {
    uint8_t *data; /* owned */
    size_t size;
};

static inline struct blob blob_of(const void *data, size_t size)
{
    struct blob blob = {.data = malloc(size + 1), .size = size};
    assert_non_null(blob.data);
    if (size > 0) {
        memcpy(blob.data, data, size);
    }
    return blob;
}

static inline void append(struct blob *blob, const void *data, size_t size)
{
    blob->data = realloc(blob->data, blob->size + size + 1);
    assert_non_null(blob->data);
    memcpy(blob->data + blob->size, data, size);
    blob->size += size;
}

/* Stretches of noise and of repetition in turn. */
static inline struct blob sample(size_t size)
{
    struct blob blob = {.data = malloc(size + 1), .size = size};
    assert_non_null(blob.data);
    uint64_t x = 88172645463325252u;
    for (size_t i = 0; i < size; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        blob.data[i] = (i >> 12 & 3) == 0 ? (uint8_t)x : (uint8_t)(i % 32 + (i >> 14));
    }
    return blob;
}

static inline struct blob compress_with(enum assay_container container, struct blob original)
{
    struct assay_sink sink;
    struct assay_compressor *compressor;
    assay_sink_memory(&sink, 0);
    assert_int_equal(assay_compressor_open(&sink, container, &compressor, NULL), ASSAY_OK);
    size_t at = 0;
    for (size_t n = 1; at < original.size; n = n * 11 % 100003 + 1) {
        const size_t size = n < original.size - at ? n : original.size - at;
        assert_int_equal(assay_compressor_write(compressor, original.data + at, size), ASSAY_OK);
        at += size;
    }
    assert_int_equal(assay_compressor_end(compressor), ASSAY_OK);
    struct blob packed = blob_of(sink.data, sink.size);
    assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_OK);
    return packed;
}

static inline struct assay_source *open_packed(const uint8_t *data, size_t size,
                                               enum assay_container container, bool threaded)
{
    struct assay_source *under;
    struct assay_source *source = NULL;
    assert_int_equal(assay_source_memory(data, size, &under), ASSAY_OK);
    assert_int_equal(assay_filter_open(under, container, threaded, &source, NULL), ASSAY_OK);
    return source;
}

/* Reads to the end with peeks of changing sizes; each byte shown must be the original's. Returns
 * what the last peek said; the number of bytes is the source's offset. */
static inline enum assay_error read_against(struct assay_source *source, struct blob original)
{
    size_t want = 1;
    for (;;) {
        const uint8_t *data;
        size_t have;
        const enum assay_error error = assay_source_peek(source, want, &data, &have);
        const uint64_t at = assay_source_offset(source);
        assert_true(have >= want || error != ASSAY_OK || at + have == original.size);
        assert_true(at + have <= original.size);
        if (have == 0) {
            return error;
        }
        assert_memory_equal(data, original.data + at, have < want ? have : want);
        const size_t step = want < 1000 ? want : want - want / 7;
        assay_source_consume(source, step < have ? step : have);
        want = want * 13 % ASSAY_PEEK_MAX + 1;
    }
}

/* Decodes all; the bytes must be the original's first ones. */
static inline struct assay_source_status decode(const uint8_t *data, size_t size,
                                                enum assay_container container, bool threaded,
                                                struct blob original, uint64_t *length)
{
    struct assay_source *source = open_packed(data, size, container, threaded);
    const enum assay_error error = read_against(source, original);
    struct assay_source_status status;
    assay_source_status(source, &status);
    assert_int_equal(error, status.fault);
    assert_int_equal(status.stored_size, size);
    *length = assay_source_offset(source);
    assay_source_close(source);
    return status;
}

/* Decodes all, which must be original without a fault. */
static inline struct assay_source_status decode_whole(struct blob packed,
                                                      enum assay_container container, bool threaded,
                                                      struct blob original)
{
    uint64_t length;
    const struct assay_source_status status =
        decode(packed.data, packed.size, container, threaded, original, &length);
    assert_int_equal(status.fault, ASSAY_OK);
    assert_string_equal(status.detail, "");
    assert_int_equal(length, original.size);
    assert_int_equal(status.stored_offset + status.trailing_bytes, packed.size);
    return status;
}

#endif
