/* Packets of ETE there and back, and what the decoder makes of any bytes. What each packet gives is
 * shown by the vectors in corpus/ete/decode. */
#include "ete/tests/ete_support.h"

#include "common/layout.h"
#include "common/source_private.h"
#include "common/tests/random.h"

/* An A-sync, and a Trace Info that says nothing. */
#define ASYNC "\0\0\0\0\0\0\0\0\0\0\0\x80"
#define START ASYNC "\x01\0"
enum { ASYNC_SIZE = 12, START_SIZE = 14, ROOM = ETE_PACKET_MOST + 8 };

static struct assay_parameter_values unknown(void)
{
    struct assay_parameter_values values;
    assay_parameters_init(&values, assay_format_ete.parameters);
    return values;
}

static struct assay_parameter_values registers(uint64_t idr0, uint64_t idr8)
{
    struct assay_parameter_values values = unknown();
    values.value[ETE_TRCIDR0] = idr0;
    values.value[ETE_TRCIDR8] = idr8;
    values.known[ETE_TRCIDR0] = values.known[ETE_TRCIDR8] = true;
    return values;
}

enum { COMMOPT_1 = 1 << ETE_COMMOPT_BIT, VMIDSIZE_BIT = 10 };

/* --- there and back --- */

/* The bytes of events; those of `bits` 0 are made of their fields. */
static struct assay_sink encode(const struct decoded *all, struct assay_parameter_values *values,
                                bool from_fields)
{
    struct assay_encoder *encoder = NULL;
    struct assay_sink sink;
    assay_sink_memory(&sink, 0);
    assert_int_equal(ete_encoder_ops.open(&sink, "raw", &encoder, NULL), ASSAY_OK);
    assert_int_equal(ete_encoder_ops.configure(encoder, values, 0, NULL), ASSAY_OK);
    for (size_t i = 0; i < all->count; i++) {
        struct assay_event event = event_of(&all->list[i]);
        const bool packet = event.kind != ETE_malformed && event.kind != ETE_padding;
        event.bits = from_fields && packet ? 0 : event.bits;
        assert_int_equal(ete_encoder_ops.put(encoder, &event, NULL), ASSAY_OK);
    }
    assert_int_equal(ete_encoder_ops.close(encoder), ASSAY_OK);
    return sink;
}

/* Whether the fields of a packet hold all of its bytes: not bits beyond a continuable field, and
 * not a number of more than 64 bits. */
static bool is_in_fields(const struct seen *packet)
{
    return packet->cells[ASSAY_CELL_EXCESS] == 0 &&
           (packet->kind != ETE_trace_info ||
            (value_of(packet, "spec") != UINT64_MAX && value_of(packet, "cyct") != UINT64_MAX));
}

static void packets_of_every_header_are_encoded_as_they_were_decoded(void **state)
{
    (void)state;
    uint64_t seed = 1;
    unsigned counts[ETE_KIND_COUNT] = {0};
    for (unsigned trial = 0; trial < 256 * 200; trial++) {
        uint8_t bytes[START_SIZE + ROOM];
        struct assay_parameter_values values = registers(trial % 2 != 0 ? COMMOPT_1 : 0, 0);
        values.value[ETE_TRCIDR2] = trial % 5 << VMIDSIZE_BIT;
        values.value[ETE_VMID_BYTES] = trial % 7 == 0 ? ETE_VMID_FIXED : ETE_VMID_SIZED;
        memcpy(bytes, START, START_SIZE);
        random_fill(&seed, bytes + START_SIZE, ROOM);
        bytes[START_SIZE] = (uint8_t)(trial / 2);
        bytes[START_SIZE + 2] =
            trial % 3 > 0 ? (uint8_t)(0x80 + trial / 7 % 32) : bytes[START_SIZE + 2];
        struct decoded all = decode(bytes, sizeof bytes, &values, ETE_PACKET);
        const struct seen *packet = &all.list[2];
        counts[packet->kind]++;
        if (packet->kind != ETE_malformed && is_in_fields(packet)) {
            const struct decoded one = {.list = &all.list[2], .count = 1};
            struct assay_sink sink = encode(&one, &values, true);
            assert_int_equal(sink.size, packet->bits / 8);
            assert_memory_equal(sink.data, bytes + START_SIZE, sink.size);
            assay_sink_close(&sink, NULL);
        }
        free(all.list);
    }
    for (unsigned kind = ETE_trace_info; kind < ETE_padding; kind++) {
        assert_in_range(counts[kind], 20, 256 * 200);
    }
}

