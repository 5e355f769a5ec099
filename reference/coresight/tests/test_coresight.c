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

#include "common/tests/random.h"
#include "common/tests/turn.h"
#include "coresight/mux.h"
#include "model/framing.h"
#include "model/layout.h"

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
    assert_int_equal(cs_carrier_ops.open(source_of(capture, capture_size), ASSAY_FRAMING_CORESIGHT,
                                         id, &stream, NULL),
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
    uint64_t covered;      /* bytes of units, which lie one after the other, */
    bool blocked;          /* but for those of a DSTREAM unit */
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
        assert_true(event->offset == (seen->blocked ? seen->covered / CS_BLOCK_DATA * CS_BLOCK +
                                                          seen->covered % CS_BLOCK_DATA
                                                    : seen->covered));
        seen->covered += event->bits / 8;
    } else if (event->kind == CS_data) {
        seen->data[event->cells[CS_CELL_data_id]] += event->cells[CS_CELL_data_size];
    }
    assert_int_equal(cs_encoder_ops.put(encoder, event, NULL), ASSAY_OK);
}

/* Decodes a capture, and encodes what is found in it again: to the same bytes, or to those of the
 * trace port that a DSTREAM unit has put into blocks. */
static void decode_as(const void *data, size_t size, const void *port, size_t port_size,
                      struct seen *seen)
{
    const struct assay_decode_input input = {.source = source_of(data, size)};
    const struct assay_carried *list = NULL;
    struct assay_decoder *decoder = NULL;
    struct assay_encoder *encoder = NULL;
    struct assay_block block;
    const char *why = NULL;
    memset(seen, 0, sizeof *seen);
    seen->blocked = port_size != size;
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
    assert_int_equal(seen->covered, port_size);
    assert_int_equal(seen->again.size, port_size);
    assert_memory_equal(seen->again.data, port, port_size);
    assay_sink_close(&seen->again, NULL);
}

static void decode(const void *data, size_t size, struct seen *seen)
{
    decode_as(data, size, data, size, seen);
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
    assert_int_equal(
        cs_carrier_ops.locate(source, ASSAY_FRAMING_CORESIGHT, id, offsets, size + 1, NULL),
        ASSAY_OK);
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

static bool has_data(const struct made *made)
{
    size_t size = 0;
    for (size_t s = 0; s < SOURCES; s++) {
        size += made->size[s];
    }
    return size > 0;
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
        if (!is_in_turn(seed >> 6)) {
            continue;
        }
        struct cs_policy policy = {.seed = seed};
        uint8_t *chances[] = {&policy.repeat,    &policy.pad,     &policy.half_sync,
                              &policy.full_sync, &policy.trigger, &policy.flush};
        for (size_t i = 0; i < ASSAY_COUNT(chances); i++) {
            const bool often = (seed >> i & 1) != 0;
            *chances[i] = often ? (uint8_t)(random_next(&random) % 128) : 0;
        }
        make(&made, &policy, seed * 977 + 5);
        decode(made.sink.data, made.sink.size, &seen);
        assert_true(seen.complete[0]);
        assert_int_equal(seen.complete[1], has_data(&made));
        assert_int_equal(seen.events[CS_malformed], 0);
        assert_int_equal(seen.events[CS_unattributed], 0);
        assert_int_equal(seen.events[CS_reserved_data], 0);
        for (size_t kind = 0; kind < CS_KIND_COUNT; kind++) {
            kinds[kind] += seen.events[kind];
        }
        check_streams(&made, &seen, seed % 17 == 0);
        assay_sink_close(&made.sink, NULL);
    }
    assert_true(kinds[CS_half_sync] > 0 && kinds[CS_full_sync] > 0 && kinds[CS_part] > 0);
    assert_true(kinds[CS_trigger] > 0 && kinds[CS_flush] > 0 && kinds[CS_null_data] > 0);
}

/* --- blocks of a DSTREAM unit --- */

