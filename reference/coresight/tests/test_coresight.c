/* Frames of the CoreSight formatter: streams through the formatter and back, with every policy;
 * what the decoder makes of any bytes; alignment. What each unit gives is shown by the vectors in
 * corpus/coresight/decode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/layout.h"
#include "common/tests/random.h"
#include "coresight/mux.h"

enum { SOURCES = 5, STREAM_MOST = 3000, PUT_MOST = 40, SEEDS = 4000 };

static const uint8_t ids[SOURCES] = {0x01, 0x10, 0x11, 0x42, 0x6f};

/* --- help --- */

struct made {
    struct assay_sink sink; /* the capture */
    uint8_t bytes[SOURCES][STREAM_MOST];
    size_t size[SOURCES];
};

static struct assay_source *source_of(const void *data, size_t size)
{
    struct assay_source *source = NULL;
    assert_int_equal(assay_source_memory(data, size, &source), ASSAY_OK);
    return source;
}

/* Streams of random bytes, by turns of random length, in frames. */
static void make(struct made *made, const struct cs_policy *policy, uint64_t seed)
{
    uint64_t random = seed;
    struct cs_mux mux;
    memset(made->size, 0, sizeof made->size);
    assay_sink_memory(&made->sink, 0);
    cs_mux_begin(&mux, &made->sink, policy);
    for (size_t turns = random_next(&random) % 60; turns > 0; turns--) {
        const size_t s = random_next(&random) % SOURCES;
        const size_t size = random_next(&random) % PUT_MOST;
        uint8_t *bytes = made->bytes[s] + made->size[s];
        for (size_t n = 0; n < size; n++) {
            bytes[n] = (uint8_t)(random_next(&random) >> 20);
        }
        cs_mux_put(&mux, ids[s], bytes, size);
        made->size[s] += size;
        if (random_next(&random) % 16 == 0) {
            cs_mux_flush(&mux);
        }
    }
    cs_mux_flush(&mux);
    assert_int_equal(made->sink.error, ASSAY_OK);
}

/* All bytes of a stream; the buffer is the caller's. */
static uint8_t *read_stream(const void *capture, size_t capture_size, uint8_t id, size_t *size)
{
    struct assay_source *stream = NULL;
    const uint8_t *data = NULL;
    uint8_t *all = malloc(capture_size + 1);
    size_t have = 0;
    assert_non_null(all);
    assert_int_equal(cs_carrier_ops.open(source_of(capture, capture_size), id, &stream, NULL),
                     ASSAY_OK);
    *size = 0;
    do {
        assert_int_equal(assay_source_peek(stream, 1, &data, &have), ASSAY_OK);
        assert_true(*size + have <= capture_size);
        memcpy(all + *size, data, have);
        *size += have;
        assay_source_consume(stream, have);
    } while (have > 0);
    assay_source_close(stream);
    return all;
}

/* What a decoder says of a capture. */
struct seen {
    uint64_t events[CS_KIND_COUNT];
    uint64_t data[CS_IDS]; /* bytes of events `data` */
    uint64_t covered;      /* bytes of units, which lie one after the other */
    struct assay_carried list[CS_IDS];
    size_t streams;
    bool complete[2];
    struct assay_sink again; /* the events, encoded */
};

static void look_at(struct seen *seen, const struct assay_event *event,
                    struct assay_encoder *encoder)
{
    seen->events[event->kind]++;
    if (event->kind < CS_UNITS_END) {
        assert_true(event->offset == seen->covered);
        seen->covered += event->bits / 8;
    } else if (event->kind == CS_data) {
        seen->data[event->cells[CS_CELL_data_id]] += event->cells[CS_CELL_data_size];
    }
    assert_int_equal(cs_encoder_ops.put(encoder, event, NULL), ASSAY_OK);
}