/* Packets and headers of packets, with all bytes that they can have. */
static void fill_with_packets(uint64_t *seed, uint8_t *bytes, size_t size)
{
    random_fill(seed, bytes, size);
    memcpy(bytes, START, START_SIZE);
    for (size_t at = START_SIZE; at + 4 < size; at += 1 + random_below(seed, 6)) {
        static const uint8_t often[] = {0x02, 0x03, 0x0e, 0x0f, 0x2d, 0x90, 0x95, 0x9a, 0xf7};
        bytes[at] = often[random_below(seed, sizeof often)];
        bytes[at + 1] &= random_below(seed, 2) == 0 ? 0x7f : 0xff;
    }
}

static void assert_same(const struct seen *a, const struct seen *b)
{
    const unsigned cells = assay_kind_cells(&assay_format_ete.kinds[a->kind]);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->fault, b->fault);
    assert_int_equal(a->offset, b->offset);
    assert_int_equal(a->bits, b->bits);
    assert_memory_equal(a->bytes, b->bytes, a->bits / 8);
    assert_memory_equal(a->cells, b->cells, cells * sizeof *a->cells);
}

/* Near the end of a stream packets are read one by one; each is, where the stream is cut after it.
 */
static void packets_are_the_same_wherever_the_stream_ends(void **state)
{
    (void)state;
    uint64_t seed = 3;
    size_t same = 0;
    for (unsigned trial = 0; trial < 60; trial++) {
        uint8_t bytes[START_SIZE + 3 * ETE_PACKET_MOST];
        struct assay_parameter_values values = registers(trial % 2 != 0 ? COMMOPT_1 : 0, 0);
        fill_with_packets(&seed, bytes, sizeof bytes);
        struct decoded all = decode(bytes, sizeof bytes, &values, ETE_PACKET);
        for (size_t end = START_SIZE; end < sizeof bytes; end++) {
            struct decoded part = decode(bytes, end, &values, ETE_PACKET);
            for (size_t i = 0; i < part.count && part.list[i].kind != ETE_end; i++) {
                if (part.list[i].kind != ETE_malformed && part.list[i].kind != ETE_padding) {
                    assert_same(&part.list[i], &all.list[i]);
                    same++;
                }
            }
            free(part.list);
        }
        free(all.list);
    }
    assert_in_range(same, 10000, SIZE_MAX);
}

