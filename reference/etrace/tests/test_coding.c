/* Payloads bit by bit, as the tables of chapter 6 have them, and what they are unpacked to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/bytes.h"
#include "etrace/etrace.h"

enum { WIDTH = 16, LSB = 1, STACK_BITS = 2, DEPTH_BITS = STACK_BITS + 1, PIECES = 32 };

static uint64_t layout[ETRACE_PARAMETER_COUNT];
static struct etrace_plans plans;

static void plan(void)
{
    memset(&plans, 0, sizeof plans);
    assert_int_equal(etrace_plans_make(&plans, layout, NULL), ASSAY_OK);
}

static int init(void **state)
{
    (void)state;
    etrace_layout(NULL, layout);
    layout[ETRACE_IADDRESS_WIDTH] = WIDTH;
    layout[ETRACE_IADDRESS_LSB] = LSB;
    layout[ETRACE_RETURN_STACK_SIZE] = STACK_BITS;
    layout[ETRACE_PRIVILEGE_WIDTH] = 2;
    layout[ETRACE_NOCONTEXT] = 1;
    layout[ETRACE_BPRED_SIZE] = 2;
    layout[ETRACE_CACHE_SIZE] = 3;
    layout[ETRACE_F0S_WIDTH] = 1;
    plan();
    return 0;
}

/* --- kinds --- */

static enum etrace_kind kind_of(uint64_t type, uint8_t byte, enum etrace_fault *fault)
{
    *fault = ETRACE_FAULT_NONE;
    return etrace_kind_of(type == ETRACE_TYPE_DATA, &byte, layout, fault);
}

static void is(uint8_t byte, enum etrace_kind kind)
{
    enum etrace_fault fault;
    assert_int_equal(kind_of(ETRACE_TYPE_INSTRUCTION, byte, &fault), kind);
    assert_int_equal(fault, ETRACE_FAULT_NONE);
}

static void is_none(uint64_t type, uint8_t byte, enum etrace_fault expected)
{
    enum etrace_fault fault;
    assert_int_equal(kind_of(type, byte, &fault), ETRACE_malformed);
    assert_int_equal(fault, expected);
}

/* Tables 6.1 to 6.9; the bits above format and subformat do not matter. */
static void format_and_subformat_say_the_kind(void **state)
{
    (void)state;
    for (unsigned above = 0; above < 0x100; above += 0x10) {
        is((uint8_t)(above | 0x1), ETRACE_diff_delta);
        is((uint8_t)(above | 0xd), ETRACE_diff_delta);
        is((uint8_t)(above | 0x2), ETRACE_addr_only);
        is((uint8_t)(above | 0xe), ETRACE_addr_only);
        is((uint8_t)(above | 0x3), ETRACE_start);
        is((uint8_t)(above | 0x7), ETRACE_exception);
        is((uint8_t)(above | 0xb), ETRACE_context);
        is((uint8_t)(above | 0xf), ETRACE_support);
        is((uint8_t)(above | 0x8), ETRACE_branch_count); /* a subformat of one bit */
        is((uint8_t)(above | 0x4), ETRACE_jump_target);
    }
}

/* 6.8.1 */
static void the_subformat_of_format_0_is_as_wide_as_there_are_extensions(void **state)
{
    (void)state;
    layout[ETRACE_F0S_WIDTH] = 2;
    is(0x00, ETRACE_branch_count);
    is(0x10, ETRACE_branch_count);
    is(0x04, ETRACE_jump_target);
    is_none(ETRACE_TYPE_INSTRUCTION, 0x08, ETRACE_FAULT_RESERVED_SUBFORMAT);
    is_none(ETRACE_TYPE_INSTRUCTION, 0x0c, ETRACE_FAULT_RESERVED_SUBFORMAT);
    layout[ETRACE_F0S_WIDTH] = 0;
    layout[ETRACE_BPRED_SIZE] = 1;
    layout[ETRACE_CACHE_SIZE] = 0;
    is(0x04, ETRACE_branch_count);
    layout[ETRACE_BPRED_SIZE] = 0;
    layout[ETRACE_CACHE_SIZE] = 1;
    is(0x04, ETRACE_jump_target);
    layout[ETRACE_CACHE_SIZE] = 0;
    is_none(ETRACE_TYPE_INSTRUCTION, 0x04, ETRACE_FAULT_NO_FORMAT);
    layout[ETRACE_F0S_WIDTH] = 1;
    is_none(ETRACE_TYPE_INSTRUCTION, 0x04, ETRACE_FAULT_NO_FORMAT);
}

