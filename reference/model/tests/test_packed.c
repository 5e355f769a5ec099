/* Packed fields against a reference that works bit by bit, over kinds made at random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/tests/random.h"
#include "model/packed.h"

/* --- kinds made at random --- */

enum { FIELDS = 16, PARAMETERS = 6, BYTES = FIELDS * 8 + 16, FIXED_BITS = 5 };

struct toy {
    struct assay_field fields[FIELDS];
    struct assay_packed packed[FIELDS];
    struct assay_kind kind;
    uint64_t parameters[PARAMETERS];
    uint64_t values[FIELDS];    /* of the fields */
    uint64_t cells[FIELDS + 1]; /* that hold them, one each, and the presence */
    struct assay_packing plan;
};

/* A pure function of earlier values: what the random kinds call. */
static uint64_t low_bits(uint64_t a, uint64_t b, uint64_t c)
{
    return (a + 3 * b + c) % 70;
}

static struct assay_packed_operand random_operand(uint64_t *seed, size_t field, bool fields)
{
    for (;;) {
        const uint64_t kind = random_below(seed, 3);
        if (kind == 0) {
            return (struct assay_packed_operand)ASSAY_BY_NUMBER((uint16_t)random_below(seed, 4));
        }
        if (kind == 1) {
            return (struct assay_packed_operand)ASSAY_BY_PARAMETER(
                (uint16_t)random_below(seed, PARAMETERS));
        }
        /* Field 0 of a kind is at a constant bit. */
        if (fields && field > 1) {
            return (struct assay_packed_operand)ASSAY_BY_FIELD(
                (uint16_t)(1 + random_below(seed, field - 1)));
        }
    }
}

static struct assay_packed_term random_term(uint64_t *seed, size_t field, bool fields)
{
    return (struct assay_packed_term){
        .op = (enum assay_packed_op)random_below(seed, ASSAY_PACKED_CALL + 1),
        .a = random_operand(seed, field, fields),
        .b = random_operand(seed, field, fields),
        .c = random_operand(seed, field, fields),
        .call = low_bits,
    };
}

/* --- the reference --- */

static uint64_t slow_operand(const struct toy *toy, struct assay_packed_operand operand)
{
    return operand.source == ASSAY_PACKED_BY_NUMBER      ? operand.number
           : operand.source == ASSAY_PACKED_BY_PARAMETER ? toy->parameters[operand.number]
                                                         : toy->values[operand.number];
}

static uint64_t slow_term(const struct toy *toy, const struct assay_packed_term *term,
                          uint64_t fallback)
{
    const uint64_t a = slow_operand(toy, term->a);
    const uint64_t b = slow_operand(toy, term->b);
    const uint64_t values[] = {
        [ASSAY_PACKED_DEFAULT] = fallback,
        [ASSAY_PACKED_VALUE] = a,
        [ASSAY_PACKED_MINUS] = a > b ? a - b : 0,
        [ASSAY_PACKED_EQUAL] = a == b,
        [ASSAY_PACKED_UNEQUAL] = a != b,
        [ASSAY_PACKED_AT_LEAST] = a >= b,
        [ASSAY_PACKED_CALL] = low_bits(a, b, slow_operand(toy, term->c)),
    };
    return values[term->op];
}

static unsigned slow_shift(const struct toy *toy, size_t i)
{
    return (unsigned)slow_term(toy, &toy->packed[i].shift, 0);
}

static unsigned slow_width(const struct toy *toy, size_t i)
{
    const unsigned capacity = toy->fields[i].width - slow_shift(toy, i);
    const uint64_t width = slow_term(toy, &toy->packed[i].width, capacity);
    return slow_term(toy, &toy->packed[i].present, 1) == 0 ? 0
           : width < capacity                              ? (unsigned)width
                                                           : capacity;
}

static uint64_t slow_extend(uint64_t value, unsigned width, unsigned slot)
{
    for (unsigned i = width; width > 0 && i < slot; i++) {
        value |= (value >> (width - 1) & 1) << i;
    }
    return value;
}

/* A value that the field can hold under the values before it. */
static uint64_t fitting_value(const struct toy *toy, size_t i, uint64_t *seed)
{
    const unsigned width = slow_width(toy, i);
    const unsigned slot = toy->fields[i].width;
    uint64_t value = random_value(seed, width);
    if (slow_term(toy, &toy->packed[i].sign, 0) != 0) {
        value = slow_extend(value, width, slot);
    }
    return value << slow_shift(toy, i) & assay_mask(slot);
}