static void a_layer_that_nobody_reads_is_not_decoded(void **state)
{
    (void)state;
    static const uint8_t bytes[] = START "\xf7\xf6";
    for (unsigned layers = 0; layers <= ETE_LAYER_COUNT; layers++) {
        struct assay_parameter_values values = registers(0, 0);
        struct assay_decode_input input = {.parameters = &values, .layers = layers};
        struct assay_decoder *decoder = NULL;
        struct assay_block block = {.count = 1};
        uint64_t counts[ETE_LAYER_COUNT] = {0};
        assert_int_equal(assay_source_memory(bytes, sizeof bytes - 1, &input.source), ASSAY_OK);
        assert_int_equal(ete_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
        while (block.count > 0) {
            assert_int_equal(ete_decoder_ops.next(decoder, &block, NULL), ASSAY_OK);
            counts[block.layer] += block.count;
        }
        for (unsigned layer = 0; layer < ETE_LAYER_COUNT; layer++) {
            assert_int_equal(counts[layer] > 0, layers == 0 || layer < layers);
        }
        ete_decoder_ops.close(decoder);
    }
}

static void any_bytes_come_back_as_they_were(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (unsigned trial = 0; trial < 3000; trial++) {
        uint8_t bytes[1000];
        struct assay_parameter_values values = registers(trial % 2 != 0 ? COMMOPT_1 : 0, trial % 5);
        const size_t size = (size_t)random_below(&seed, sizeof bytes);
        random_fill(&seed, bytes, size);
        for (size_t at = 0; at + ASYNC_SIZE < size; at += random_below(&seed, 200) + 1) {
            memcpy(bytes + at, ASYNC, ASYNC_SIZE);
        }
        for (size_t at = 0; at < size; at += random_below(&seed, 40) + 1) {
            bytes[at] = random_below(&seed, 3) == 0 ? 0 : bytes[at];
        }
        struct decoded all = decode(bytes, size, &values, ETE_PACKET);
        struct assay_sink sink = encode(&all, &values, false);
        assert_int_equal(all.list[all.count - 1].kind, ETE_end);
        assert_int_equal(sink.size, size);
        assert_memory_equal(sink.data, bytes, size);
        uint64_t offset = 0;
        for (size_t i = 0; i < all.count; i++) {
            assert_int_equal(all.list[i].offset, offset);
            offset += all.list[i].bits / 8;
        }
        assay_sink_close(&sink, NULL);
        free(all.list);
    }
}

/* --- state --- */

static void addresses_are_completed_from_the_last_three(void **state)
{
    (void)state;
    static const char stream[] = START "\x9d\x01\x02\x03\x04\x05\x06\x07\x08" /* 64 bits, IS0 */
                                       "\x95\x7f"                             /* 9 bits */
                                       "\x96\xff\xff"                         /* 16 bits, IS1 */
                                       "\x92\x91"
                                       "\x9b\x02\x03\x04\x05" /* 32 bits, IS1 */
                                       "\x90";
    static const struct {
        uint64_t address;
        bool is1;
    } expected[] = {{0x0807060504030404, false}, {0x08070605040305fc, false},
                    {0x080706050403fffe, true},  {0x0807060504030404, false},
                    {0x080706050403fffe, true},  {0x0807060505040304, true},
                    {0x0807060505040304, true}};
    struct assay_parameter_values values = unknown();
    struct decoded all = decode(stream, sizeof stream - 1, &values, ETE_PACKET);
    assert_int_equal(all.count, 2 + ASSAY_COUNT(expected) + 1);
    for (size_t i = 0; i < ASSAY_COUNT(expected); i++) {
        assert_true(value_of(&all.list[2 + i], "address") == expected[i].address);
        assert_int_equal(value_of(&all.list[2 + i], "is1"), expected[i].is1);
    }
    free(all.list);
}

static void a_trace_info_clears_addresses_and_timestamp(void **state)
{
    (void)state;
    static const char stream[] = START "\x9d\x01\x02\x03\x04\x05\x06\x07\x08"
                                       "\x02\xff\xff\x01" /* 15 bits of the timestamp */
                                       "\x01\0"
                                       "\x90\x02\x05";
    struct assay_parameter_values values = unknown();
    struct decoded all = decode(stream, sizeof stream - 1, &values, ETE_PACKET);
    assert_int_equal(value_of(&all.list[3], "value"), 0x7fff);
    assert_int_equal(value_of(&all.list[5], "address"), 0);
    assert_int_equal(value_of(&all.list[6], "value"), 5);
    free(all.list);
}

/* --- synchronisation --- */

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

static void what_is_malformed_is_told_with_its_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        unsigned size, fault, shown;
    } cases[] = {
        {"\0\x07\x71\x71", 4, ETE_FAULT_RESERVED_EXTENSION, 2},
        {"\0\0\0\x05\x71", 5, ETE_FAULT_BROKEN_ASYNC, 4},
        {"\x05\x71", 2, ETE_FAULT_RESERVED_HEADER, 1},
        {"\x06\x41\x9a\x71", 4, ETE_FAULT_RESERVED_EXCEPTION, 2},
        {"\x06\x41", 2, ETE_FAULT_RESERVED_EXCEPTION, 2},
        {"\x06\x01\x71\x71", 4, ETE_FAULT_RESERVED_EXCEPTION_ADDRESS, 3},
        {"\x06\x01", 2, ETE_FAULT_TRUNCATED_PACKET, 2},
        {"\x06", 1, ETE_FAULT_TRUNCATED_PACKET, 1},
        {"\x06\x01\x9a\x71", 4, ETE_FAULT_TRUNCATED_PACKET, 4},
    };
    for (size_t i = 0; i < ASSAY_COUNT(cases); i++) {
        struct assay_parameter_values values = unknown();
        uint8_t stream[START_SIZE + 8] = START;
        memcpy(stream + START_SIZE, cases[i].bytes, cases[i].size);
        struct decoded all = decode(stream, START_SIZE + cases[i].size, &values, ETE_PACKET);
        assert_false(all.complete);
        assert_int_equal(all.list[2].kind, ETE_malformed);
        assert_int_equal(all.list[2].fault, cases[i].fault);
        assert_int_equal(all.list[2].bits, 8 * cases[i].shown);
        assert_int_equal(value_of(&all.list[2], "header"), stream[START_SIZE]);
        free(all.list);
    }
}

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

/* --- elements --- */

