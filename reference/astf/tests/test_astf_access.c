/* Accesses as ASTF records them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "astf/access.h"

static void accesses_are_merged_and_split_to_fit_records(void **state)
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

static void accesses_end_at_page_boundaries(void **state)
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
        cmocka_unit_test(accesses_are_merged_and_split_to_fit_records),
        cmocka_unit_test(accesses_end_at_page_boundaries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