/* Tables 7.1 to 7.9 */
static void the_format_of_data_says_the_kind(void **state)
{
    static const enum etrace_kind unified[] = {
        ETRACE_data_access, ETRACE_data_access, ETRACE_data_access, ETRACE_data_access,
        ETRACE_malformed,   ETRACE_csr,         ETRACE_atomic,      ETRACE_malformed};
    static const enum etrace_kind split[] = {
        ETRACE_load_request,  ETRACE_load_request, ETRACE_data_access,    ETRACE_data_access,
        ETRACE_load_response, ETRACE_csr,          ETRACE_atomic_request, ETRACE_atomic_response};
    enum etrace_fault fault;
    (void)state;
    layout[ETRACE_DATA_FORMAT_N] = 3;
    is_none(ETRACE_TYPE_DATA, 0, ETRACE_FAULT_NO_DATA_TRACE);
    for (uint8_t n = 0; n < 16; n++) {
        layout[ETRACE_DATA_WIDTH] = n < 8 ? 32 : 0;
        layout[ETRACE_DADDRESS_WIDTH] = n < 8 ? 0 : 32;
        layout[ETRACE_DATA_SPLIT] = 0;
        assert_int_equal(kind_of(ETRACE_TYPE_DATA, n, &fault), unified[n % 8]);
        if (unified[n % 8] == ETRACE_malformed) {
            assert_int_equal(fault, ETRACE_FAULT_NO_DATA_FORMAT);
        }
        layout[ETRACE_DATA_SPLIT] = 1;
        assert_int_equal(kind_of(ETRACE_TYPE_DATA, n, &fault), split[n % 8]);
    }
    layout[ETRACE_DATA_FORMAT_N] = 2;
    assert_int_equal(kind_of(ETRACE_TYPE_DATA, 7, &fault), ETRACE_data_access);
}

/* --- payloads --- */

struct bits {
    uint8_t bytes[ETRACE_PACKED_MOST];
    uint32_t count;
};

/* The next field, which is above those before it. */
static void append(struct bits *bits, uint64_t value, uint32_t width)
{
    for (uint32_t n = 0; n < width; n++, bits->count++) {
        bits->bytes[bits->count / 8] |= (uint8_t)((value >> n & 1) << bits->count % 8);
    }
}

/* Bytes of the payload, whose last bit is repeated to the end of the last one. */
static size_t extend(struct bits *bits)
{
    const uint64_t last = bits->bytes[(bits->count - 1) / 8] >> (bits->count - 1) % 8 & 1;
    append(bits, last != 0 ? 0xff : 0, (8 - bits->count % 8) % 8);
    return bits->count / 8;
}

/* Without the last bytes that those before them say (6.1). */
static size_t shortened(const struct bits *bits, size_t size)
{
    while (size > 1 && bits->bytes[size - 1] == (bits->bytes[size - 2] >> 7 != 0 ? 0xff : 0)) {
        size--;
    }
    return size;
}

/* The payload has the cells, whether it is whole or shortened, and is what they are packed to. */
static void both(enum etrace_kind kind, const uint64_t *cells, struct bits *bits)
{
    uint8_t packed[ETRACE_PACKED_MOST];
    size_t packed_size = 0;
    const uint32_t count = bits->count;
    const size_t size = extend(bits);
    const size_t sizes[] = {size, shortened(bits, size)};
    for (size_t i = 0; i < 2; i++) {
        uint64_t read[ETRACE_PACKET_CELLS] = {0};
        assert_int_equal(etrace_unpack(&plans, kind, bits->bytes, sizes[i], read), count);
        for (size_t n = ETRACE_HEAD_CELL; n < ETRACE_PACKET_CELLS; n++) {
            assert_int_equal(read[n], cells[n]);
        }
    }
    assert_int_equal(etrace_pack(&plans, kind, cells, packed, &packed_size, NULL), ASSAY_OK);
    assert_int_equal(packed_size, sizes[1]);
    assert_memory_equal(packed, bits->bytes, packed_size);
}

/* Each flag means something where its bit differs from the one before it; so does irdepth, whose
 * bits are that bit, too, where irreport means nothing (6.6.1 to 6.6.3). */
