/* Containers: headers as the texts have them, and payloads there and back. */
#include "etrace/tests/etrace_text.h"

#include "common/random.h"
#include "io/source.h"
#include "model/framing.h"

static uint64_t layout[ETRACE_PARAMETER_COUNT];

static int init(void **state)
{
    (void)state;
    etrace_layout(NULL, layout);
    return 0;
}

static struct etrace_container container_of(unsigned framing)
{
    struct etrace_container container;
    etrace_container(&container, framing, layout);
    return container;
}

/* ETR-PKT-005 to ETR-PKT-007, and the encapsulation: bytes, widths, and what they say. */
static const struct {
    unsigned framing;
    unsigned source_width, timestamp_size, type_width;
    uint8_t bytes[8];
    size_t size;
    struct etrace_header header;
    size_t payload_size;
    uint8_t payload[4];
    unsigned encapsulated;
} known[] = {
    {ASSAY_FRAMING_RAW,
     8,
     2,
     2,
     {0x42, 0x73, 0x01},
     3,
     {.type = 2, .length = 2, .size = 1},
     2,
     {0x73, 0x01},
     0},
    {ASSAY_FRAMING_BYTE_HEADER,
     8,
     2,
     2,
     {0x61, 0x73},
     2,
     {.type = 3, .of_data = true, .length = 1, .size = 1},
     1,
     {0x73},
     0},
    {ASSAY_FRAMING_LENGTH_PREFIXED,
     8,
     2,
     2,
     {0x03, 1, 2, 0x83},
     4,
     {.type = 2, .length = 3, .size = 1},
     3,
     {1, 2, 0x83},
     0},
    {ASSAY_FRAMING_ULTRASOC,
     8,
     2,
     2,
     {0x21, 0, 0x73},
     3,
     {.type = 2, .flow = 1, .length = 1, .size = 2},
     1,
     {0x73},
     0},
    {ASSAY_FRAMING_ULTRASOC,
     4,
     2,
     2,
     {0x81, 7, 0x34, 0x12, 0x73},
     5,
     {.type = 2, .source = 7, .stamped = true, .timestamp = 0x1234, .length = 1, .size = 4},
     1,
     {0x73},
     0},
    {ASSAY_FRAMING_ULTRASOC,
     0,
     2,
     2,
     {0x01, 0x73},
     2,
     {.type = 2, .length = 1, .size = 1},
     1,
     {0x73},
     0},
    {ASSAY_FRAMING_ATB,
     8,
     2,
     2,
     {0x81, 0x34, 0x12, 0x73},
     4,
     {.type = 2, .stamped = true, .timestamp = 0x1234, .length = 1, .size = 3},
     1,
     {0x73},
     0},
    {ASSAY_FRAMING_ENCAPSULATION,
     8,
     1,
     0,
     {0xc2, 0x31, 0x8d, 0x73, 0x00},
     5,
     {.type = 2,
      .flow = 2,
      .source = 0x31,
      .stamped = true,
      .timestamp = 0x8d,
      .length = 2,
      .size = 3},
     2,
     {0x73, 0x00},
     0},
    /* type 2 in bits 1:0, then 0x73 */
    {ASSAY_FRAMING_ENCAPSULATION,
     0,
     0,
     2,
     {0x02, 0xce, 0x01},
     3,
     {.type = 2, .length = 2, .size = 1, .lead = 2, .pad = 6},
     1,
     {0x73},
     0},
    {ASSAY_FRAMING_ENCAPSULATION,
     0,
     0,
     2,
     {0x02, 0xce, 0x01},
     3,
     {.type = 2, .length = 2, .size = 1, .lead = 2},
     2,
     {0x73, 0x00},
     ETRACE_ENCAPSULATED_BITS},
    /* ENC-026: a type of one bit, a source of 8, and 8 bits of payload: 7 above it are padding */
    {ASSAY_FRAMING_ENCAPSULATION,
     8,
     0,
     1,
     {0x02, 0x31, 0xe6, 0x00},
     4,
     {.of_data = false, .source = 0x31, .length = 2, .size = 2, .lead = 1, .pad = 7},
     1,
     {0x73},
     0},
    {ASSAY_FRAMING_ENCAPSULATION,
     8,
     0,
     1,
     {0x02, 0x31, 0xe7, 0x00},
     4,
     {.type = 1, .of_data = true, .source = 0x31, .length = 2, .size = 2, .lead = 1, .pad = 7},
     1,
     {0x73},
     0},
    /* source 5 in bits 2:0, type 3 above it; the payload is the three bits 101 and their sign */
    {ASSAY_FRAMING_ENCAPSULATION,
     3,
     0,
     2,
     {0x01, 0xbd},
     2,
     {.type = 3, .of_data = true, .source = 5, .length = 1, .size = 1, .lead = 5},
     1,
     {0xfd},
     ETRACE_ENCAPSULATED_BITS},
    {ASSAY_FRAMING_ENCAPSULATION,
     8,
     2,
     2,
     {0x60},
     1,
     {.type = 2, .flow = 3, .null = true, .size = 1},
     0,
     {0},
     0},
    {ASSAY_FRAMING_ENCAPSULATION,
     8,
     2,
     2,
     {0x80},
     1,
     {.type = 2, .stamped = true, .null = true, .size = 1},
     0,
     {0},
     0},
};