static void each_packet_gives_its_elements(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *elements;
    } cases[] = {
        {"\x04", 1, "trace_on"},
        {"\x70", 1, ""},
        {"\x75", 1, "event event"},
        {"\xfb", 1, "atom atom atom"},
        {"\xc1", 1, "atom atom atom atom atom commit"},
        {"\x2d\x01", 2, "commit"},
        {"\x2f\x01", 2, "cancel mispredict"},
        {"\x36", 1, "atom atom cancel mispredict"},
        {"\x39", 1, "atom cancel mispredict"},
        {"\x33", 1, "atom mispredict"},
        {"\x06\x1d\x95\x05", 4, "exception"},
        {"\x06\x5c\x82\x01\x02\x03\x04\x31", 8, "context target_address exception"},
        {"\x0a\x06\x31\x70", 4, "transaction_start transaction_failure"},
        {"\x0a\x06\x01\x70", 4, "transaction_start transaction_failure exception"},
        {"\x0a\x0b", 2, "transaction_start transaction_commit"},
        {"\x0a\0\x05", 3, "transaction_start discard overflow transaction_failure"},
        {"\0\x03", 2, "discard"},
        {"\xa5\x01\x07", 3, "q target_address"},
        {"\xaf", 1, "q"},
        {"\xb4\x01", 2, "source_address"},
        {"\x80", 1, "context"},
        {"\x85\x01\x02\x03\x04\x05\x06\x07\x08\x31", 10, "context target_address"},
        {"\x03\x01\x02", 3, "timestamp"},
        {"\x88", 1, "timestamp_marker"},
        {"\x0e\x02\x03", 3, "commit cycle_count"},
        {"\x0c\x13", 2, "commit cycle_count"},
        {"\x12", 1, "commit cycle_count"},
        {"\x09\x01\x01\x02\x03\x04\x05\x06\x07\x08", 10, "instrumentation"},
        {"\x05", 1, "loss"},
    };
    struct assay_parameter_values values = registers(0, 4);
    for (size_t i = 0; i < ASSAY_COUNT(cases); i++) {
        char bytes[64], text[200] = "";
        memcpy(bytes, START, START_SIZE);
        memcpy(bytes + START_SIZE, cases[i].bytes, cases[i].size);
        struct decoded all = decode(bytes, START_SIZE + cases[i].size, &values, ETE_ELEMENT);
        assert_int_equal(all.list[0].kind, ETE_elem_trace_info);
        for (size_t n = 1; n < all.count; n++) {
            strcat(strcat(text, n > 1 ? " " : ""), name_of(&all.list[n]) + strlen("elem_"));
        }
        assert_string_equal(text, cases[i].elements);
        free(all.list);
    }
}

static void the_depth_stays_within_maxspec(void **state)
{
    (void)state;
    enum { PACKETS = 20000, ATOMS = 24 };
    static uint8_t stream[START_SIZE + PACKETS];
    struct assay_parameter_values values = registers(COMMOPT_1, 7);
    memcpy(stream, START, START_SIZE);
    memset(stream + START_SIZE, 0xd4, PACKETS); /* Atom format 6, 24 atoms */
    struct decoded all = decode(stream, sizeof stream, &values, ETE_ELEMENT);
    uint64_t atoms = 0, commits = 0;
    for (size_t i = 1; i < all.count; i++) {
        assert_in_range(value_of(&all.list[i], "depth"), 0, 8);
        atoms += all.list[i].kind == ETE_elem_atom;
        commits += all.list[i].kind == ETE_elem_commit ? value_of(&all.list[i], "count") : 0;
    }
    assert_int_equal(atoms, (uint64_t)PACKETS * ATOMS);
    assert_int_equal(commits, atoms - 7);
    free(all.list);
}

/* --- parameters --- */

static void what_depends_on_a_register_that_is_not_known_is_noted(void **state)
{
    (void)state;
    struct assay_parameter_values values = unknown();
    struct decoded all = decode(START "\xf7", START_SIZE + 1, &values, ETE_PACKET);
    assert_int_equal(values.used[ETE_TRCIDR0], 0);
    assert_int_equal(values.used[ETE_TRCIDR8], 1 + ETE_ELEMENT);
    free(all.list);
    values = unknown();
    all = decode(START "\x12", START_SIZE + 1, &values, ETE_PACKET);
    assert_int_equal(values.used[ETE_TRCIDR0], 1 + ETE_ELEMENT);
    free(all.list);
    values = unknown();
    all = decode(START "\x0f\x01", START_SIZE + 2, &values, ETE_PACKET);
    assert_int_equal(values.used[ETE_TRCIDR0], 1 + ETE_PACKET);
    free(all.list);
    assert_null(assay_parameter_table_fault(assay_format_ete.parameters));
}