static void decode(const void *data, size_t size, struct seen *seen)
{
    const struct assay_decode_input input = {.source = source_of(data, size)};
    const struct assay_carried *list = NULL;
    struct assay_decoder *decoder = NULL;
    struct assay_encoder *encoder = NULL;
    struct assay_block block;
    const char *why = NULL;
    memset(seen, 0, sizeof *seen);
    assay_sink_memory(&seen->again, 0);
    assert_int_equal(cs_encoder_ops.open(&seen->again, NULL, &encoder, NULL), ASSAY_OK);
    assert_int_equal(cs_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
    do {
        assert_int_equal(cs_decoder_ops.next(decoder, &block, NULL), ASSAY_OK);
        for (size_t i = 0; i < block.count; i++) {
            look_at(seen, &block.events[i], encoder);
        }
    } while (block.count > 0);
    seen->streams = cs_carrier_ops.list(decoder, &list);
    memcpy(seen->list, list, seen->streams * sizeof *list);
    seen->complete[0] = cs_decoder_ops.complete(decoder, CS_FRAMES, &why);
    seen->complete[1] = cs_decoder_ops.complete(decoder, CS_SOURCES, &why);
    cs_decoder_ops.close(decoder);
    assert_int_equal(cs_encoder_ops.close(encoder), ASSAY_OK);
    assert_int_equal(seen->events[CS_end], 1);
    assert_int_equal(seen->events[CS_summary], 1);
    assert_int_equal(seen->covered, size);
    assert_int_equal(seen->again.size, size);
    assert_memory_equal(seen->again.data, data, size);
    assay_sink_close(&seen->again, NULL);
}

static uint64_t stream_size(const struct seen *seen, uint8_t id)
{
    for (size_t i = 0; i < seen->streams; i++) {
        if (seen->list[i].id == id) {
            return seen->list[i].bytes;
        }
    }
    return 0;
}

/* The bytes at the places that `locate` gives are those of the stream. Data in an even byte has its
 * lowest bit elsewhere. */
static void check_places(const struct assay_sink *capture, uint8_t id, const uint8_t *bytes,
                         size_t size)
{
    uint64_t *offsets = calloc(size + 1, sizeof *offsets);
    struct assay_source *source = source_of(capture->data, capture->size);
    assert_non_null(offsets);
    for (size_t n = 0; n <= size; n++) {
        offsets[n] = n;
    }
    assert_int_equal(cs_carrier_ops.locate(source, id, offsets, size + 1, NULL), ASSAY_OK);
    for (size_t n = 0; n < size; n++) {
        assert_true(offsets[n] < capture->size);
        assert_int_equal(capture->data[offsets[n]] | 1, bytes[n] | 1);
        assert_true(n == 0 || offsets[n] > offsets[n - 1]);
    }
    assert_true(offsets[size] <= capture->size);
    assay_source_close(source);
    free(offsets);
}

static void check_streams(const struct made *made, const struct seen *seen, bool places)
{
    for (size_t s = 0; s < SOURCES; s++) {
        size_t size = 0;
        uint8_t *bytes = read_stream(made->sink.data, made->sink.size, ids[s], &size);
        assert_int_equal(size, made->size[s]);
        assert_memory_equal(bytes, made->bytes[s], size);
        assert_int_equal(stream_size(seen, ids[s]), size);
        assert_int_equal(seen->data[ids[s]], size);
        if (places) {
            check_places(&made->sink, ids[s], bytes, size);
        }
        free(bytes);
    }
}

/* --- through the formatter and back --- */

static void streams_come_back_whatever_the_formatter_does(void **state)
{
    (void)state;
    struct made made;
    struct seen seen;
    uint64_t kinds[CS_KIND_COUNT] = {0};
    uint64_t random = 1;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct cs_policy policy = {.seed = seed};
        uint8_t *chances[] = {&policy.repeat,    &policy.pad,     &policy.half_sync,
                              &policy.full_sync, &policy.trigger, &policy.flush};
        for (size_t i = 0; i < ASSAY_COUNT(chances); i++) {
            const bool often = (seed >> i & 1) != 0;
            *chances[i] = often ? (uint8_t)(random_next(&random) % 128) : 0;
        }
        make(&made, &policy, seed * 977 + 5);
        decode(made.sink.data, made.sink.size, &seen);
        assert_true(seen.complete[0] && seen.complete[1]);
        assert_int_equal(seen.events[CS_malformed], 0);
        assert_int_equal(seen.events[CS_unattributed], 0);
        assert_int_equal(seen.events[CS_reserved_data], 0);
        for (size_t kind = 0; kind < CS_KIND_COUNT; kind++) {
            kinds[kind] += seen.events[kind];
        }
        check_streams(&made, &seen, seed % 16 == 0);
        assay_sink_close(&made.sink, NULL);
    }
    assert_true(kinds[CS_half_sync] > 0 && kinds[CS_full_sync] > 0 && kinds[CS_part] > 0);
    assert_true(kinds[CS_trigger] > 0 && kinds[CS_flush] > 0 && kinds[CS_null_data] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_come_back_whatever_the_formatter_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
