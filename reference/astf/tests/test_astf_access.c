/* Accesses as sets of bytes: against a map of the bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "astf/access.h"
#include "common/tests/random.h"

enum { SPACE = 200 };

static void runs_are_sorted_and_apart(const struct astf_runs *runs)
{
    for (unsigned i = 0; i < runs->count; i++) {
        assert_true(runs->list[i].first <= runs->list[i].last);
        assert_true(i == 0 || runs->list[i].first > runs->list[i - 1].last + 1);
    }
}

static struct astf_surplus expected(const bool *in, const bool *out)
{
    struct astf_surplus surplus = {0, 0};
    for (unsigned i = 0; i < SPACE; i++) {
        if (in[i] && !out[i]) {
            surplus.first = surplus.bytes == 0 ? i : surplus.first;
            surplus.bytes++;
        }
    }
    return surplus;
}

static void add_some(struct astf_runs *runs, bool *map, uint64_t *seed)
{
    runs->count = 0;
    runs->cut = false;
    memset(map, 0, SPACE * sizeof map[0]);
    for (uint64_t n = random_below(seed, 12); n > 0; n--) {
        const uint64_t size = random_below(seed, 20);
        const uint64_t at = random_below(seed, SPACE - 20);
        astf_runs_add(runs, at, size);
        for (uint64_t i = 0; i < size; i++) {
            map[at + i] = true;
        }
        runs_are_sorted_and_apart(runs);
    }
}

static void the_difference_of_two_sets_is_that_of_their_bytes(void **state)
{
    (void)state;
    static struct astf_runs a;
    static struct astf_runs b;
    bool in_a[SPACE];
    bool in_b[SPACE];
    uint64_t seed = 1;
    for (unsigned i = 0; i < 20000; i++) {
        add_some(&a, in_a, &seed);
        add_some(&b, in_b, &seed);
        const struct astf_surplus wanted = expected(in_a, in_b);
        const struct astf_surplus got = astf_runs_beyond(&a, &b);
        assert_int_equal(got.bytes, wanted.bytes);
        assert_int_equal(got.first, wanted.first);
    }
}

static void the_end_of_the_address_space_is_no_border(void **state)
{
    (void)state;
    static struct astf_runs a;
    static struct astf_runs b;
    astf_runs_add(&a, UINT64_MAX - 3, 8);
    assert_int_equal(a.count, 2);
    astf_runs_add(&b, 0, 4);
    struct astf_surplus surplus = astf_runs_beyond(&a, &b);
    assert_int_equal(surplus.bytes, 4);
    assert_int_equal(surplus.first, UINT64_MAX - 3);
    astf_runs_add(&b, UINT64_MAX - 3, 4);
    assert_int_equal(astf_runs_beyond(&a, &b).bytes, 0);
    astf_runs_add(&a, 0, UINT64_MAX);
    assert_int_equal(a.count, 1);
    surplus = astf_runs_beyond(&a, &b);
    assert_int_equal(surplus.bytes, UINT32_MAX);
    assert_int_equal(surplus.first, 4);
}

static void a_set_of_too_many_runs_says_so(void **state)
{
    (void)state;
    static struct astf_runs runs;
    for (uint64_t i = 0; i < ASTF_RUNS; i++) {
        astf_runs_add(&runs, 16 * (ASTF_RUNS - i), 8);
        assert_false(runs.cut);
    }
    astf_runs_add(&runs, 16, 12);
    assert_false(runs.cut);
    astf_runs_add(&runs, 4, 1);
    assert_true(runs.cut);
    assert_int_equal(runs.count, ASTF_RUNS);
    runs_are_sorted_and_apart(&runs);
}

static void tags_of_addresses_are_copies_of_bit_55(void **state)
{
    (void)state;
    assert_int_equal(astf_untagged(UINT64_C(0x5600000000002000)), 0x2000);
    assert_int_equal(astf_untagged(UINT64_C(0x0080000000002000)), UINT64_C(0xff80000000002000));
    assert_int_equal(astf_untagged(UINT64_C(0xffff800000002000)), UINT64_C(0xffff800000002000));
}

static void accesses_are_merged_and_cut_as_records_hold_them(void **state)
{
    (void)state;
    static struct astf_accesses out;
    const struct assay_access list[] = {
        {.address = UINT64_C(0x5600000000002000), .size = 8, .write = false},
        {.address = UINT64_C(0x5600000000002008), .size = 8, .write = false},
        {.address = 0x3000, .size = 8, .write = false},
        {.address = 0x3000, .size = 8, .write = true},
        {.address = 0x4000, .size = 512, .write = true},
    };
    astf_accesses_from(list, 5, &out);
    assert_int_equal(out.count, 4);
    assert_false(out.cut);
    assert_int_equal(out.list[0].address, 0x2000);
    assert_int_equal(out.list[0].size, 16);
    assert_true(out.list[1].read && out.list[1].write);
    assert_int_equal(out.list[2].size, 256);
    assert_int_equal(out.list[3].address, 0x4100);
}

static void accesses_end_at_borders_of_pages(void **state)
{
    (void)state;
    static struct astf_accesses out;
    const struct assay_access list[] = {
        {.address = 0x2ff8, .size = 8, .write = false},
        {.address = 0x3000, .size = 8, .write = false},
        {.address = 0x4ffc, .size = 8, .write = true},
        {.address = 0x5f80, .size = 512, .write = true},
    };
    astf_accesses_from(list, 4, &out);
    assert_int_equal(out.count, 7);
    assert_int_equal(out.list[0].size, 8);
    assert_int_equal(out.list[1].address, 0x3000);
    assert_int_equal(out.list[2].size, 4);
    assert_int_equal(out.list[3].address, 0x5000);
    assert_int_equal(out.list[4].size, 128);
    assert_int_equal(out.list[5].size, 256);
    assert_int_equal(out.list[6].address, 0x6100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_difference_of_two_sets_is_that_of_their_bytes),
        cmocka_unit_test(the_end_of_the_address_space_is_no_border),
        cmocka_unit_test(a_set_of_too_many_runs_says_so),
        cmocka_unit_test(tags_of_addresses_are_copies_of_bit_55),
        cmocka_unit_test(accesses_are_merged_and_cut_as_records_hold_them),
        cmocka_unit_test(accesses_end_at_borders_of_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