static bool bit_of(const uint8_t *bytes, uint64_t at)
{
    return (bytes[at / 8] >> (at % 8) & 1) != 0;
}

static void put_bit(uint8_t *bytes, uint64_t at, bool bit)
{
    const uint8_t mask = (uint8_t)(1u << (at % 8));
    bytes[at / 8] = (uint8_t)((bytes[at / 8] & ~mask) | (bit ? mask : 0));
}

/* The bits of all packed fields; returns where they end. */
static uint64_t slow_pack(const struct toy *toy, uint8_t *bytes)
{
    uint64_t at = FIXED_BITS;
    for (size_t i = 1; i < toy->kind.field_count; i++) {
        const unsigned width = slow_width(toy, i);
        for (unsigned b = 0; b < width; b++) {
            put_bit(bytes, at++, (toy->values[i] >> (b + slow_shift(toy, i)) & 1) != 0);
        }
    }
    return at;
}

static void set_value(struct toy *toy, size_t i, uint64_t value)
{
    toy->values[i] = value;
    toy->cells[i] = value << toy->fields[i].bit % 64;
}

/* A field of 5 bits at bit 0, then packed ones. Where a layout that does not depend on fields
 * comes out too wide, its parameters are drawn again, which is what a format's own ranges of
 * parameters prevent. */
static void make_toy(struct toy *toy, uint64_t *seed)
{
    do {
        memset(toy, 0, sizeof *toy);
        toy->kind = (struct assay_kind){.name = "toy",
                                        .fields = toy->fields,
                                        .field_count = 2 + random_below(seed, FIELDS - 1),
                                        .sign_compressed = random_below(seed, 2) != 0,
                                        .presence = FIELDS + 1};
        for (size_t i = 0; i < PARAMETERS; i++) {
            toy->parameters[i] = random_below(seed, 30);
        }
        toy->fields[0] = (struct assay_field){
            .name = "fixed", .type = ASSAY_UINT, .place = ASSAY_AT_BIT, .width = FIXED_BITS};
        for (size_t i = 1; i < toy->kind.field_count; i++) {
            struct assay_packed *packed = &toy->packed[i];
            packed->width = random_term(seed, i, true);
            packed->present = random_term(seed, i, true);
            packed->present.op = random_below(seed, 2) != 0 ? packed->present.op : 0;
            packed->sign = random_term(seed, i, false);
            packed->shift = random_term(seed, i, false);
            packed->shift.op = random_below(seed, 2) != 0 ? packed->shift.op : 0;
            const uint64_t width = 34 + random_below(seed, 31);
            const uint64_t bit = random_below(seed, 65 - width);
            toy->fields[i] =
                (struct assay_field){.name = "field",
                                     .type = ASSAY_UINT,
                                     .place = ASSAY_PACKED,
                                     .bit = (uint16_t)(64 * i + bit),
                                     .width = (uint16_t)width,
                                     .packed = random_below(seed, 8) != 0 ? packed : NULL};
            if (toy->fields[i].packed == NULL) {
                *packed = (struct assay_packed){.width = {.op = ASSAY_PACKED_DEFAULT}};
            }
        }
    } while (assay_packing_plan(&toy->kind, toy->parameters, PARAMETERS, &toy->plan, NULL) !=
             ASSAY_OK);
    for (size_t i = 1; i < toy->kind.field_count; i++) {
        set_value(toy, i, fitting_value(toy, i, seed));
    }
}

/* --- packing --- */

enum { ROUNDS = 5000 };

static void packing_writes_the_fields_bit_by_bit_in_table_order_and_pads(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct toy toy;
        uint8_t bytes[BYTES];
        uint8_t expected[BYTES];
        struct assay_packed_length length;
        make_toy(&toy, &seed);
        random_fill(&seed, bytes, BYTES);
        memcpy(expected, bytes, BYTES);
        const uint64_t end = slow_pack(&toy, expected);
        const bool pad = toy.kind.sign_compressed && bit_of(expected, end - 1);
        for (uint64_t at = end; at % 8 != 0; at++) {
            put_bit(expected, at, pad);
        }
        assert_int_equal(assay_pack(&toy.plan, toy.cells, false, bytes, BYTES, &length, NULL),
                         ASSAY_OK);
        assert_int_equal(length.bits, end);
        assert_int_equal(length.bytes, (end + 7) / 8);
        assert_memory_equal(bytes, expected, BYTES);
        assert_true(end <= toy.plan.most_bits);
    }
}