static void append_flags(struct bits *bits, uint64_t before, unsigned flags, unsigned count)
{
    for (unsigned n = 0; n < count; n++) {
        before ^= flags >> n & 1;
        append(bits, before, 1);
    }
    append(bits, flags >> (count - 1) != 0 ? 5 : before != 0 ? 7 : 0, DEPTH_BITS);
}

static void set_flags(uint64_t *cells, unsigned flags, unsigned count)
{
    for (unsigned n = 0; n < count; n++) {
        cells[n] = flags >> n & 1;
    }
    cells[count] = flags >> (count - 1) != 0 ? 5 : 0;
}

static void flags_follow_an_address_as_differences(void **state)
{
    static const uint64_t addresses[] = {0x1234, UINT64_MAX - 0x1233, 0x4000, UINT64_MAX - 0x7fff};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        for (unsigned flags = 0; flags < 8; flags++) {
            const uint64_t negative = addresses[i] >> 63;
            uint64_t cells[ETRACE_PACKET_CELLS] = {0};
            struct bits bits = {.count = 0};
            cells[ETRACE_CELL_addr_only_format] = 2;
            cells[ETRACE_CELL_addr_only_address] = addresses[i];
            set_flags(&cells[ETRACE_CELL_addr_only_notify], flags, 3);
            append(&bits, 2, 2);
            append(&bits, addresses[i] >> LSB, WIDTH - LSB);
            append_flags(&bits, negative, flags, 3);
            both(ETRACE_addr_only, cells, &bits);
            memset(cells, 0, sizeof cells);
            bits = (struct bits){.count = 0};
            cells[ETRACE_CELL_diff_delta_format] = 1;
            cells[ETRACE_CELL_diff_delta_branches] = 2;
            cells[ETRACE_CELL_diff_delta_branch_map] = 1;
            cells[ETRACE_CELL_diff_delta_address] = addresses[i];
            set_flags(&cells[ETRACE_CELL_diff_delta_notify], flags, 3);
            append(&bits, 1, 2);
            append(&bits, 2, 5);
            append(&bits, 1, 3);
            append(&bits, addresses[i] >> LSB, WIDTH - LSB);
            append_flags(&bits, negative, flags, 3);
            both(ETRACE_diff_delta, cells, &bits);
            memset(cells, 0, sizeof cells);
            bits = (struct bits){.count = 0};
            cells[ETRACE_CELL_branch_count_branch_count] = 9;
            cells[ETRACE_CELL_branch_count_branch_fmt] = 2;
            cells[ETRACE_CELL_branch_count_address] = addresses[i];
            set_flags(&cells[ETRACE_CELL_branch_count_notify], flags, 3);
            append(&bits, 0, 3);
            append(&bits, 9, 32);
            append(&bits, 2, 2);
            append(&bits, addresses[i] >> LSB, WIDTH - LSB);
            append_flags(&bits, negative, flags, 3);
            both(ETRACE_branch_count, cells, &bits);
        }
    }
}

/* 3.2.2: an address in full has no sign. */
static void flags_follow_an_address_in_full_as_differences(void **state)
{
    (void)state;
    layout[ETRACE_FULL_ADDRESS] = 1;
    plan();
    for (uint64_t address = 0x4000; address <= 0x8000; address += 0x4000) {
        uint64_t cells[ETRACE_PACKET_CELLS] = {0};
        struct bits bits = {.count = 0};
        cells[ETRACE_CELL_addr_only_format] = 2;
        cells[ETRACE_CELL_addr_only_address] = address;
        append(&bits, 2, 2);
        append(&bits, address >> LSB, WIDTH - LSB);
        append_flags(&bits, address >> (WIDTH - 1), 0, 3);
        both(ETRACE_addr_only, cells, &bits);
    }
}