static void each_header_has_one_kind_and_the_table_reserves_the_others(void **state)
{
    (void)state;
    static const uint8_t reserved[] = {0x05, 0x07, 0x08, 0x20, 0x2c, 0x40, 0x6f, 0x84, 0x87, 0x89,
                                       0x8f, 0x93, 0x94, 0x97, 0x98, 0x99, 0x9c, 0x9f, 0xa3, 0xa4,
                                       0xa7, 0xa8, 0xa9, 0xad, 0xae, 0xb3, 0xba, 0xbf};
    for (size_t i = 0; i < ASSAY_COUNT(reserved); i++) {
        assert_int_equal(ete_form_of(reserved[i])->kind, ETE_malformed);
    }
    for (unsigned header = 0xc0; header < 0x100; header++) {
        const unsigned kind = ete_form_of((uint8_t)header)->kind;
        assert_in_range(kind, ETE_atom_1, ETE_atom_6);
    }
}

/* --- streams without an A-sync --- */

static void after_four_periods_an_async_is_missing(void **state)
{
    (void)state;
    enum { WHOLE = 1 << 5, PIECE = 1 << 6, CARRIED = 1 << 7 }; /* with a period below them */
    static const struct {
        unsigned said;
        size_t size;
        bool due;
    } cases[] = {{0, 1, true},
                 {0, 0, false},
                 {7, 1 << 12, false},
                 {8, 1 << 10, false},
                 {8, (1 << 10) + 1, true},
                 {12, 1 << 14, false},
                 {12, (1 << 14) + 1, true},
                 {20, 1 << 22, false},
                 {20, (1 << 22) + 1, true},
                 {21, (1 << 23) + 1, false},
                 {WHOLE, 1, true},
                 {WHOLE, 0, false},
                 {WHOLE | 8, 1, true},
                 {WHOLE | CARRIED, 1, true},
                 {PIECE, 1 << 23, false},
                 {PIECE | 8, 1 << 10, false},
                 {PIECE | 8, (1 << 10) + 1, true},
                 {CARRIED, 1 << 23, false},
                 {CARRIED | 8, (1 << 10) + 1, true}};
    uint8_t *bytes = calloc(1, (1 << 23) + 1);
    assert_non_null(bytes);
    memset(bytes, 0xf7, (1 << 23) + 1);
    for (size_t i = 0; i < ASSAY_COUNT(cases); i++) {
        struct assay_parameter_values values = unknown();
        values.value[ETE_TRCSYNCPR] = cases[i].said & 0x1f;
        values.known[ETE_TRCSYNCPR] = values.value[ETE_TRCSYNCPR] != 0;
        values.value[ETE_WHOLE] = (cases[i].said & WHOLE) != 0;
        values.known[ETE_WHOLE] = (cases[i].said & (WHOLE | PIECE)) != 0;
        values.known[ETE_ATID] = (cases[i].said & CARRIED) != 0;
        struct decoded all = decode(bytes, cases[i].size, &values, ETE_PACKET);
        assert_int_equal(value_of(&all.list[all.count - 1], "must_sync"), cases[i].due);
        assert_true(all.complete == (cases[i].size == 0));
        free(all.list);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_four_periods_an_async_is_missing),
        cmocka_unit_test(packets_of_every_header_are_encoded_as_they_were_decoded),
        cmocka_unit_test(packets_are_the_same_wherever_the_stream_ends),
        cmocka_unit_test(a_layer_that_nobody_reads_is_not_decoded),
        cmocka_unit_test(any_bytes_come_back_as_they_were),
        cmocka_unit_test(addresses_are_completed_from_the_last_three),
        cmocka_unit_test(a_trace_info_clears_addresses_and_timestamp),
        cmocka_unit_test(decoding_begins_at_the_next_async_from_any_byte),
        cmocka_unit_test(a_stream_that_is_cut_ends_with_what_is_whole),
        cmocka_unit_test(zeros_of_no_packet_are_padding),
        cmocka_unit_test(an_async_is_found_behind_any_number_of_bytes),
        cmocka_unit_test(zeros_before_an_async_are_part_of_it_up_to_some),
        cmocka_unit_test(what_is_malformed_is_told_with_its_bytes),
        cmocka_unit_test(a_stream_without_an_async_is_complete_if_it_is_empty),
        cmocka_unit_test(a_source_that_fails_is_told),
        cmocka_unit_test(each_packet_gives_its_elements),
        cmocka_unit_test(the_depth_stays_within_maxspec),
        cmocka_unit_test(what_depends_on_a_register_that_is_not_known_is_noted),
        cmocka_unit_test(each_header_has_one_kind_and_the_table_reserves_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