static void unpacking_gives_back_what_was_packed_and_says_what_is_present(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct toy toy;
        uint8_t bytes[BYTES] = {0};
        uint64_t cells[FIELDS + 1];
        struct assay_packed_length length;
        struct assay_unpacked unpacked;
        struct assay_packed_position places[ASSAY_MAX_PACKED_FIELDS];
        make_toy(&toy, &seed);
        assert_int_equal(assay_pack(&toy.plan, toy.cells, false, bytes, BYTES, &length, NULL), 0);
        memset(cells, 0xa5, sizeof cells);
        assert_int_equal(assay_unpack(&toy.plan, bytes, length.bytes * 8, cells, &unpacked), 0);
        assert_int_equal(unpacked.bits, length.bits);
        assert_int_equal(unpacked.real_bits, length.bits);
        assert_int_equal(unpacked.excess, length.bytes * 8 - length.bits);
        assert_true(unpacked.excess_is_padding);
        assert_int_equal(unpacked.cut, 0);
        assert_int_equal(assay_packing_positions(&toy.plan, cells, places), length.bits);
        const struct assay_event event = {.bytes = bytes, .cells = cells};
        uint64_t at = FIXED_BITS;
        for (size_t i = 1; i < toy.kind.field_count; i++) {
            const struct assay_field *field = &toy.fields[i];
            const unsigned width = slow_width(&toy, i);
            const uint64_t all = assay_mask(field->width);
            const uint64_t slot = all << field->bit % 64;
            const bool is_signed = slow_term(&toy, &toy.packed[i].sign, 0) != 0;
            const bool negative = width > 0 && is_signed && toy.values[i] > all / 2;
            uint64_t magnitude;
            assert_true(assay_field_get(field, &event) == toy.values[i]);
            assert_true((cells[i] & ~slot) == 0);
            assert_int_equal(assay_field_negative(&toy.kind, field, &event, &magnitude), negative);
            assert_true(magnitude == (negative ? all + 1 - toy.values[i] : toy.values[i]));
            assert_int_equal(unpacked.present >> (i - 1) & 1, width > 0);
            assert_int_equal(assay_field_present(&toy.kind, field, &event), width > 0);
            assert_int_equal(assay_field_signed(&toy.kind, field, &event), width > 0 && is_signed);
            assert_int_equal(places[i - 1].width, width);
            assert_int_equal(places[i - 1].bit, at);
            at += width;
        }
        assert_true(assay_field_present(&toy.kind, &toy.fields[0], &event));
    }
}

static void a_compressed_payload_is_the_shortest_that_gives_the_same_fields(void **state)
{
    (void)state;
    uint64_t seed = 3;
    unsigned shorter = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct toy toy;
        uint8_t bytes[BYTES] = {0};
        uint64_t cells[FIELDS + 1] = {0};
        struct assay_packed_length length;
        struct assay_unpacked unpacked;
        make_toy(&toy, &seed);
        assert_int_equal(assay_pack(&toy.plan, toy.cells, true, bytes, BYTES, &length, NULL), 0);
        assert_true(length.bytes >= 1);
        const uint32_t full = (length.bits + 7) / 8;
        shorter += length.bytes < full;
        if (!toy.kind.sign_compressed) {
            assert_int_equal(length.bytes, full);
            continue;
        }
        /* The bytes left off are not looked at any more. */
        random_fill(&seed, bytes + length.bytes, BYTES - length.bytes);
        assert_int_equal(assay_unpack(&toy.plan, bytes, length.bytes * 8, cells, &unpacked), 0);
        cells[FIELDS] = 0;
        assert_memory_equal(cells, toy.cells, sizeof cells);
        assert_int_equal(unpacked.bits, length.bits);
        assert_int_equal(unpacked.cut != 0, length.bytes * 8 < length.bits);
        if (length.bytes > 1) {
            struct assay_unpacked less;
            assert_int_equal(assay_unpack(&toy.plan, bytes, length.bytes * 8 - 8, cells, &less), 0);
            cells[FIELDS] = 0;
            assert_memory_not_equal(cells, toy.cells, sizeof cells);
        }
    }
    assert_true(shorter > ROUNDS / 10);
}

/* --- payloads of other lengths --- */