/* Table 6.6; the bit before is the last one of the map, or of what goes before an absent one. */
static void irreport_follows_a_branch_map_as_a_difference(void **state)
{
    static const struct {
        uint64_t branches, width, map;
    } maps[] = {{0, 0, 0},           {1, 1, 0},    {1, 1, 1},        {2, 3, 3},
                {3, 3, 4},           {4, 7, 0x40}, {15, 15, 0x4001}, {16, 31, 0x40000000},
                {31, 31, 0x3fffffff}};
    (void)state;
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        for (unsigned flags = 0; flags < 2; flags++) {
            const uint64_t before = maps[i].width > 0 ? maps[i].map >> (maps[i].width - 1) : 0;
            uint64_t cells[ETRACE_PACKET_CELLS] = {0};
            struct bits bits = {.count = 0};
            cells[ETRACE_CELL_jump_target_subformat] = 1;
            cells[ETRACE_CELL_jump_target_index] = 5;
            cells[ETRACE_CELL_jump_target_branches] = maps[i].branches;
            cells[ETRACE_CELL_jump_target_branch_map] = maps[i].map;
            set_flags(&cells[ETRACE_CELL_jump_target_irreport], flags, 1);
            append(&bits, 4, 3);
            append(&bits, 5, 3);
            append(&bits, maps[i].branches, 5);
            append(&bits, maps[i].map, (uint32_t)maps[i].width);
            append_flags(&bits, before, flags, 1);
            both(ETRACE_jump_target, cells, &bits);
        }
    }
}

/* Where it means nothing irdepth is what differs from the bit before. */
static void bits_of_irdepth_without_a_meaning_are_seen(void **state)
{
    (void)state;
    for (unsigned negative = 0; negative < 2; negative++) {
        uint64_t cells[ETRACE_PACKET_CELLS] = {0};
        struct bits bits = {.count = 0};
        append(&bits, 2, 2);
        append(&bits, negative ? 0x7fff : 0, WIDTH - LSB);
        append(&bits, negative ? 7 : 0, 3);
        append(&bits, 5, DEPTH_BITS);
        cells[ETRACE_CELL_addr_only_format] = 2;
        cells[ETRACE_CELL_addr_only_address] = negative ? UINT64_MAX - 1 : 0;
        cells[ETRACE_CELL_addr_only_irdepth] = negative ? 2 : 5;
        both(ETRACE_addr_only, cells, &bits);
    }
}

/* 6.1: of an address in full the sign extension is seen. */
static void a_start_says_how_much_of_its_address_was_extended(void **state)
{
    (void)state;
    struct bits bits = {.count = 0};
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    append(&bits, 3, 2);
    append(&bits, 0, 2);
    append(&bits, 1, 1);
    append(&bits, 3, 2);
    append(&bits, 0x12, WIDTH - LSB);
    assert_int_equal(extend(&bits), 3);
    assert_int_equal(etrace_unpack(&plans, ETRACE_start, bits.bytes, 2, cells), 22);
    assert_int_equal(cells[ETRACE_CELL_start_extended], 6);
    assert_int_equal(cells[ETRACE_CELL_start_address], 0x24);
    memset(cells, 0, sizeof cells);
    (void)etrace_unpack(&plans, ETRACE_start, bits.bytes, 3, cells);
    assert_int_equal(cells[ETRACE_CELL_start_extended], 0);
    memset(cells, 0, sizeof cells);
    (void)etrace_unpack(&plans, ETRACE_addr_only, bits.bytes, 2, cells);
    assert_int_equal(cells[ETRACE_CELL_addr_only_address], 0x973 >> 2 << LSB);
}

static void a_byte_that_is_begun_is_extended_too(void **state)
{
    static const uint8_t bytes[] = {0x73, 0x09};
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    (void)state;
    layout[ETRACE_IADDRESS_WIDTH] = 12;
    plan();
    assert_int_equal(etrace_unpack(&plans, ETRACE_start, bytes, 2, cells), 18);
    assert_int_equal(cells[ETRACE_CELL_start_extended], 2);
}

/* Which fields a packet without flags has does not depend on the width of addresses. */
static void packets_without_flags_stay_as_they_are(void **state)
{
    static const uint8_t bytes[] = {0x1f, 0x00, 0x00};
    uint64_t presence[2];
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        uint64_t cells[ETRACE_PACKET_CELLS] = {0};
        layout[ETRACE_IADDRESS_WIDTH] = n == 0 ? 2 : 64;
        plan();
        (void)etrace_unpack(&plans, ETRACE_support, bytes, sizeof bytes, cells);
        presence[n] = cells[ASSAY_CELL_PRESENCE];
    }
    assert_true(presence[0] == presence[1]);
}

