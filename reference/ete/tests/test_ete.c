/* Packets of ETE there and back, and what the decoder makes of any bytes. What each packet gives is
 * shown by the vectors in corpus/ete/decode. */
#include "ete/tests/ete_support.h"

#include "common/tests/random.h"
#include "common/tests/turn.h"
#include "io/source_private.h"
#include "model/layout.h"

enum { ROOM = ETE_PACKET_MOST + 8 };

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
        if (!is_in_sanitized_turn(trial / 512)) {
            continue;
        }
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
    for (unsigned kind = ETE_trace_info; kind < ETE_padding && are_all_in_sanitized_turn();
         kind++) {
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

static void sizes_of_the_metadata_are_those_of_its_requirements(void **state)
{
    (void)state;
    static const struct {
        size_t number;
        uint64_t value;
        bool fits;
    } cases[] = {{ETE_TIMESTAMP_BITS, 0, true},   {ETE_TIMESTAMP_BITS, 48, true},
                 {ETE_TIMESTAMP_BITS, 64, true},  {ETE_TIMESTAMP_BITS, 1, false},
                 {ETE_TIMESTAMP_BITS, 63, false}, {ETE_CONTEXT_ID_BITS, 0, true},
                 {ETE_CONTEXT_ID_BITS, 8, true},  {ETE_CONTEXT_ID_BITS, 16, true},
                 {ETE_CONTEXT_ID_BITS, 32, true}, {ETE_CONTEXT_ID_BITS, 24, false}};
    for (size_t i = 0; i < ASSAY_COUNT(cases); i++) {
        struct assay_parameter_values values = unknown();
        struct assay_diag diag;
        values.value[cases[i].number] = cases[i].value;
        values.known[cases[i].number] = true;
        assert_int_equal(assay_parameters_check(&values, &diag),
                         cases[i].fits ? ASSAY_OK : ASSAY_OUT_OF_RANGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_of_every_header_are_encoded_as_they_were_decoded),
        cmocka_unit_test(packets_are_the_same_wherever_the_stream_ends),
        cmocka_unit_test(a_layer_that_nobody_reads_is_not_decoded),
        cmocka_unit_test(any_bytes_come_back_as_they_were),
        cmocka_unit_test(addresses_are_completed_from_the_last_three),
        cmocka_unit_test(a_trace_info_clears_addresses_and_timestamp),
        cmocka_unit_test(what_is_malformed_is_told_with_its_bytes),
        cmocka_unit_test(each_packet_gives_its_elements),
        cmocka_unit_test(the_depth_stays_within_maxspec),
        cmocka_unit_test(what_depends_on_a_register_that_is_not_known_is_noted),
        cmocka_unit_test(each_header_has_one_kind_and_the_table_reserves_the_others),
        cmocka_unit_test(sizes_of_the_metadata_are_those_of_its_requirements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