static void a_payload_that_ends_early_tells_which_fields_it_cuts(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct toy toy;
        struct assay_packed_length length;
        make_toy(&toy, &seed);
        uint8_t full[BYTES] = {0};
        assert_int_equal(assay_pack(&toy.plan, toy.cells, false, full, BYTES, &length, NULL), 0);
        const uint64_t bits = 1 + random_below(&seed, length.bits);
        const size_t size = (size_t)(bits + 7) / 8;
        uint8_t *bytes = malloc(size); /* so that a sanitizer sees a read beyond it */
        assert_non_null(bytes);
        memcpy(bytes, full, size);
        uint64_t cells[FIELDS + 1] = {0};
        struct assay_unpacked unpacked;
        const enum assay_error error = assay_unpack(&toy.plan, bytes, bits, cells, &unpacked);
        assert_int_equal(error, !toy.kind.sign_compressed && bits < unpacked.bits ? ASSAY_TRUNCATED
                                                                                  : ASSAY_OK);
        assert_int_equal(unpacked.real_bits, bits < unpacked.bits ? bits : unpacked.bits);
        /* The layout follows from what was read; the reference is asked about the same values. */
        const struct assay_event event = {.bytes = bytes, .cells = cells};
        for (size_t i = 1; i < toy.kind.field_count; i++) {
            toy.values[i] = assay_field_get(&toy.fields[i], &event);
        }
        const bool fill = toy.kind.sign_compressed && bit_of(full, bits - 1);
        uint64_t at = FIXED_BITS;
        for (size_t i = 1; i < toy.kind.field_count; i++) {
            const unsigned width = slow_width(&toy, i);
            uint64_t value = 0;
            for (unsigned b = 0; b < width; b++, at++) {
                value |= (uint64_t)(at < bits ? bit_of(full, at) : fill) << b;
            }
            if (slow_term(&toy, &toy.packed[i].sign, 0) != 0) {
                value = slow_extend(value, width, toy.fields[i].width);
            }
            assert_true(toy.values[i] ==
                        (value << slow_shift(&toy, i) & assay_mask(toy.fields[i].width)));
            assert_int_equal(unpacked.cut >> (i - 1) & 1, width > 0 && at > bits);
        }
        assert_int_equal(unpacked.bits, at);
        free(bytes);
    }
}

static void bits_behind_the_fields_are_counted_and_told_from_padding(void **state)
{
    (void)state;
    uint64_t seed = 5;
    unsigned others = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct toy toy;
        struct assay_packed_length length;
        struct assay_unpacked unpacked;
        uint64_t cells[FIELDS + 1];
        uint8_t bytes[BYTES + 32] = {0};
        make_toy(&toy, &seed);
        assert_int_equal(assay_pack(&toy.plan, toy.cells, false, bytes, BYTES, &length, NULL), 0);
        const uint64_t excess = random_below(&seed, 140);
        const bool pad = toy.kind.sign_compressed && bit_of(bytes, length.bits - 1);
        const uint64_t odd = random_below(&seed, 2) != 0 ? random_below(&seed, 140) : 999;
        for (uint64_t i = 0; i < excess; i++) {
            put_bit(bytes, length.bits + i, i == odd ? !pad : pad);
        }
        assert_int_equal(assay_unpack(&toy.plan, bytes, length.bits + excess, cells, &unpacked), 0);
        assert_int_equal(unpacked.bits, length.bits);
        assert_int_equal(unpacked.real_bits, length.bits);
        assert_int_equal(unpacked.excess, excess);
        assert_int_equal(unpacked.excess_is_padding, odd >= excess);
        others += odd < excess;
    }
    assert_true(others > ROUNDS / 10);
}

static void fields_of_one_cell_leave_its_other_bits(void **state)
{
    (void)state;
    static const struct assay_field fields[] = {
        {.name = "low", .type = ASSAY_UINT, .place = ASSAY_PACKED, .bit = 8, .width = 4},
        {.name = "high", .type = ASSAY_UINT, .place = ASSAY_PACKED, .bit = 32, .width = 8}};
    static const struct assay_kind kind = {.name = "two", .fields = fields, .field_count = 2};
    struct assay_packing plan;
    struct assay_unpacked unpacked;
    const uint8_t bytes[] = {0x67, 0x05};
    uint64_t cell = UINT64_MAX;
    assert_int_equal(assay_packing_plan(&kind, NULL, 0, &plan, NULL), ASSAY_OK);
    assert_int_equal(assay_unpack(&plan, bytes, 12, &cell, &unpacked), ASSAY_OK);
    assert_true(cell == UINT64_C(0xffffff56fffff7ff));
}

