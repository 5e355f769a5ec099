/* Accesses as sets of bytes: against a map of the bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "common/tests/random.h"
#include "execution/runs.h"
#include "execution/window.h"

enum { SPACE = 200 };

static void runs_are_sorted_and_apart(const struct assay_runs *runs)
{
    for (unsigned i = 0; i < runs->count; i++) {
        assert_true(runs->list[i].first <= runs->list[i].last);
        assert_true(i == 0 || runs->list[i].first > runs->list[i - 1].last + 1);
    }
}

static struct assay_surplus expected(const bool *in, const bool *out)
{
    struct assay_surplus surplus = {0, 0};
    for (unsigned i = 0; i < SPACE; i++) {
        if (in[i] && !out[i]) {
            surplus.first = surplus.bytes == 0 ? i : surplus.first;
            surplus.bytes++;
        }
    }
    return surplus;
}

static void add_some(struct assay_runs *runs, bool *map, uint64_t *seed)
{
    runs->count = 0;
    runs->cut = false;
    memset(map, 0, SPACE * sizeof map[0]);
    for (uint64_t n = random_below(seed, 12); n > 0; n--) {
        const uint64_t size = random_below(seed, 20);
        const uint64_t at = random_below(seed, SPACE - 20);
        assay_runs_add(runs, at, size);
        for (uint64_t i = 0; i < size; i++) {
            map[at + i] = true;
        }
        runs_are_sorted_and_apart(runs);
    }
}

static void the_difference_of_two_sets_is_that_of_their_bytes(void **state)
{
    (void)state;
    static struct assay_runs a;
    static struct assay_runs b;
    bool in_a[SPACE];
    bool in_b[SPACE];
    uint64_t seed = 1;
    for (unsigned i = 0; i < 20000; i++) {
        add_some(&a, in_a, &seed);
        add_some(&b, in_b, &seed);
        const struct assay_surplus wanted = expected(in_a, in_b);
        const struct assay_surplus got = assay_runs_beyond(&a, &b);
        assert_int_equal(got.bytes, wanted.bytes);
        assert_int_equal(got.first, wanted.first);
    }
}

static void the_end_of_the_address_space_is_no_border(void **state)
{
    (void)state;
    static struct assay_runs a;
    static struct assay_runs b;
    assay_runs_add(&a, UINT64_MAX - 3, 8);
    assert_int_equal(a.count, 2);
    assay_runs_add(&b, 0, 4);
    struct assay_surplus surplus = assay_runs_beyond(&a, &b);
    assert_int_equal(surplus.bytes, 4);
    assert_int_equal(surplus.first, UINT64_MAX - 3);
    assay_runs_add(&b, UINT64_MAX - 3, 4);
    assert_int_equal(assay_runs_beyond(&a, &b).bytes, 0);
    assay_runs_add(&a, 0, UINT64_MAX);
    assert_int_equal(a.count, 1);
    surplus = assay_runs_beyond(&a, &b);
    assert_int_equal(surplus.bytes, UINT32_MAX);
    assert_int_equal(surplus.first, 4);
}

static void a_set_of_too_many_runs_says_so(void **state)
{
    (void)state;
    static struct assay_runs runs;
    for (uint64_t i = 0; i < ASSAY_RUNS; i++) {
        assay_runs_add(&runs, 16 * (ASSAY_RUNS - i), 8);
        assert_false(runs.cut);
    }
    assay_runs_add(&runs, 16, 12);
    assert_false(runs.cut);
    assay_runs_add(&runs, 4, 1);
    assert_true(runs.cut);
    assert_int_equal(runs.count, ASSAY_RUNS);
    runs_are_sorted_and_apart(&runs);
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
        cmocka_unit_test(the_end_of_the_address_space_is_no_border),
        cmocka_unit_test(a_set_of_too_many_runs_says_so),
        cmocka_unit_test(tags_of_addresses_are_copies_of_bit_55),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