static void set_widths(size_t i)
{
    layout[ETRACE_SOURCE_WIDTH] = known[i].source_width;
    layout[ETRACE_TIMESTAMP_SIZE] = known[i].timestamp_size;
    layout[ETRACE_INSTRUCTION_TYPE] = known[i].type_width == 1 ? 0 : 2;
    layout[ETRACE_DATA_TYPE] = layout[ETRACE_INSTRUCTION_TYPE] + 1;
    layout[ETRACE_ENCAPSULATED] = known[i].encapsulated;
    layout[ETRACE_TYPE_WIDTH] = known[i].type_width;
}

static void assert_header(const struct etrace_header *is, const struct etrace_header *due)
{
    assert_int_equal(is->type, due->type);
    assert_int_equal(is->source, due->source);
    assert_int_equal(is->timestamp, due->timestamp);
    assert_int_equal(is->flow, due->flow);
    assert_int_equal(is->stamped, due->stamped);
    assert_int_equal(is->null, due->null);
    assert_int_equal(is->length, due->length);
    assert_int_equal(is->size, due->size);
    assert_int_equal(is->lead, due->lead);
    assert_int_equal(is->pad, due->pad);
    assert_int_equal(is->of_data, due->of_data);
    assert_false(is->reserved);
}

static void headers_are_read_and_written_as_the_texts_have_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        set_widths(i);
        const struct etrace_container container = container_of(known[i].framing);
        struct etrace_header header;
        uint8_t room[ETRACE_PAYLOAD_MOST];
        const uint8_t *payload = NULL;
        uint8_t bytes[ETRACE_CONTAINER_MOST];
        assert_true(etrace_header_read(&container, known[i].bytes, known[i].size, &header));
        assert_header(&header, &known[i].header);
        assert_int_equal(etrace_payload_read(&header, known[i].bytes, room, &payload),
                         known[i].payload_size);
        assert_memory_equal(payload, known[i].payload, known[i].payload_size);
        assert_int_equal(
            etrace_container_write(&container, &header, payload, known[i].payload_size, bytes),
            known[i].size);
        assert_memory_equal(bytes, known[i].bytes, known[i].size);
    }
}

static void a_header_that_is_cut_is_not_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        set_widths(i);
        const struct etrace_container container = container_of(known[i].framing);
        for (size_t have = 0; have < known[i].header.size; have++) {
            struct etrace_header header;
            assert_false(etrace_header_read(&container, known[i].bytes, have, &header));
        }
    }
}

static void source_and_type_can_leave_nothing_for_the_payload(void **state)
{
    (void)state;
    layout[ETRACE_SOURCE_WIDTH] = 7;
    const struct etrace_container container = container_of(ASSAY_FRAMING_ENCAPSULATION);
    static const uint8_t bytes[] = {0x01, 0xff};
    struct etrace_header header;
    uint8_t room[ETRACE_PAYLOAD_MOST];
    const uint8_t *payload = NULL;
    assert_true(etrace_header_read(&container, bytes, sizeof bytes, &header));
    assert_int_equal(etrace_payload_read(&header, bytes, room, &payload), 0);
}

static void a_payload_that_is_too_long_is_refused(void **state)
{
    (void)state;
    static const uint8_t payload[40] = {1, [29] = 0x80, [30] = 0x80, [31] = 1, [39] = 1};
    uint8_t bytes[ETRACE_CONTAINER_MOST];
    const struct etrace_header header = {.type = 2};
    const struct etrace_container short_one = container_of(ASSAY_FRAMING_ATB);
    const struct etrace_container packed = container_of(ASSAY_FRAMING_ENCAPSULATION);
    const struct etrace_container long_one = container_of(ASSAY_FRAMING_LENGTH_PREFIXED);
    assert_int_equal(etrace_container_write(&short_one, &header, payload, 31, bytes), 32);
    assert_int_equal(etrace_container_write(&short_one, &header, payload, 32, bytes), 0);
    assert_int_equal(etrace_container_write(&packed, &header, payload, 30, bytes), 33);
    assert_int_equal(etrace_container_write(&packed, &header, payload, 31, bytes), 0);
    assert_int_equal(etrace_container_write(&long_one, &header, payload, 40, bytes), 41);
}