static void a_payload_without_a_bit_is_truncated(void **state)
{
    (void)state;
    uint64_t seed = 6;
    struct toy toy;
    struct assay_unpacked unpacked;
    uint64_t cells[FIELDS + 1];
    make_toy(&toy, &seed);
    for (unsigned compressed = 0; compressed < 2; compressed++) {
        toy.kind.sign_compressed = compressed;
        assert_int_equal(assay_unpack(&toy.plan, NULL, 0, cells, &unpacked), ASSAY_TRUNCATED);
        assert_int_equal(unpacked.real_bits, 0);
        assert_int_equal(unpacked.cut, unpacked.present);
        assert_true(unpacked.excess_is_padding && unpacked.excess == 0);
    }
}

/* --- values that do not fit --- */

static void a_value_that_does_not_fit_is_refused_by_the_name_of_its_field(void **state)
{
    (void)state;
    uint64_t seed = 7;
    unsigned refused = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct toy toy;
        uint8_t bytes[BYTES] = {0};
        struct assay_packed_length length;
        struct assay_diag diag = {.error = ASSAY_OK};
        make_toy(&toy, &seed);
        const size_t last = toy.kind.field_count - 1;
        const unsigned width = slow_width(&toy, last);
        const unsigned shift = slow_shift(&toy, last);
        const unsigned slot = toy.fields[last].width;
        uint64_t value = random_next(&seed) & assay_mask(slot);
        uint64_t kept = value >> shift & assay_mask(width);
        if (slow_term(&toy, &toy.packed[last].sign, 0) != 0) {
            kept = slow_extend(kept, width, slot);
        }
        const bool fits = (kept << shift & assay_mask(slot)) == value;
        set_value(&toy, last, value);
        toy.fields[last].name = "culprit";
        const enum assay_error error =
            assay_pack(&toy.plan, toy.cells, false, bytes, BYTES, &length, &diag);
        assert_int_equal(error, fits ? ASSAY_OK : ASSAY_OUT_OF_RANGE);
        assert_int_equal(strstr(diag.message, "toy.culprit") != NULL, !fits);
        refused += !fits;
    }
    assert_true(refused > ROUNDS / 10);
}

static void packing_does_not_write_beyond_its_buffer(void **state)
{
    (void)state;
    uint64_t seed = 8;
    for (unsigned round = 0; round < 500; round++) {
        struct toy toy;
        struct assay_packed_length length;
        uint8_t bytes[BYTES] = {0};
        make_toy(&toy, &seed);
        assert_int_equal(assay_pack(&toy.plan, toy.cells, false, bytes, BYTES, &length, NULL), 0);
        const size_t size = length.bytes;
        uint8_t *exact = calloc(1, size);
        assert_non_null(exact);
        assert_int_equal(assay_pack(&toy.plan, toy.cells, true, exact, size, &length, NULL), 0);
        assert_memory_equal(exact, bytes, size);
        exact[size - 1] = 0x5a;
        assert_int_equal(assay_pack(&toy.plan, toy.cells, true, exact, size - 1, &length, NULL),
                         ASSAY_LIMIT);
        assert_int_equal(exact[size - 1], 0x5a);
        free(exact);
    }
}

