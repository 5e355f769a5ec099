/* Where a stream is wrong: at places with all right between them, or throughout. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "validator/engine/extent.h"

enum { END = 20000 };

static struct assay_extent_found find(const uint64_t *offsets, size_t count, uint64_t end)
{
    struct assay_extent_found found;
    assay_extent_find(offsets, count, end, &found);
    return found;
}

static void one_burst_in_a_long_stream_is_a_place(void **state)
{
    (void)state;
    static const uint64_t offsets[] = {9000, 9010, 9800, 10500};
    const struct assay_extent_found found = find(offsets, 4, END);
    assert_int_equal(found.extent, ASSAY_EXTENT_AT_PLACES);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.list[0].at, 9000);
    assert_int_equal(found.list[0].to, 10500);
    assert_int_equal(found.list[0].first, 0);
}

static void violations_far_from_each_other_are_of_different_places(void **state)
{
    (void)state;
    static const uint64_t offsets[] = {1000, 1999, 3100, 9000};
    const struct assay_extent_found found = find(offsets, 4, END);
    assert_int_equal(found.extent, ASSAY_EXTENT_AT_PLACES);
    assert_int_equal(found.count, 3);
    assert_int_equal(found.list[1].first, 2);
    assert_int_equal(found.list[1].at, 3100);
    assert_int_equal(found.list[2].first, 3);
}

static void what_goes_on_for_half_of_the_stream_is_throughout(void **state)
{
    (void)state;
    uint64_t offsets[20];
    for (size_t i = 0; i < 20; i++) {
        offsets[i] = 4000 + 500 * i;
    }
    assert_int_equal(find(offsets, 17, END).extent, ASSAY_EXTENT_AT_PLACES);
    assert_int_equal(find(offsets, 20, END).extent, ASSAY_EXTENT_THROUGHOUT);
    assert_int_equal(find(offsets, 20, END).count, 0);
}

static void places_all_over_the_stream_are_throughout(void **state)
{
    (void)state;
    uint64_t offsets[12];
    for (size_t i = 0; i < 12; i++) {
        offsets[i] = 1500 * i;
    }
    assert_int_equal(find(offsets, 9, END).extent, ASSAY_EXTENT_AT_PLACES);
    assert_int_equal(find(offsets, 12, END).extent, ASSAY_EXTENT_THROUGHOUT);
}

static void a_short_stream_and_one_without_violations_tell_nothing(void **state)
{
    (void)state;
    static const uint64_t offsets[] = {100};
    assert_int_equal(find(offsets, 1, 560).extent, ASSAY_EXTENT_THROUGHOUT);
    assert_int_equal(find(offsets, 1, 580).extent, ASSAY_EXTENT_AT_PLACES);
    assert_int_equal(find(offsets, 0, END).extent, ASSAY_EXTENT_THROUGHOUT);
    assert_int_equal(find(offsets, 1, 0).extent, ASSAY_EXTENT_THROUGHOUT);
}

static void more_places_than_can_be_told_apart_are_throughout(void **state)
{
    (void)state;
    uint64_t offsets[ASSAY_EXTENT_MOST + 1];
    for (size_t i = 0; i <= ASSAY_EXTENT_MOST; i++) {
        offsets[i] = 1000000 * i;
    }
    assert_int_equal(find(offsets, ASSAY_EXTENT_MOST + 1, UINT64_C(10000000)).extent,
                     ASSAY_EXTENT_THROUGHOUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_burst_in_a_long_stream_is_a_place),
        cmocka_unit_test(violations_far_from_each_other_are_of_different_places),
        cmocka_unit_test(what_goes_on_for_half_of_the_stream_is_throughout),
        cmocka_unit_test(places_all_over_the_stream_are_throughout),
        cmocka_unit_test(a_short_stream_and_one_without_violations_tell_nothing),
        cmocka_unit_test(more_places_than_can_be_told_apart_are_throughout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
