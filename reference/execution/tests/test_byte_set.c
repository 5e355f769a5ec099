/* Sets of bytes, compared with a map of the bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "common/tests/random.h"
#include "execution/byte_set.h"
#include "execution/window.h"

enum { SPACE = 200 };

static void ranges_are_sorted_and_apart(const struct assay_byte_set *set)
{
    for (unsigned i = 0; i < set->count; i++) {
        assert_true(set->list[i].first <= set->list[i].last);
        assert_true(i == 0 || set->list[i].first > set->list[i - 1].last + 1);
    }
}

static struct assay_byte_difference expected(const bool *in, const bool *out)
{
    struct assay_byte_difference difference = {0, 0};
    for (unsigned i = 0; i < SPACE; i++) {
        if (in[i] && !out[i]) {
            difference.first = difference.bytes == 0 ? i : difference.first;
            difference.bytes++;
        }
    }
    return difference;
}

static void add_some(struct assay_byte_set *set, bool *map, uint64_t *seed)
{
    set->count = 0;
    set->overflowed = false;
    memset(map, 0, SPACE * sizeof map[0]);
    for (uint64_t n = random_below(seed, 12); n > 0; n--) {
        const uint64_t size = random_below(seed, 20);
        const uint64_t at = random_below(seed, SPACE - 20);
        assay_byte_set_add(set, at, size);
        for (uint64_t i = 0; i < size; i++) {
            map[at + i] = true;
        }
        ranges_are_sorted_and_apart(set);
    }
}

static void the_difference_of_two_sets_is_that_of_their_bytes(void **state)
{
    (void)state;
    static struct assay_byte_set a;
    static struct assay_byte_set b;
    bool in_a[SPACE];
    bool in_b[SPACE];
    uint64_t seed = 1;
    for (unsigned i = 0; i < 20000; i++) {
        add_some(&a, in_a, &seed);
        add_some(&b, in_b, &seed);
        const struct assay_byte_difference wanted = expected(in_a, in_b);
        const struct assay_byte_difference got = assay_byte_set_difference(&a, &b);
        assert_int_equal(got.bytes, wanted.bytes);
        assert_int_equal(got.first, wanted.first);
    }
}

static void sets_wrap_around_at_the_end_of_the_address_space(void **state)
{
    (void)state;
    static struct assay_byte_set a;
    static struct assay_byte_set b;
    assay_byte_set_add(&a, UINT64_MAX - 3, 8);
    assert_int_equal(a.count, 2);
    assay_byte_set_add(&b, 0, 4);
    struct assay_byte_difference difference = assay_byte_set_difference(&a, &b);
    assert_int_equal(difference.bytes, 4);
    assert_int_equal(difference.first, UINT64_MAX - 3);
    assay_byte_set_add(&b, UINT64_MAX - 3, 4);
    assert_int_equal(assay_byte_set_difference(&a, &b).bytes, 0);
    assay_byte_set_add(&a, 0, UINT64_MAX);
    assert_int_equal(a.count, 1);
    difference = assay_byte_set_difference(&a, &b);
    assert_int_equal(difference.bytes, UINT32_MAX);
    assert_int_equal(difference.first, 4);
}

static void a_set_of_too_many_ranges_overflows(void **state)
{
    (void)state;
    static struct assay_byte_set set;
    for (uint64_t i = 0; i < ASSAY_BYTE_SET_RANGES; i++) {
        assay_byte_set_add(&set, 16 * (ASSAY_BYTE_SET_RANGES - i), 8);
        assert_false(set.overflowed);
    }
    assay_byte_set_add(&set, 16, 12);
    assert_false(set.overflowed);
    assay_byte_set_add(&set, 4, 1);
    assert_true(set.overflowed);
    assert_int_equal(set.count, ASSAY_BYTE_SET_RANGES);
    ranges_are_sorted_and_apart(&set);
}

static void tags_of_addresses_are_copies_of_bit_55(void **state)
{
    (void)state;
    assert_int_equal(assay_untagged(UINT64_C(0x5600000000002000)), 0x2000);
    assert_int_equal(assay_untagged(UINT64_C(0x0080000000002000)), UINT64_C(0xff80000000002000));
    assert_int_equal(assay_untagged(UINT64_C(0xffff800000002000)), UINT64_C(0xffff800000002000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_difference_of_two_sets_is_that_of_their_bytes),
        cmocka_unit_test(sets_wrap_around_at_the_end_of_the_address_space),
        cmocka_unit_test(a_set_of_too_many_ranges_overflows),
        cmocka_unit_test(tags_of_addresses_are_copies_of_bit_55),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
