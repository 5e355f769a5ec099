#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/cursor.h"

static const uint8_t bytes[] = {0x01, 0x82, 0x43, 0xc4, 0x25, 0xa6, 0x67, 0xe8,
                                0x19, 0x9a, 0x5b, 0xdc, 0x3d, 0xbe, 0x7f, 0xf0};

static void numbers_are_little_endian(void **state)
{
    (void)state;
    struct assay_bytes c = assay_bytes_of(bytes, sizeof bytes);
    assert_int_equal(assay_bytes_u8(&c), 0x01);
    assert_int_equal(assay_bytes_u16(&c), 0x4382);
    assert_int_equal(assay_bytes_u32(&c), 0x67a625c4);
    assert_true(assay_bytes_u64(&c) == UINT64_C(0x7fbe3ddc5b9a19e8));
    assert_int_equal(assay_bytes_left(&c), 1);
    assert_false(c.overrun);
}

static void stores_are_what_loads_read(void **state)
{
    (void)state;
    uint8_t place[9] = {0};
    assay_store16(place + 1, 0x1234);
    assert_int_equal(place[1], 0x34);
    assert_int_equal(assay_load16(place + 1), 0x1234);
    assay_store32(place + 1, 0x12345678);
    assert_int_equal(place[4], 0x12);
    assert_int_equal(assay_load32(place + 1), 0x12345678);
    assay_store64(place + 1, UINT64_C(0x123456789abcdef0));
    assert_int_equal(place[8], 0x12);
    assert_true(assay_load64(place + 1) == UINT64_C(0x123456789abcdef0));
}

static void a_read_past_the_end_gives_zero_and_is_remembered(void **state)
{
    (void)state;
    for (size_t size = 0; size < 8; size++) {
        struct assay_bytes c = assay_bytes_of(bytes, size);
        assert_true(assay_bytes_u64(&c) == 0);
        assert_true(c.overrun);
        assert_int_equal(assay_bytes_left(&c), 0);
        assert_int_equal(assay_bytes_u8(&c), 0);
        assert_true(c.overrun);
    }
}

static void taking_nothing_at_the_end_is_no_overrun(void **state)
{
    (void)state;
    struct assay_bytes c = assay_bytes_of(bytes, 4);
    assert_ptr_equal(assay_bytes_take(&c, 4), bytes);
    assert_ptr_equal(assay_bytes_take(&c, 0), bytes + 4);
    assert_false(c.overrun);
    assert_null(assay_bytes_take(&c, SIZE_MAX));
    assert_true(c.overrun);
}

static uint64_t bit_by_bit(uint64_t at, unsigned n)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < n; i++) {
        const uint64_t bit = at + i;
        value |= (uint64_t)(bytes[bit / 8] >> (bit % 8) & 1) << i;
    }
    return value;
}

static void numbers_in_uleb128_come_back_in_as_many_bytes_as_they_were_written(void **state)
{
    (void)state;
    static const uint64_t values[] = {0,      1,        0x7f,       0x80,           0x3fff,
                                      0x4000, 0x1fffff, UINT32_MAX, UINT64_MAX >> 1};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        for (unsigned least = 1; least <= 9; least++) {
            uint8_t coded[ASSAY_ULEB128_MOST + 1];
            uint64_t value = 0;
            memset(coded, 0xff, sizeof coded);
            const unsigned size = assay_store_uleb128(coded, values[i], least);
            const unsigned shortest = assay_store_uleb128((uint8_t[16]){0}, values[i], 0);
            assert_int_equal(size, shortest > least ? shortest : least);
            struct assay_bytes all = assay_bytes_of(coded, sizeof coded);
            assert_true(assay_bytes_uleb128(&all, 9, &value));
            assert_true(value == values[i]);
            assert_int_equal(all.at, size);
            struct assay_bytes cut = assay_bytes_of(coded, size - 1);
            assert_false(assay_bytes_uleb128(&cut, 9, &value));
            assert_true(cut.overrun);
            struct assay_bytes few = assay_bytes_of(coded, sizeof coded);
            assert_false(assay_bytes_uleb128(&few, size - 1, &value));
            assert_false(few.overrun);
        }
    }
}

static void bits_are_those_of_a_reader_that_goes_bit_by_bit(void **state)
{
    (void)state;
    for (uint64_t at = 0; at <= sizeof bytes * 8; at++) {
        for (unsigned n = 0; n <= 64 && at + n <= sizeof bytes * 8; n++) {
            struct assay_bits c = assay_bits_of(bytes, sizeof bytes);
            c.at = at;
            assert_true(assay_bits_take(&c, n) == bit_by_bit(at, n));
            assert_true(c.at == at + n);
            assert_false(c.overrun);
        }
    }
}

static void bits_past_the_end_give_zero_and_are_remembered(void **state)
{
    (void)state;
    struct assay_bits c = assay_bits_of(bytes, 2);
    assert_true(assay_bits_take(&c, 9) == bit_by_bit(0, 9));
    assert_true(assay_bits_take(&c, 8) == 0);
    assert_true(c.overrun);
    assert_true(assay_bits_left(&c) == 0);
    c = assay_bits_of(bytes, sizeof bytes);
    assert_true(assay_bits_take(&c, 65) == 0);
    assert_true(c.overrun);
}

static void a_mask_has_as_many_bits_as_asked(void **state)
{
    (void)state;
    assert_true(assay_mask(0) == 0);
    assert_true(assay_mask(1) == 1);
    assert_true(assay_mask(63) == UINT64_MAX >> 1);
    assert_true(assay_mask(64) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_little_endian),
        cmocka_unit_test(stores_are_what_loads_read),
        cmocka_unit_test(a_read_past_the_end_gives_zero_and_is_remembered),
        cmocka_unit_test(taking_nothing_at_the_end_is_no_overrun),
        cmocka_unit_test(numbers_in_uleb128_come_back_in_as_many_bytes_as_they_were_written),
        cmocka_unit_test(bits_are_those_of_a_reader_that_goes_bit_by_bit),
        cmocka_unit_test(bits_past_the_end_give_zero_and_are_remembered),
        cmocka_unit_test(a_mask_has_as_many_bits_as_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
