/* Instructions of several accesses: how many there are, and which addresses they can have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "etrace/data/multiple_accesses.h"

enum {
    PUSH_4 = 0xb872,
    PUSH_13 = 0xb8f2,
    POP_4_48 = 0xba76,
    POP_1 = 0xba42,
    POPRETZ_2 = 0xbc52,
    NOP = 1,
    SP = 2
};

static const uint64_t all_bits = UINT64_MAX;

static struct etrace_registers with_sp(uint64_t sp)
{
    struct etrace_registers registers;
    etrace_registers_forget(&registers);
    registers.value[SP] = sp;
    registers.known |= 1U << SP;
    return registers;
}

static void a_word_says_how_many_accesses_it_makes(void **state)
{
    uint32_t bytes = 0;
    (void)state;
    assert_int_equal(etrace_multiple(PUSH_4, RV_64_ZCM, &bytes), 4);
    assert_int_equal(bytes, 8);
    assert_int_equal(etrace_multiple(PUSH_13, RV_32_ZCM, &bytes), 13);
    assert_int_equal(bytes, 4);
    assert_int_equal(etrace_multiple(POPRETZ_2, RV_64_ZCM, &bytes), 2);
    assert_int_equal(etrace_multiple(PUSH_4, RV_64, &bytes), 0);
    assert_int_equal(etrace_multiple(NOP, RV_64_ZCM, &bytes), 0);
    assert_false(etrace_multiple_unknown(PUSH_4, RV_64_ZCM));
    assert_true(etrace_multiple_unknown(0x02056007, RV_64_ZCM)); /* vle32.v v0, (a0) */
    assert_true(etrace_multiple_unknown(0x02056027, RV_64_ZCM)); /* vse32.v v0, (a0) */
    assert_false(etrace_multiple_unknown(NOP, RV_64_ZCM));
}

static void registers_are_below_the_stack_pointer(void **state)
{
    struct etrace_registers registers = with_sp(0x8000);
    uint64_t due = 0;
    (void)state;
    struct etrace_multiple m = etrace_multiple_of(PUSH_4, RV_64_ZCM, &registers);
    assert_true(etrace_multiple_make(&m, 0x8000, 8, all_bits, &due));
    assert_int_equal(due, 0x7ff8);
    assert_true(etrace_multiple_make(&m, 0x7ff4, 8, all_bits, &due));
    assert_int_equal(due, 0x7ff8);
    assert_true(etrace_multiple_make(&m, 0x7fe0, 8, all_bits, &due));
    assert_int_equal(due, 0x7fe0);
    assert_true(etrace_multiple_make(&m, 0x7fe0, 8, all_bits, &due));
    assert_int_equal(due, 0x7ff8); /* the lowest one was made, so from above */
    assert_true(etrace_multiple_make(&m, 0x7ff0, 16, all_bits, &due));
    assert_int_equal(due, 0x7ff0);
    assert_true(etrace_multiple_make(&m, 0x7fe8, 8, all_bits, &due));
    assert_false(etrace_multiple_make(&m, 0x7fd8, 8, all_bits, &due));
}

static void what_is_popped_is_below_where_the_stack_pointer_goes(void **state)
{
    struct etrace_registers registers = with_sp(0x8000);
    uint64_t due = 0;
    (void)state;
    struct etrace_multiple m = etrace_multiple_of(POP_4_48, RV_64_ZCM, &registers);
    assert_true(etrace_multiple_make(&m, 0x8000, 8, all_bits, &due));
    assert_int_equal(due, 0x8028);
    m = etrace_multiple_of(POP_1, RV_64_ZCM, &registers);
    assert_true(etrace_multiple_make(&m, 0x8000, 8, all_bits, &due));
    assert_int_equal(due, 0x8008);
    m = etrace_multiple_of(POP_4_48, RV_32_ZCM, &registers);
    assert_true(etrace_multiple_make(&m, 0x8000, 4, all_bits, &due));
    assert_int_equal(due, 0x801c);
}

