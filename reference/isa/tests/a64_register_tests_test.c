/* What branches say of the registers that they test, by what each of two says of the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/a64_register_tests.h"
#include "isa/arm_flow.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

enum {
    CBZ_W3 = 0x34000003,
    CBNZ_W3 = 0x35000003,
    CBZ_W4 = 0x34000004,
    TBZ_0 = 0x36000003,
    TBZ_1 = 0x36080003,
    TBZ_15 = 0x36780003
};
#define CBZ_X3  UINT32_C(0xb4000003)
#define CBNZ_X3 UINT32_C(0xb5000003)
#define TBNZ_0  UINT32_C(0x37000003)
#define TBZ_31  UINT32_C(0x36f80003)
#define TBZ_32  UINT32_C(0xb6000003)
#define TBZ_63  UINT32_C(0xb6f80003)

static void what_they_test_is_a_bit_half_of_a_register_or_all_of_it(void **state)
{
    static const struct {
        uint32_t first;
        bool taken;
        uint32_t second;
        enum a64_tested says;
    } pairs[] = {
        {CBZ_X3, true, CBNZ_X3, A64_TESTED_ZERO},     {CBZ_X3, true, TBZ_63, A64_TESTED_ZERO},
        {CBZ_X3, true, CBZ_W3, A64_TESTED_ZERO},      {CBZ_X3, false, CBZ_X3, A64_TESTED_NOT_ZERO},
        {CBZ_X3, false, CBZ_W3, A64_TESTED_UNKNOWN},  {CBZ_X3, false, TBZ_0, A64_TESTED_UNKNOWN},
        {CBNZ_X3, true, CBZ_X3, A64_TESTED_NOT_ZERO}, {CBNZ_X3, false, CBZ_X3, A64_TESTED_ZERO},
        {CBZ_W3, true, TBZ_31, A64_TESTED_ZERO},      {CBZ_W3, true, TBZ_32, A64_TESTED_UNKNOWN},
        {CBZ_W3, true, CBZ_X3, A64_TESTED_UNKNOWN},   {CBNZ_W3, true, CBZ_X3, A64_TESTED_NOT_ZERO},
        {CBZ_W3, true, CBZ_W4, A64_TESTED_UNKNOWN},   {TBZ_0, true, TBNZ_0, A64_TESTED_ZERO},
        {TBZ_0, true, CBZ_W3, A64_TESTED_UNKNOWN},    {TBZ_0, true, TBZ_1, A64_TESTED_UNKNOWN},
        {TBZ_15, true, TBZ_31, A64_TESTED_UNKNOWN},   {TBNZ_0, true, CBZ_W3, A64_TESTED_NOT_ZERO},
        {TBNZ_0, true, TBZ_31, A64_TESTED_UNKNOWN},   {TBZ_32, false, CBZ_X3, A64_TESTED_NOT_ZERO},
        {TBZ_32, false, CBZ_W3, A64_TESTED_UNKNOWN},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        struct a64_register_tests tests = {0};
        (void)a64_learn_test(&tests, pairs[i].first, pairs[i].taken);
        if (a64_tested_before(&tests, pairs[i].second) != pairs[i].says) {
            fail_msg("pair %zu", i);
        }
    }
}

static void what_several_say_adds_up(void **state)
{
    (void)state;
    struct a64_register_tests tests = {0};
    (void)a64_learn_test(&tests, CBZ_W4, true);
    (void)a64_learn_test(&tests, TBZ_0, true);
    (void)a64_learn_test(&tests, TBZ_1, true);
    (void)a64_learn_test(&tests, TBZ_15, false);
    (void)a64_learn_test(&tests, TBZ_31, false);
    assert_int_equal(a64_tested_before(&tests, CBZ_W4), A64_TESTED_ZERO);
    assert_int_equal(a64_tested_before(&tests, TBZ_0), A64_TESTED_ZERO);
    assert_int_equal(a64_tested_before(&tests, TBZ_15), A64_TESTED_NOT_ZERO);
    a64_forget_registers(&tests, UINT32_MAX);
    (void)a64_learn_test(&tests, TBZ_0, false);
    (void)a64_learn_test(&tests, TBZ_31, false);
    assert_int_equal(a64_tested_before(&tests, TBZ_0), A64_TESTED_NOT_ZERO);
}

static void what_was_known_is_known_until_the_register_is_written(void **state)
{
    (void)state;
    struct a64_register_tests tests = {0};
    (void)a64_learn_test(&tests, CBZ_W3, true);
    (void)a64_learn_test(&tests, TBZ_32, false);
    a64_forget_registers(&tests, UINT32_MAX ^ UINT32_C(1) << 3);
    assert_int_equal(a64_tested_before(&tests, TBZ_0), A64_TESTED_ZERO);
    assert_int_equal(a64_tested_before(&tests, CBZ_X3), A64_TESTED_NOT_ZERO);
    a64_forget_registers(&tests, UINT32_C(1) << 3);
    assert_int_equal(a64_tested_before(&tests, TBZ_0), A64_TESTED_UNKNOWN);
    (void)a64_learn_test(&tests, TBZ_31, true);
    assert_int_equal(a64_tested_before(&tests, TBZ_0), A64_TESTED_UNKNOWN);
    assert_int_equal(a64_tested_before(&tests, CBZ_X3), A64_TESTED_UNKNOWN);
}

static void after_a_contradiction_the_last_one_is_believed(void **state)
{
    (void)state;
    struct a64_register_tests tests = {0};
    assert_int_equal(a64_learn_test(&tests, CBZ_X3, true), A64_TESTED_UNKNOWN);
    assert_int_equal(a64_learn_test(&tests, TBZ_0, false), A64_TESTED_ZERO);
    assert_int_equal(a64_tested_before(&tests, TBZ_0), A64_TESTED_NOT_ZERO);
    assert_int_equal(a64_tested_before(&tests, TBZ_31), A64_TESTED_UNKNOWN);
}

/* Of each instruction that the highest 8 bits and the lowest 5 tell apart. */
static void they_are_the_branches_that_the_flow_finds(void **state)
{
    (void)state;
    for (uint32_t high = 0; high < 256; high++) {
        for (uint32_t low = 0; low < 32; low++) {
            const uint32_t word = high << 24 | low;
            assert_int_equal(a64_tests_register(word),
                             arm_flow_a64(word, 0).form == ARM_FORM_BY_REGISTER);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_they_test_is_a_bit_half_of_a_register_or_all_of_it),
        cmocka_unit_test(what_several_say_adds_up),
        cmocka_unit_test(what_was_known_is_known_until_the_register_is_written),
        cmocka_unit_test(after_a_contradiction_the_last_one_is_believed),
        cmocka_unit_test(they_are_the_branches_that_the_flow_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