static void padding_after_data_is_no_excess(void **state)
{
    uint8_t bytes[32] = {2};
    (void)state;
    layout[ETRACE_DATA_WIDTH] = 32;
    layout[ETRACE_DADDRESS_WIDTH] = 32;
    plan();
    for (unsigned n = 0; n < 2; n++) {
        uint64_t cells[ETRACE_PACKET_CELLS] = {0};
        bytes[31] = (uint8_t)n;
        const uint32_t bits = etrace_unpack(&plans, ETRACE_data_access, bytes, sizeof bytes, cells);
        assert_int_equal(cells[ASSAY_CELL_EXCESS], n == 0 ? 0 : 8 * sizeof bytes - bits);
    }
}

/* --- places --- */

static void give(struct assay_parameter_values *values)
{
    assay_parameters_init(values, assay_format_etrace.parameters);
    for (size_t n = 0; n < ETRACE_PARAMETER_COUNT; n++) {
        values->value[n] = layout[n];
        values->known[n] = true;
    }
}

/* The packet: header, perhaps bits before the payload, which the length counts, and the payload. */
static size_t pieces_of(const uint8_t *bytes, size_t header, unsigned lead, size_t size,
                        enum etrace_kind kind, struct assay_bit_piece *list, size_t room)
{
    struct assay_parameter_values values;
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    uint8_t payload[ETRACE_PAYLOAD_MOST];
    const uint8_t *at = NULL;
    const struct etrace_header is = {.length = size, .size = header, .lead = lead};
    give(&values);
    const size_t has = etrace_payload_read(&is, bytes, payload, &at);
    (void)etrace_unpack(&plans, kind, at, has, cells);
    cells[ETRACE_LENGTH_CELL] = size;
    const struct assay_event event = {.bytes = bytes,
                                      .cells = cells,
                                      .bits = 8 * (uint32_t)(header + size),
                                      .kind = (uint16_t)kind};
    return etrace_pieces(&event, &values, list, room);
}

static void is_piece(const struct assay_bit_piece *piece, const char *name, uint32_t bit,
                     uint32_t width)
{
    assert_string_equal(piece->field->name, name);
    assert_int_equal(piece->bit, bit);
    assert_int_equal(piece->width, width);
}

static void fields_are_at_their_bits_in_the_packet(void **state)
{
    static const struct {
        size_t header;
        unsigned lead;
    } containers[] = {{1, 0}, {3, 0}, {1, 6}};
    (void)state;
    layout[ETRACE_SOURCE_WIDTH] = 12; /* of which 4 bits are no whole byte */
    layout[ETRACE_TYPE_WIDTH] = 2;
    layout[ETRACE_IADDRESS_WIDTH] = 64;
    plan();
    for (size_t i = 0; i < 3; i++) {
        struct assay_bit_piece list[PIECES];
        struct bits bits = {.count = 0};
        const uint32_t first = 8 * (uint32_t)containers[i].header + containers[i].lead;
        append(&bits, 0xa5a5a5, first);
        append(&bits, 3, 2);
        append(&bits, 0, 2);
        append(&bits, 1, 1);
        append(&bits, 3, 2);
        append(&bits, 0x2345, 64 - LSB);
        const size_t size = extend(&bits) - containers[i].header;
        assert_int_equal(pieces_of(bits.bytes, containers[i].header, containers[i].lead, size,
                                   ETRACE_start, list, PIECES),
                         5);
        is_piece(&list[0], "format", first, 2);
        is_piece(&list[1], "subformat", first + 2, 2);
        is_piece(&list[2], "branch", first + 4, 1);
        is_piece(&list[3], "privilege", first + 5, 2);
        is_piece(&list[4], "address", first + 7, 64 - LSB);
        assert_int_equal(pieces_of(bits.bytes, containers[i].header, containers[i].lead, size,
                                   ETRACE_start, list, 2),
                         2);
    }
}

/* A payload of one byte after six bits, and two bits above it that are of no meaning. */
static void fields_are_there_below_padding_of_any_value(void **state)
{
    (void)state;
    layout[ETRACE_SOURCE_WIDTH] = 12;
    layout[ETRACE_TYPE_WIDTH] = 2;
    layout[ETRACE_IADDRESS_WIDTH] = 64;
    plan();
    for (unsigned pad = 0; pad < 4; pad++) {
        const uint8_t bytes[] = {0x02, 0x80 | 0x2a, (uint8_t)(0x11 | pad << 6)};
        struct assay_parameter_values values;
        struct assay_bit_piece list[PIECES];
        uint64_t cells[ETRACE_PACKET_CELLS] = {0};
        const uint8_t payload[] = {0x46};
        give(&values);
        (void)etrace_unpack(&plans, ETRACE_addr_only, payload, sizeof payload, cells);
        cells[ETRACE_LENGTH_CELL] = 2;
        const struct assay_event event = {
            .bytes = bytes, .cells = cells, .bits = 8 * sizeof bytes, .kind = ETRACE_addr_only};
        assert_true(etrace_pieces(&event, &values, list, PIECES) > 0);
        assert_int_equal(list[0].bit, 8 + 6);
    }
}