static void without_the_stack_pointer_they_are_beside_each_other(void **state)
{
    struct etrace_registers registers;
    uint64_t due = 0;
    (void)state;
    etrace_registers_forget(&registers);
    struct etrace_multiple m = etrace_multiple_of(PUSH_4, RV_64_ZCM, &registers);
    assert_false(etrace_multiple_make(&m, 0x10, 8, 0xffff, &due));
    assert_true(etrace_multiple_make(&m, 0x30, 8, 0xffff, &due)); /* too far */
    assert_int_equal(due, 8);
    assert_true(etrace_multiple_make(&m, 0x28, 8, 0xffff, &due));
    assert_int_equal(due, 0x28);
    assert_true(etrace_multiple_make(&m, 0x20, 8, 0xffff, &due));
    assert_int_equal(due, 0x20);
    assert_true(etrace_multiple_make(&m, 8, 8, 0xffff, &due)); /* the one between is left */
    assert_int_equal(due, 0x18);
    m.count = 0;
    assert_false(etrace_multiple_make(&m, 0, 8, 0xffff, &due));
    assert_true(etrace_multiple_make(&m, 0xfff8, 8, 0xffff, &due));
    assert_int_equal(due, 0xfff8);
    assert_true(etrace_multiple_make(&m, 4, 8, 0xffff, &due));
    assert_int_equal(due, 0xfff0);
}

static void accesses_are_beside_each_other_in_any_order(void **state)
{
    struct etrace_registers registers;
    uint64_t due = 0;
    (void)state;
    etrace_registers_forget(&registers);
    struct etrace_multiple m = etrace_multiple_of(PUSH_4, RV_64_ZCM, &registers);
    assert_false(etrace_multiple_make(&m, 0x1004, 8, all_bits, &due)); /* not aligned */
    assert_true(etrace_multiple_make(&m, 0x1010, 8, all_bits, &due));
    assert_int_equal(due, 0xffc);
    assert_true(etrace_multiple_make(&m, 0x100c, 16, all_bits, &due)); /* above, of two */
    assert_int_equal(due, 0x100c);
    assert_true(etrace_multiple_make(&m, 0x1004, 32, all_bits, &due));
    assert_int_equal(due, 0xffc);
    assert_true(etrace_multiple_make(&m, 0xff4, 8, all_bits, &due)); /* beyond what is left */
    assert_int_equal(due, 0xffc);
    assert_true(etrace_multiple_make(&m, 0x101c, 8, all_bits, &due));
    assert_int_equal(due, 0x101c);
    assert_false(etrace_multiple_make(&m, 0x1024, 8, all_bits, &due));
    assert_int_equal(m.count, 3);
    m.count = 0;
    m.made[0].address = m.made[0].bytes = 0;
    assert_false(etrace_multiple_make(&m, UINT64_MAX - 7, 16, all_bits, &due)); /* around 0 */
    assert_int_equal(m.count, 1);
}

static void one_in_the_middle_can_be_the_first(void **state)
{
    const struct etrace_registers registers = with_sp(0x20);
    uint64_t due = 0;
    (void)state;
    struct etrace_multiple m = etrace_multiple_of(PUSH_4, RV_64_ZCM, &registers);
    assert_true(etrace_multiple_make(&m, 8, 16, all_bits, &due));
    assert_int_equal(due, 8);
    assert_true(etrace_multiple_make(&m, 0x18, 16, all_bits, &due)); /* the end is above */
    assert_int_equal(due, 0x18);
    assert_true(etrace_multiple_make(&m, UINT64_MAX - 7, 8, all_bits, &due));
    assert_int_equal(due, 0x18);
    assert_true(etrace_multiple_make(&m, 0x18, 8, all_bits, &due));
    assert_true(etrace_multiple_make(&m, 0x18, 8, all_bits, &due));
    assert_int_equal(due, 0);
    assert_true(etrace_multiple_make(&m, 0, 8, all_bits, &due));
    assert_false(etrace_multiple_make(&m, 0, 8, all_bits, &due));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_says_how_many_accesses_it_makes),
        cmocka_unit_test(registers_are_below_the_stack_pointer),
        cmocka_unit_test(what_is_popped_is_below_where_the_stack_pointer_goes),
        cmocka_unit_test(accesses_are_beside_each_other_in_any_order),
        cmocka_unit_test(one_in_the_middle_can_be_the_first),
        cmocka_unit_test(without_the_stack_pointer_they_are_beside_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
