/* Kinds and fields against a bit-by-bit reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/tests/random.h"
#include "model/model.h"

/* --- the reference: one bit at a time --- */

static bool bit_of(const uint8_t *bytes, uint64_t at)
{
    return (bytes[at / 8] >> (at % 8) & 1) != 0;
}

static void put_bit(uint8_t *bytes, uint64_t at, bool bit)
{
    const uint8_t mask = (uint8_t)(1u << (at % 8));
    bytes[at / 8] = (uint8_t)((bytes[at / 8] & ~mask) | (bit ? mask : 0));
}

static uint64_t slow_get(const uint8_t *bytes, uint64_t at, unsigned width)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++) {
        value |= (uint64_t)bit_of(bytes, at + i) << i;
    }
    return value;
}

static void slow_put(uint8_t *bytes, uint64_t at, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++) {
        put_bit(bytes, at + i, (value >> i & 1) != 0);
    }
}

/* --- fields at fixed bits --- */

static struct assay_field field_at(unsigned bit, unsigned width)
{
    return (struct assay_field){.name = "field",
                                .type = ASSAY_UINT,
                                .place = ASSAY_AT_BIT,
                                .bit = (uint16_t)bit,
                                .width = (uint16_t)width};
}

/* Memory that ends where an event's memory may end: at the next multiple of 8 bytes. */
static uint8_t *event_bytes(unsigned bits)
{
    uint8_t *bytes = malloc((bits + 63u) / 64 * 8);
    assert_non_null(bytes);
    return bytes;
}

static void a_field_is_read_and_written_at_any_bit_and_width(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (unsigned bit = 0; bit < 140; bit++) {
        for (unsigned width = 1; width <= 64; width++) {
            const unsigned bits = (bit + width + 7) / 8 * 8;
            const size_t size = bits / 8;
            uint8_t *bytes = event_bytes(bits);
            uint8_t expected[64];
            random_fill(&seed, bytes, (bits + 63u) / 64 * 8);
            memcpy(expected, bytes, size);
            const struct assay_field field = field_at(bit, width);
            const struct assay_event event = {.bytes = bytes, .bits = bits};
            assert_true(assay_field_get(&field, &event) == slow_get(bytes, bit, width));
            const uint64_t value = random_value(&seed, width);
            slow_put(expected, bit, width, value);
            assert_int_equal(assay_field_set(&field, bytes, NULL, value), ASSAY_OK);
            assert_memory_equal(bytes, expected, size);
            assert_true(assay_field_get(&field, &event) == value);
            free(bytes);
        }
    }
}

static void a_value_with_too_many_bits_is_refused_and_nothing_is_written(void **state)
{
    (void)state;
    for (unsigned width = 1; width < 64; width++) {
        uint8_t bytes[16];
        uint8_t before[16];
        uint64_t cells[2] = {7, 7};
        memset(bytes, 0x3c, sizeof bytes);
        memcpy(before, bytes, sizeof bytes);
        struct assay_field field = field_at(3, width);
        assert_int_equal(assay_field_set(&field, bytes, cells, assay_mask(width)), ASSAY_OK);
        memcpy(bytes, before, sizeof bytes);
        assert_int_equal(assay_field_set(&field, bytes, cells, UINT64_C(1) << width),
                         ASSAY_OUT_OF_RANGE);
        assert_memory_equal(bytes, before, sizeof bytes);
        field.place = ASSAY_DERIVED;
        field.bit = 64;
        assert_int_equal(assay_field_set(&field, bytes, cells, UINT64_MAX), ASSAY_OUT_OF_RANGE);
        assert_true(cells[0] == 7 && cells[1] == 7);
    }
}

static void a_field_in_the_words_leaves_its_neighbours_alone(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (unsigned bit = 0; bit < 128; bit++) {
        for (unsigned width = 1; bit % 64 + width <= 64; width++) {
            uint64_t cells[2] = {random_next(&seed), random_next(&seed)};
            uint64_t expected[2] = {cells[0], cells[1]};
            const uint64_t value = random_value(&seed, width);
            const struct assay_field field = {
                .place = ASSAY_DERIVED, .bit = (uint16_t)bit, .width = (uint16_t)width};
            const struct assay_event event = {.cells = cells};
            expected[bit / 64] &= ~(assay_mask(width) << bit % 64);
            expected[bit / 64] |= value << bit % 64;
            assert_int_equal(assay_field_set(&field, NULL, cells, value), ASSAY_OK);
            assert_memory_equal(cells, expected, sizeof cells);
            assert_true(assay_field_get(&field, &event) == value);
        }
    }
}