static void a_refusal_says_why_the_value_does_not_fit(void **state)
{
    (void)state;
    const struct assay_packed layout = {
        .width = {.op = ASSAY_PACKED_VALUE, .a = ASSAY_BY_PARAMETER(0)},
        .shift = {.op = ASSAY_PACKED_VALUE, .a = ASSAY_BY_NUMBER(2)},
    };
    const struct assay_field field = {
        .name = "field", .type = ASSAY_UINT, .place = ASSAY_PACKED, .width = 8, .packed = &layout};
    const struct assay_kind kind = {.name = "kind", .fields = &field, .field_count = 1};
    static const struct {
        uint64_t width, value;
        const char *message;
    } cases[] = {{3, 4, ""},
                 {3, 28, ""},
                 {0, 0, ""},
                 {3, 6, "0x6 does not fit kind.field: its low bits, 2, are left out"},
                 {3, 32, "0x20 does not fit kind.field: its width is 3"},
                 {0, 4, "0x4 does not fit kind.field: the field is absent here"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_packing plan;
        struct assay_packed_length length;
        struct assay_diag diag = {.error = ASSAY_OK};
        uint8_t byte = 0;
        assert_int_equal(assay_packing_plan(&kind, &cases[i].width, 1, &plan, NULL), ASSAY_OK);
        assay_pack(&plan, &cases[i].value, false, &byte, 1, &length, &diag);
        assert_string_equal(diag.message, cases[i].message);
    }
}

static void presence_is_known_only_of_kinds_that_note_it(void **state)
{
    (void)state;
    const struct assay_field fields[] = {
        {.name = "a", .place = ASSAY_PACKED, .bit = 64, .width = 8},
        {.name = "b", .place = ASSAY_PACKED, .bit = 72, .width = 8}};
    const uint64_t cells[] = {UINT64_C(2) << 32 | 2, 0xff01};
    const struct assay_event event = {.cells = cells};
    for (uint8_t presence = 0; presence < 2; presence++) {
        const struct assay_kind kind = {.fields = fields, .field_count = 2, .presence = presence};
        assert_int_equal(assay_field_present(&kind, &fields[0], &event), presence == 0);
        assert_true(assay_field_present(&kind, &fields[1], &event));
        assert_false(assay_field_signed(&kind, &fields[0], &event));
        assert_int_equal(assay_field_signed(&kind, &fields[1], &event), presence != 0);
    }
}

static void a_constant_is_written_whatever_the_words_hold(void **state)
{
    (void)state;
    struct assay_packed by_parameter = {
        .width = {.op = ASSAY_PACKED_VALUE, .a = ASSAY_BY_PARAMETER(0)}};
    const struct assay_field field = {.name = "constant",
                                      .place = ASSAY_PACKED,
                                      .width = 8,
                                      .flags = ASSAY_CONSTANT,
                                      .value = 5,
                                      .packed = &by_parameter};
    const struct assay_kind kind = {.name = "kind", .fields = &field, .field_count = 1};
    const uint64_t cells[1] = {0xff};
    const struct {
        uint64_t width;
        enum assay_error error;
        uint8_t byte;
    } cases[] = {{8, ASSAY_OK, 5}, {3, ASSAY_OK, 5}, {2, ASSAY_OUT_OF_RANGE, 0}, {0, ASSAY_OK, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_packing plan;
        struct assay_packed_length length;
        uint8_t byte = 0;
        assert_int_equal(assay_packing_plan(&kind, &cases[i].width, 1, &plan, NULL), ASSAY_OK);
        assert_int_equal(assay_pack(&plan, cells, false, &byte, 1, &length, NULL), cases[i].error);
        assert_int_equal(byte, cases[i].byte);
    }
}

static void sign_compression_keeps_the_byte_that_the_rest_is_a_copy_of(void **state)
{
    (void)state;
    const struct {
        uint8_t bytes[4];
        size_t size, left;
    } cases[] = {
        {{0}, 0, 0},
        {{0}, 1, 1},
        {{0xff}, 1, 1},
        {{0, 0, 0, 0}, 4, 1},
        {{0xff, 0xff}, 2, 1},
        {{0x80, 0xff, 0xff}, 3, 1},
        {{0x80, 0, 0}, 3, 2},
        {{0x7f, 0xff}, 2, 2},
        {{0x7f, 0, 0, 0}, 4, 1},
        {{1, 2, 0, 0xff}, 4, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(assay_sign_compressed(cases[i].bytes, cases[i].size), cases[i].left);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packing_writes_the_fields_bit_by_bit_in_table_order_and_pads),
        cmocka_unit_test(unpacking_gives_back_what_was_packed_and_says_what_is_present),
        cmocka_unit_test(a_compressed_payload_is_the_shortest_that_gives_the_same_fields),
        cmocka_unit_test(a_payload_that_ends_early_tells_which_fields_it_cuts),
        cmocka_unit_test(bits_behind_the_fields_are_counted_and_told_from_padding),
        cmocka_unit_test(fields_of_one_cell_leave_its_other_bits),
        cmocka_unit_test(a_payload_without_a_bit_is_truncated),
        cmocka_unit_test(a_value_that_does_not_fit_is_refused_by_the_name_of_its_field),
        cmocka_unit_test(packing_does_not_write_beyond_its_buffer),
        cmocka_unit_test(a_refusal_says_why_the_value_does_not_fit),
        cmocka_unit_test(presence_is_known_only_of_kinds_that_note_it),
        cmocka_unit_test(a_constant_is_written_whatever_the_words_hold),
        cmocka_unit_test(sign_compression_keeps_the_byte_that_the_rest_is_a_copy_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