/* What is read is what was written, up to bytes that repeat the bit before them. */
static void payloads_come_back_from_every_container(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (unsigned n = 0; n < 20000; n++) {
        static const unsigned framings[] = {ASSAY_FRAMING_BYTE_HEADER, ASSAY_FRAMING_ULTRASOC,
                                            ASSAY_FRAMING_ATB, ASSAY_FRAMING_ENCAPSULATION,
                                            ASSAY_FRAMING_LENGTH_PREFIXED};
        layout[ETRACE_SOURCE_WIDTH] = assay_random(&seed) % 17;
        layout[ETRACE_TIMESTAMP_SIZE] = assay_random(&seed) % 9;
        layout[ETRACE_TYPE_WIDTH] = assay_random(&seed) % 2 * 2;
        const struct etrace_container container = container_of(framings[n % 5]);
        uint8_t payload[ETRACE_PAYLOAD_MOST] = {0}, back[ETRACE_PAYLOAD_MOST] = {0};
        uint8_t bytes[ETRACE_CONTAINER_MOST];
        const size_t size = 1 + assay_random(&seed) % 28;
        for (size_t i = 0; i < size; i++) {
            payload[i] = assay_random(&seed) % 4 == 0 ? (uint8_t)assay_random(&seed) : 0xff;
        }
        const struct etrace_header header = {.type = 2,
                                             .source = assay_random(&seed),
                                             .stamped = assay_random(&seed) % 2 != 0,
                                             .timestamp = assay_random(&seed)};
        struct etrace_header read;
        const size_t all = etrace_container_write(&container, &header, payload, size, bytes);
        assert_true(etrace_header_read(&container, bytes, all, &read));
        assert_int_equal(read.size + read.length, all);
        uint8_t room[ETRACE_PAYLOAD_MOST];
        const uint8_t *found = NULL;
        const size_t got = etrace_payload_read(&read, bytes, room, &found);
        memcpy(back, found, got);
        memset(back + got, back[got - 1] >> 7 != 0 ? 0xff : 0, sizeof back - got);
        assert_memory_equal(payload, back, size);
        assert_int_equal(read.type, 2);
    }
}

static enum assay_error open_one_source(unsigned framing)
{
    struct assay_parameter_values values;
    struct assay_source *source = NULL;
    struct assay_decoder *decoder = NULL;
    struct assay_diag diag;
    assay_parameters_init(&values, assay_format_etrace.parameters);
    values.value[ETRACE_SOURCE] = 1;
    values.known[ETRACE_SOURCE] = true;
    assert_int_equal(assay_source_memory("", 0, &source), ASSAY_OK);
    const struct assay_decode_input input = {
        .source = source, .parameters = &values, .framing = framing};
    const enum assay_error error = etrace_decoder_ops.open(&input, &decoder, &diag);
    if (decoder != NULL) {
        etrace_decoder_ops.close(decoder);
    }
    return error;
}

static void a_source_is_chosen_only_where_packets_name_one(void **state)
{
    (void)state;
    assert_int_equal(open_one_source(ASSAY_FRAMING_ULTRASOC), ASSAY_OK);
    assert_int_equal(open_one_source(ASSAY_FRAMING_ENCAPSULATION), ASSAY_OK);
    assert_int_equal(open_one_source(ASSAY_FRAMING_BYTE_HEADER), ASSAY_CONTRADICTION);
    assert_int_equal(open_one_source(ASSAY_FRAMING_ATB), ASSAY_CONTRADICTION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(headers_are_read_and_written_as_the_texts_have_them, init),
        cmocka_unit_test_setup(a_header_that_is_cut_is_not_read, init),
        cmocka_unit_test_setup(source_and_type_can_leave_nothing_for_the_payload, init),
        cmocka_unit_test_setup(a_payload_that_is_too_long_is_refused, init),
        cmocka_unit_test_setup(payloads_come_back_from_every_container, init),
        cmocka_unit_test(a_source_is_chosen_only_where_packets_name_one),
    };
    return cmocka_run_group_tests_name("etrace-containers", tests, NULL, NULL);
}