static void a_wide_field_is_zero_only_when_all_its_bits_are(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 40; bit += 13) {
        for (unsigned width = 65; width <= 200; width += 27) {
            const unsigned bits = 256;
            uint8_t *bytes = event_bytes(bits);
            const struct assay_field field = field_at(bit, width);
            const struct assay_event event = {.bytes = bytes, .bits = bits};
            memset(bytes, 0, bits / 8);
            assert_true(assay_field_get(&field, &event) == 0);
            for (unsigned one = 0; one < bits; one++) {
                memset(bytes, 0, bits / 8);
                put_bit(bytes, one, true);
                const bool inside = one >= bit && one < bit + width;
                assert_int_equal(assay_field_get(&field, &event) != 0, inside);
            }
            free(bytes);
        }
    }
}

/* --- names --- */

static const struct assay_enumerator colours[] = {
    {0, "red", ""}, {5, "green", ""}, {7, "blue", ""}};
static const struct assay_enumeration colour = {"colour", colours, 3};

static void names_of_values_are_found_in_both_directions(void **state)
{
    (void)state;
    uint64_t value = 99;
    for (size_t i = 0; i < colour.count; i++) {
        assert_string_equal(assay_enum_name(&colour, colours[i].value), colours[i].name);
        assert_true(assay_enum_value(&colour, colours[i].name, &value));
        assert_int_equal(value, colours[i].value);
    }
}

static void a_value_or_name_that_is_not_in_the_list_is_not_found(void **state)
{
    (void)state;
    uint64_t value = 99;
    assert_null(assay_enum_name(&colour, 1));
    assert_null(assay_enum_name(NULL, 0));
    assert_false(assay_enum_value(&colour, "gree", &value));
    assert_false(assay_enum_value(&colour, "", &value));
    assert_false(assay_enum_value(NULL, "red", &value));
    assert_int_equal(value, 99);
}

static void kinds_fields_and_formats_are_found_by_their_whole_names(void **state)
{
    (void)state;
    const struct assay_format *format = assay_formats[0];
    assert_ptr_equal(assay_format_by_name(format->name), format);
    assert_null(assay_format_by_name("no-such-format"));
    assert_null(assay_format_by_name(""));
    for (size_t k = 0; k < format->kind_count; k++) {
        const struct assay_kind *kind = &format->kinds[k];
        assert_ptr_equal(assay_kind_by_name(format, kind->name), kind);
        for (size_t i = 0; i < kind->field_count; i++) {
            assert_ptr_equal(assay_field_by_name(kind, kind->fields[i].name), &kind->fields[i]);
        }
        assert_null(assay_field_by_name(kind, "no_such_field"));
    }
    assert_null(assay_kind_by_name(format, "no_such_kind"));
}

static void clearing_a_kind_writes_its_constants_and_nothing_else(void **state)
{
    (void)state;
    struct assay_field fields[] = {field_at(0, 8), field_at(11, 13), field_at(30, 20)};
    fields[0].flags = ASSAY_CONSTANT;
    fields[0].value = 0xa7;
    fields[2].flags = ASSAY_CONSTANT;
    fields[2].value = 0xfedcb;
    const struct assay_kind kind = {.bits = 64, .fields = fields, .field_count = 3};
    uint8_t bytes[9];
    memset(bytes, 0xff, sizeof bytes);
    assay_kind_clear(&kind, bytes);
    uint8_t expected[9] = {0};
    slow_put(expected, 0, 8, 0xa7);
    slow_put(expected, 30, 20, 0xfedcb);
    expected[8] = 0xff;
    assert_memory_equal(bytes, expected, sizeof bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_is_read_and_written_at_any_bit_and_width),
        cmocka_unit_test(a_value_with_too_many_bits_is_refused_and_nothing_is_written),
        cmocka_unit_test(a_field_in_the_words_leaves_its_neighbours_alone),
        cmocka_unit_test(a_wide_field_is_zero_only_when_all_its_bits_are),
        cmocka_unit_test(names_of_values_are_found_in_both_directions),
        cmocka_unit_test(a_value_or_name_that_is_not_in_the_list_is_not_found),
        cmocka_unit_test(kinds_fields_and_formats_are_found_by_their_whole_names),
        cmocka_unit_test(clearing_a_kind_writes_its_constants_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