/* The pieces of a packet of 2 bytes that was unpacked as addr_only, and then changed in a cell. */
static size_t pieces_with(uint8_t header, uint8_t payload, unsigned cell, uint64_t value,
                          enum etrace_kind kind)
{
    const uint8_t bytes[] = {header, payload};
    struct assay_bit_piece list[PIECES];
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    struct assay_parameter_values values;
    give(&values);
    (void)etrace_unpack(&plans, ETRACE_addr_only, (const uint8_t[]){2}, 1, cells);
    cells[ETRACE_LENGTH_CELL] = 1;
    cells[cell] = value;
    const struct assay_event event = {
        .bytes = bytes, .cells = cells, .bits = 16, .kind = (uint16_t)kind};
    return etrace_pieces(&event, &values, list, PIECES);
}

static void where_the_bits_are_others_no_place_is_given(void **state)
{
    static const uint8_t without_header[7] = {0xc0, 0xdc, 0xff};
    struct assay_bit_piece list[PIECES];
    (void)state;
    assert_int_equal(pieces_with(0x41, 2, ETRACE_LENGTH_CELL, 1, ETRACE_addr_only), 6);
    assert_int_equal(pieces_with(0x41, 1, ETRACE_LENGTH_CELL, 1, ETRACE_addr_only), 0);
    assert_int_equal(pieces_with(0x41, 2, ETRACE_CELL_addr_only_address, 2, ETRACE_addr_only), 0);
    assert_int_equal(pieces_with(0x41, 2, ETRACE_CELL_addr_only_notify, 1, ETRACE_addr_only), 0);
    assert_int_equal(pieces_with(0x41, 2, ETRACE_LENGTH_CELL, 0, ETRACE_addr_only), 0);
    assert_int_equal(pieces_with(0x41, 2, ETRACE_LENGTH_CELL, 2, ETRACE_addr_only), 0);
    assert_int_equal(
        pieces_with(0x41, 2, ETRACE_LENGTH_CELL, 1, (enum etrace_kind)ETRACE_PACKET_KINDS_END), 0);
    assert_int_equal(pieces_with(0x41, 2, ETRACE_LENGTH_CELL, 1, ETRACE_end), 0);
    assert_int_equal(pieces_with(0x41, 0, ETRACE_CELL_branch_count_format, 0, ETRACE_branch_count),
                     4); /* without an address */
    layout[ETRACE_SOURCE_WIDTH] = 12;
    layout[ETRACE_TYPE_WIDTH] = 2;
    assert_int_equal(pieces_of(without_header, 0, 6, 7, ETRACE_start, list, PIECES), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(format_and_subformat_say_the_kind, init),
        cmocka_unit_test_setup(the_subformat_of_format_0_is_as_wide_as_there_are_extensions, init),
        cmocka_unit_test_setup(the_format_of_data_says_the_kind, init),
        cmocka_unit_test_setup(flags_follow_an_address_as_differences, init),
        cmocka_unit_test_setup(flags_follow_an_address_in_full_as_differences, init),
        cmocka_unit_test_setup(irreport_follows_a_branch_map_as_a_difference, init),
        cmocka_unit_test_setup(bits_of_irdepth_without_a_meaning_are_seen, init),
        cmocka_unit_test_setup(a_start_says_how_much_of_its_address_was_extended, init),
        cmocka_unit_test_setup(a_byte_that_is_begun_is_extended_too, init),
        cmocka_unit_test_setup(packets_without_flags_stay_as_they_are, init),
        cmocka_unit_test_setup(padding_after_data_is_no_excess, init),
        cmocka_unit_test_setup(fields_are_at_their_bits_in_the_packet, init),
        cmocka_unit_test_setup(fields_are_there_below_padding_of_any_value, init),
        cmocka_unit_test_setup(where_the_bits_are_others_no_place_is_given, init),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