/* Synchronisation packets up to a whole number of blocks. */
static void fill_block(struct assay_sink *port)
{
    static const uint8_t full[CS_FULL_SYNC] = {0xff, 0xff, 0xff, 0x7f};
    if (port->size % CS_FULL_SYNC != 0) {
        assay_sink_write(port, full + CS_HALF_SYNC, CS_HALF_SYNC);
    }
    while (port->size % CS_BLOCK_DATA != 0) {
        assay_sink_write(port, full, sizeof full);
    }
}

/* Bytes of a trace port in blocks, each with the bytes of the unit, of which two are a counter. */
static struct assay_sink in_blocks(const struct assay_sink *port)
{
    uint8_t own[CS_BLOCK - CS_BLOCK_DATA] = {0x02, 0, 0, 0, 0x7e, 0, 0xe6, 0x0f};
    struct assay_sink blocks;
    assay_sink_memory(&blocks, 0);
    for (size_t at = 0; at < port->size; at += CS_BLOCK_DATA) {
        assay_sink_write(&blocks, (const uint8_t *)port->data + at, CS_BLOCK_DATA);
        assay_sink_write(&blocks, own, sizeof own);
        own[4]++;
    }
    return blocks;
}

/* --- captures of a trace port --- */

/* The units of a capture of a trace port: how many bytes are stepped over, and how many frames
 * follow; the first of them is at *first. */
static size_t stepped_over(const struct assay_sink *capture, size_t *frames, uint64_t *first)
{
    struct cs_units units = {.source = source_of(capture->data, capture->size), .of_port = true};
    struct cs_unit unit;
    size_t unaligned = 0;
    *frames = 0;
    do {
        cs_units_next(&units, &unit);
        unaligned += unit.kind == CS_UNIT_UNALIGNED ? unit.size : 0;
        *first = unit.frame != NULL && *frames == 0 ? unit.offset : *first;
        *frames += unit.frame != NULL;
    } while (unit.kind != CS_UNIT_END);
    assay_source_close(units.source);
    return unaligned;
}

/* Without a full synchronisation packet any pair of bytes can begin a frame: none is read before
 * one comes, however far away it is. */
static void frames_of_a_trace_port_are_read_where_a_packet_tells_where_they_begin(void **state)
{
    (void)state;
    static const uint8_t full[CS_FULL_SYNC] = {0xff, 0xff, 0xff, 0x7f};
    static const uint8_t frame[CS_FRAME] = {0x21, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const size_t far[] = {
        0, 1, 100, ASSAY_PEEK_MAX - 1, ASSAY_PEEK_MAX, ASSAY_PEEK_MAX + 1, 3 * ASSAY_PEEK_MAX};
    for (size_t i = 0; i < ASSAY_COUNT(far); i++) {
        struct assay_sink capture;
        size_t frames = 0;
        uint64_t first = 0;
        assay_sink_memory(&capture, 0);
        assay_sink_write(&capture, frame + 2, CS_FRAME - 2);
        for (size_t at = 0; at < far[i]; at += CS_FRAME) {
            assay_sink_write(&capture, frame, CS_FRAME);
        }
        const size_t before = capture.size;
        assert_int_equal(stepped_over(&capture, &frames, &first), before);
        assert_int_equal(frames, 0);
        assay_sink_write(&capture, full, CS_FULL_SYNC);
        assay_sink_write(&capture, frame, CS_FRAME);
        const size_t unaligned = stepped_over(&capture, &frames, &first);
        assert_true(unaligned % CS_FRAME == CS_FRAME - 2);
        assert_int_equal(first, frames > 1 ? unaligned : before + CS_FULL_SYNC);
        assert_int_equal(unaligned + (frames - 1) * CS_FRAME, before);
        assert_true(frames == 1 + far[i] / CS_FRAME + (far[i] % CS_FRAME != 0) ||
                    before > ASSAY_PEEK_MAX - CS_FULL_SYNC);
        assay_sink_close(&capture, NULL);
    }
}

/* How many reserved ids a piece of what a trace port gave has. */
static unsigned reserved_ids(const void *data, size_t size)
{
    const struct assay_decode_input input = {.source = source_of(data, size),
                                             .framing = ASSAY_FRAMING_TRACE_PORT};
    struct assay_decoder *decoder = NULL;
    struct assay_block block;
    unsigned reserved = 0;
    assert_int_equal(cs_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
    do {
        assert_int_equal(cs_decoder_ops.next(decoder, &block, NULL), ASSAY_OK);
        for (size_t i = 0; i < block.count; i++) {
            const struct assay_event *event = &block.events[i];
            reserved +=
                event->kind == CS_id && cs_is_reserved((unsigned)event->cells[CS_CELL_id_id]);
        }
    } while (block.count > 0);
    cs_decoder_ops.close(decoder);
    return reserved;
}

static void pieces_of_what_a_trace_port_gave_have_no_reserved_ids(void **state)
{
    (void)state;
    static const uint8_t full[CS_FULL_SYNC] = {0xff, 0xff, 0xff, 0x7f};
    struct made made;
    for (uint64_t seed = 1; seed < SEEDS / 16; seed++) {
        const struct cs_policy policy = {.seed = seed,
                                         .half_sync = seed % 3 == 0 ? 20 : 0,
                                         .full_sync = (uint8_t)(seed % 5 * 4)};
        uint64_t draw = seed;
        make(&made, &policy, seed * 31 + 7);
        assay_sink_write(&made.sink, full, sizeof full);
        const size_t from = random_below(&draw, made.sink.size);
        const size_t size = 1 + random_below(&draw, made.sink.size - from);
        assert_int_equal(reserved_ids((const uint8_t *)made.sink.data + from, size), 0);
        assay_sink_close(&made.sink, NULL);
    }
}

static void the_bytes_of_a_dstream_unit_are_stepped_over(void **state)
{
    (void)state;
    unsigned blocked = 0;
    struct made made;
    struct seen seen;
    for (uint64_t seed = 0; seed < SEEDS / 4; seed++) {
        if (!is_in_sanitized_turn(seed)) {
            continue;
        }
        const struct cs_policy policy = {.seed = seed,
                                         .half_sync = seed % 3 == 0 ? 20 : 0,
                                         .full_sync = (uint8_t)(20 + seed % 40)};
        make(&made, &policy, seed * 31 + 7);
        struct assay_sink port = made.sink;
        fill_block(&port);
        decode(port.data, port.size, &seen); /* bare bytes of the port are taken as they are */
        made.sink = port;
        check_streams(&made, &seen, false);
        made.sink = in_blocks(&port);
        if (cs_is_blocked(made.sink.data, made.sink.size, 1)) {
            decode_as(made.sink.data, made.sink.size, port.data, port.size, &seen);
            assert_int_equal(seen.events[CS_malformed], 0);
            check_streams(&made, &seen, seed % 17 == 0);
            const size_t cut = made.sink.size - 1 - seed % CS_BLOCK;
            assert_true(!cs_is_blocked(made.sink.data, cut, CS_SHOWN_OFTEN) ||
                        reserved_ids(made.sink.data, cut) == 0);
            blocked++;
        }
        assay_sink_close(&made.sink, NULL);
        assay_sink_close(&port, NULL);
    }
    /* Of one block nothing tells it. */
    assert_in_range(blocked, are_all_in_sanitized_turn() ? SEEDS / 8 : 1, SEEDS / 4);
}

/* Of few blocks the last one of which is cut nothing tells that they are some. */
static void what_is_not_of_whole_blocks_is_taken_as_it_is(void **state)
{
    (void)state;
    static const struct cs_policy policy = {.seed = 4, .full_sync = 30};
    struct made made;
    struct seen seen;
    for (uint64_t seed = 0; seed == 0 || made.sink.size < 3 * CS_BLOCK; seed++) {
        if (seed > 0) {
            assay_sink_close(&made.sink, NULL);
        }
        make(&made, &policy, seed);
    }
    fill_block(&made.sink);
    struct assay_sink blocks = in_blocks(&made.sink);
    assert_true(cs_is_blocked(blocks.data, blocks.size, 1));
    const size_t cut = 2 * CS_BLOCK - CS_HALF_SYNC;
    assert_true(cs_is_blocked(blocks.data, cut, 1));
    assert_false(cs_is_blocked(blocks.data, cut, CS_SHOWN_OFTEN));
    decode(blocks.data, cut, &seen);
    assert_true(seen.events[CS_part] > 0);
    assert_false(cs_is_blocked(made.sink.data, made.sink.size, 1));
    assay_sink_close(&blocks, NULL);
    assay_sink_close(&made.sink, NULL);
}

static void a_long_capture_is_the_same_as_a_short_one(void **state)
{
    (void)state;
    enum { PUTS = 60000, PUT = 37 };
    const struct cs_policy policy = {
        .seed = 3, .repeat = 9, .pad = 1, .half_sync = 5, .full_sync = 5, .trigger = 1};
    struct assay_sink sink, sent[2];
    struct cs_mux mux;
    struct seen seen;
    uint64_t random = 11;
    uint8_t bytes[PUT];
    assay_sink_memory(&sink, 0);
    cs_mux_begin(&mux, &sink, &policy);
    for (size_t s = 0; s < 2; s++) {
        assay_sink_memory(&sent[s], 0);
    }
    for (unsigned n = 0; n < PUTS; n++) {
        const size_t s = random_below(&random, 2);
        random_fill(&random, bytes, sizeof bytes);
        cs_mux_put(&mux, ids[s], bytes, sizeof bytes);
        assay_sink_write(&sent[s], bytes, sizeof bytes);
    }
    cs_mux_flush(&mux);
    decode(sink.data, sink.size, &seen);
    assert_true(seen.complete[0] && seen.complete[1]);
    assert_true(seen.events[CS_trigger] > 0 && seen.events[CS_null_data] > 0);
    assert_int_equal(seen.streams, 2);
    for (size_t s = 0; s < 2; s++) {
        size_t size = 0;
        uint8_t *got = read_stream(sink.data, sink.size, ids[s], &size);
        assert_int_equal(size, sent[s].size);
        assert_memory_equal(got, sent[s].data, size);
        free(got);
        assay_sink_close(&sent[s], NULL);
    }
    assay_sink_close(&sink, NULL);
}

static void the_formatter_uses_as_few_bytes_as_it_can(void **state)
{
    (void)state;
    /* Fourteen bytes in a frame with an id, fifteen in each of the seven after it. */
    static const struct {
        size_t bytes, frames;
    } cases[] = {{0, 0},   {1, 1},   {14, 1},   {15, 2},   {119, 8},
                 {120, 9}, {133, 9}, {134, 10}, {238, 16}, {239, 17}};
    static const uint8_t bytes[256] = {0};
    for (size_t i = 0; i < ASSAY_COUNT(cases); i++) {
        struct assay_sink sink;
        struct cs_mux mux;
        assay_sink_memory(&sink, 0);
        cs_mux_begin(&mux, &sink, NULL);
        cs_mux_put(&mux, 0x10, bytes, cases[i].bytes);
        cs_mux_flush(&mux);
        assert_int_equal(sink.size, cases[i].frames * CS_FRAME);
        if (cases[i].frames > 8) { /* the id is said again where a frame begins */
            assert_int_equal(((const uint8_t *)sink.data)[8 * CS_FRAME], 0x21);
        }
        assay_sink_close(&sink, NULL);
    }
}

static void a_trace_port_with_full_synchronisation_packets_begins_with_one(void **state)
{
    (void)state;
    static const struct cs_policy policy = {.full_sync = 1};
    struct assay_sink sink;
    struct cs_mux mux;
    assay_sink_memory(&sink, 0);
    cs_mux_begin(&mux, &sink, &policy);
    cs_mux_put(&mux, 0x10, (const uint8_t[8]){0}, 8);
    cs_mux_flush(&mux);
    assert_true(cs_is_full_sync(sink.data, sink.size));
    assay_sink_close(&sink, NULL);
}

/* After an id in the last even byte there is no byte in the frame that could be of the source
 * before, which its auxiliary bit would say. */
static void an_id_in_the_last_place_of_a_frame_has_no_auxiliary_bit(void **state)
{
    (void)state;
    static const struct cs_policy policy = {.seed = 1, .repeat = 100};
    static const uint8_t bytes[2000] = {0};
    struct assay_sink sink;
    struct cs_mux mux;
    unsigned last = 0;
    assay_sink_memory(&sink, 0);
    cs_mux_begin(&mux, &sink, &policy);
    cs_mux_put(&mux, 0x10, bytes, sizeof bytes);
    cs_mux_flush(&mux);
    for (size_t at = 0; at < sink.size; at += CS_FRAME) {
        const uint8_t *frame = (const uint8_t *)sink.data + at;
        if ((frame[CS_SLOTS - 1] & 1) != 0) {
            assert_int_equal(frame[CS_AUXILIARY] >> 7, 0);
            last++;
        }
    }
    assert_true(last > 0);
    assay_sink_close(&sink, NULL);
}

static void what_is_added_between_the_sources_is_zero(void **state)
{
    (void)state;
    static const struct cs_policy policy = {.seed = 1, .pad = 100, .trigger = 50, .flush = 50};
    static const uint8_t bytes[500] = {0};
    struct assay_sink sink;
    struct cs_mux mux;
    assay_sink_memory(&sink, 0);
    cs_mux_begin(&mux, &sink, &policy);
    cs_mux_put(&mux, 0x10, bytes, sizeof bytes);
    cs_mux_flush(&mux);
    for (size_t at = 0; at < sink.size; at++) {
        if (at % 2 == 1 && at % CS_FRAME != CS_AUXILIARY) {
            assert_int_equal(((const uint8_t *)sink.data)[at], 0);
        }
    }
    assay_sink_close(&sink, NULL);
}

/* A half synchronisation packet is between pairs of bytes: 0xff and 0x7f in two pairs are none. */
static void a_synchronisation_packet_begins_at_an_even_place(void **state)
{
    (void)state;
    static const uint8_t capture[] = {0xff, 0xff, 0xff, 0x7f, 0x21, 0xff, 0x7f, 3,  0xff, 0x7f, 4,
                                      5,    6,    7,    8,    9,    10,   11,   12, 13,   14,   0};
    size_t size = 0;
    uint8_t *stream = read_stream(capture, sizeof capture, 0x10, &size);
    assert_int_equal(size, 1);
    assert_int_equal(stream[0], 0xff);
    free(stream);
    stream = read_stream(capture, sizeof capture, 0x3f, &size);
    assert_int_equal(size, 12);
    free(stream);
}

/* A seed of 0 is one as any other: what comes with chances of 1 in 2 does not go on for ever. */
static void a_formatter_ends_with_any_seed(void **state)
{
    (void)state;
    static const struct cs_policy policy = {.half_sync = 128, .full_sync = 128, .pad = 128};
    struct assay_sink sink;
    struct cs_mux mux;
    assay_sink_memory(&sink, 0);
    cs_mux_begin(&mux, &sink, &policy);
    cs_mux_put(&mux, 0x10, (const uint8_t[8]){0}, 8);
    cs_mux_flush(&mux);
    assert_true(sink.size >= CS_FRAME);
    assay_sink_close(&sink, NULL);
}

static void the_encoder_takes_ids_of_sources_only(void **state)
{
    (void)state;
    static const uint32_t wrong[] = {0, 0x70, 0x7b, 0x7d, 0x7f, 0x80, 0x110, UINT32_MAX};
    struct assay_encoder *encoder = NULL;
    struct assay_sink sink;
    struct assay_diag diag;
    assay_sink_memory(&sink, 0);
    assert_int_equal(cs_encoder_ops.open(&sink, "xz", &encoder, &diag), ASSAY_UNKNOWN_NAME);
    assert_int_equal(cs_encoder_ops.open(&sink, NULL, &encoder, &diag), ASSAY_OK);
    for (size_t i = 0; i < ASSAY_COUNT(wrong); i++) {
        assert_int_equal(cs_encoder_ops.put_stream(encoder, wrong[i], "", 1, &diag),
                         ASSAY_OUT_OF_RANGE);
    }
    assert_int_equal(cs_encoder_ops.put_stream(encoder, 0x6f, "", 1, &diag), ASSAY_OK);
    assert_int_equal(cs_encoder_ops.close(encoder), ASSAY_OK);
    assert_int_equal(sink.size, CS_FRAME);
    assay_sink_close(&sink, NULL);
}

/* --- what is no capture of a formatter --- */

/* Bytes of which many are ids, synchronisation packets and parts of such. */
static void fill_wildly(uint64_t *random, uint8_t *bytes, size_t size)
{
    static const uint8_t often[] = {0xff, 0x7f, 0x21, 0x23, 0x01, 0xfb, 0xf7, 0xe1};
    for (size_t n = 0; n < size; n++) {
        const uint64_t r = random_next(random) >> 32;
        bytes[n] = r % 4 == 0   ? often[(r >> 2) % ASSAY_COUNT(often)]
                   : r % 64 < 8 ? 0xff
                                : (uint8_t)(r >> 8);
    }
}

static void any_bytes_come_back_and_each_stream_is_as_long_as_it_is_said_to_be(void **state)
{
    (void)state;
    enum { MOST = 600 };
    uint64_t random = 99;
    uint64_t kinds[CS_KIND_COUNT] = {0};
    uint8_t bytes[MOST];
    struct seen seen;
    for (unsigned n = 0; n < SEEDS; n++) {
        const size_t size = random_below(&random, MOST);
        fill_wildly(&random, bytes, size);
        if (!is_in_sanitized_turn(n)) {
            continue;
        }
        decode(bytes, size, &seen);
        for (size_t kind = 0; kind < CS_KIND_COUNT; kind++) {
            kinds[kind] += seen.events[kind];
        }
        for (size_t s = 0; s < SOURCES; s++) {
            size_t length = 0;
            free(read_stream(bytes, size, ids[s], &length));
            assert_int_equal(stream_size(&seen, ids[s]), length);
            assert_int_equal(seen.data[ids[s]], length);
        }
    }
    for (size_t kind = 0; kind < CS_KIND_COUNT; kind++) {
        assert_true(kinds[kind] > 0 || kind == CS_barrier);
    }
}

/* From each of the first places of a capture on the frames are found again: the streams end as they
 * did, and lack what comes before the first id that is read. */
static void check_beginnings(const struct made *made)
{
    struct seen seen;
    for (size_t from = 0; from < 3 * CS_FRAME; from++) {
        const uint8_t *data = made->sink.data + from;
        const size_t size = made->sink.size - from;
        decode(data, size, &seen);
        assert_int_equal(seen.events[CS_reserved_data], 0);
        for (size_t s = 0; s < SOURCES; s++) {
            size_t length = 0;
            uint8_t *bytes = read_stream(data, size, ids[s], &length);
            assert_true(length <= made->size[s] && length + 12 * CS_FRAME >= made->size[s]);
            assert_memory_equal(bytes, made->bytes[s] + made->size[s] - length, length);
            free(bytes);
        }
    }
}

static void frames_are_found_wherever_a_capture_begins(void **state)
{
    (void)state;
    unsigned checked = 0;
    for (uint64_t seed = 1; seed < 60; seed++) {
        if (!is_in_sanitized_turn(seed)) {
            continue;
        }
        const struct cs_policy policy = {.seed = seed, .full_sync = 60, .half_sync = 30};
        struct made made;
        make(&made, &policy, seed * 7919);
        if (made.sink.size > 40 * CS_FRAME) {
            check_beginnings(&made);
            checked++;
        }
        assay_sink_close(&made.sink, NULL);
    }
    assert_true(checked > (are_all_in_sanitized_turn() ? 10U : 0U));
}

static void a_place_that_is_not_in_the_capture_is_an_error(void **state)
{
    (void)state;
    static const uint8_t frame[CS_FRAME] = {0x21, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0};
    uint64_t offsets[] = {0, 13, 14, 15};
    struct assay_diag diag;
    struct assay_source *source = source_of(frame, sizeof frame);
    assert_int_equal(
        cs_carrier_ops.locate(source, ASSAY_FRAMING_CORESIGHT, 0x10, offsets, 4, &diag),
        ASSAY_TRUNCATED);
    assay_source_close(source);
    source = source_of(frame, sizeof frame);
    offsets[0] = 0, offsets[1] = 13, offsets[2] = 14;
    assert_int_equal(
        cs_carrier_ops.locate(source, ASSAY_FRAMING_CORESIGHT, 0x10, offsets, 3, &diag), ASSAY_OK);
    assert_int_equal(offsets[0], 1);
    assert_int_equal(offsets[1], 14);
    assert_int_equal(offsets[2], CS_FRAME);
    assay_source_close(source);
}

/* What is lost of a frame, or before a barrier, can have changed the source. */
static void after_a_barrier_or_a_frame_that_is_cut_a_stream_goes_on_with_its_id(void **state)
{
    (void)state;
    static const uint8_t first[CS_FRAME] = {0x21, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0};
    static const uint8_t second[CS_FRAME] = {2, 4, 0x21, 6};
    static const uint8_t sync[CS_FULL_SYNC] = {0xff, 0xff, 0xff, 0x7f};
    /* Pairs of bytes of a frame, and synchronisation packets, between the two. Four packets are a
     * barrier only where a trace port has shown none. */
    static const struct {
        bool port;
        unsigned pairs, syncs;
        size_t size; /* of the stream */
    } cases[] = {{true, 0, 0, 28}, {true, 0, 1, 28},  {true, 0, 4, 28}, {true, 1, 1, 26},
                 {true, 3, 1, 26}, {false, 0, 0, 28}, {false, 0, 4, 26}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t capture[4 * CS_FRAME] = {0};
        size_t end = cases[i].port ? CS_FULL_SYNC : 0;
        size_t size = 0;
        memcpy(capture, sync, end);
        memcpy(capture + end, first, CS_FRAME);
        end += CS_FRAME;
        end += 2 * (size_t)cases[i].pairs;
        for (unsigned n = 0; n < cases[i].syncs; n++, end += CS_FULL_SYNC) {
            memcpy(capture + end, sync, CS_FULL_SYNC);
        }
        memcpy(capture + end, second, CS_FRAME);
        uint8_t *stream = read_stream(capture, end + CS_FRAME, 0x10, &size);
        if (size != cases[i].size) {
            fail_msg("case %zu: %zu bytes", i, size);
        }
        assert_int_equal(stream[14], size == 28 ? 2 : 6);
        free(stream);
    }
}

static void only_a_full_synchronisation_packet_is_a_magic(void **state)
{
    (void)state;
    assert_true(assay_format_coresight.probe((const uint8_t *)"\xff\xff\xff\x7f", 4));
    assert_false(assay_format_coresight.probe((const uint8_t *)"\xff\xff\xff\x7f", 3));
    assert_false(assay_format_coresight.probe((const uint8_t *)"\xff\x7f\xff\x7f", 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_come_back_whatever_the_formatter_does),
        cmocka_unit_test(frames_of_a_trace_port_are_read_where_a_packet_tells_where_they_begin),
        cmocka_unit_test(pieces_of_what_a_trace_port_gave_have_no_reserved_ids),
        cmocka_unit_test(the_bytes_of_a_dstream_unit_are_stepped_over),
        cmocka_unit_test(what_is_not_of_whole_blocks_is_taken_as_it_is),
        cmocka_unit_test(a_long_capture_is_the_same_as_a_short_one),
        cmocka_unit_test(the_formatter_uses_as_few_bytes_as_it_can),
        cmocka_unit_test(a_trace_port_with_full_synchronisation_packets_begins_with_one),
        cmocka_unit_test(an_id_in_the_last_place_of_a_frame_has_no_auxiliary_bit),
        cmocka_unit_test(what_is_added_between_the_sources_is_zero),
        cmocka_unit_test(a_synchronisation_packet_begins_at_an_even_place),
        cmocka_unit_test(a_formatter_ends_with_any_seed),
        cmocka_unit_test(the_encoder_takes_ids_of_sources_only),
        cmocka_unit_test(any_bytes_come_back_and_each_stream_is_as_long_as_it_is_said_to_be),
        cmocka_unit_test(frames_are_found_wherever_a_capture_begins),
        cmocka_unit_test(a_place_that_is_not_in_the_capture_is_an_error),
        cmocka_unit_test(after_a_barrier_or_a_frame_that_is_cut_a_stream_goes_on_with_its_id),
        cmocka_unit_test(only_a_full_synchronisation_packet_is_a_magic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
