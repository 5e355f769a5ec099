/* Traps and levels that a program tells, put where they belong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "levels.h"

enum {
    NOP = 0x13,
    ECALL = 0x73,
    SRET = 0x10200073,
    LOAD = 0x3503,
    HANDLER = 0x8000,
    USER = 0x10000
};

static struct levels levels;

static void begin(uint8_t level)
{
    levels = (struct levels){.isa = ASSAY_EXECUTION_RISCV64, .level = level, .level_changed = true};
}

static struct levels_item *add(enum levels_item_kind kind, uint64_t address, uint32_t word)
{
    const struct levels_item item = {.kind = kind, .address = address, .word = word, .size = 4};
    return levels_add(&levels, &item);
}

/* A handler's first three instructions, the last of which completes what it tells. */
static void tell(unsigned level, uint64_t cause, uint64_t address, uint64_t value)
{
    add(LEVELS_INSTRUCTION, HANDLER, NOP);
    add(LEVELS_INSTRUCTION, HANDLER + 4, NOP);
    add(LEVELS_INSTRUCTION, HANDLER + 8, NOP);
    levels_told(&levels, level, LEVELS_CAUSE, cause);
    levels_told(&levels, level, LEVELS_ADDRESS, address);
    levels_told(&levels, level, LEVELS_VALUE, value);
    levels_told(&levels, level, LEVELS_STATUS, 0);
}

static void a_trap_is_at_the_first_instruction_of_its_handler(void **state)
{
    (void)state;
    begin(0);
    add(LEVELS_INSTRUCTION, USER, ECALL);
    tell(1, 8, USER, 0);
    assert_int_equal(levels.item[0].level, 0);
    assert_true(levels.item[0].has_level);
    assert_true(levels.item[1].has_trap);
    assert_int_equal(levels.item[1].trap.cause, 8);
    assert_int_equal(levels.item[1].trap.level, 1);
    assert_false(levels.item[1].has_diverted); /* the call led there */
    assert_false(levels.item[2].has_trap);
    assert_int_equal(levels.level, 1);
}

static void what_a_fault_returns_to_was_aborted(void **state)
{
    (void)state;
    begin(0);
    add(LEVELS_INSTRUCTION, USER, NOP);
    add(LEVELS_INSTRUCTION, USER + 4, LOAD);
    tell(1, 13, USER + 4, 0x1234);
    assert_int_equal(levels.item[1].kind, LEVELS_ABORTED);
    assert_true(levels.item[1].has_fault);
    assert_int_equal(levels.item[1].fault, 0x1234);
    assert_true(levels.item[2].has_trap);
    assert_false(levels.item[2].has_diverted); /* the aborted instruction says it */
}

static void an_interrupt_diverts_what_completed(void **state)
{
    (void)state;
    begin(0);
    add(LEVELS_INSTRUCTION, USER, NOP);
    tell(1, UINT64_C(1) << 63 | 5, USER + 4, 0);
    assert_int_equal(levels.item[0].kind, LEVELS_INSTRUCTION);
    assert_true(levels.item[1].has_diverted);
    assert_true(levels.item[1].has_trap);
}

static void a_return_goes_by_the_status_that_was_told_for_it_once(void **state)
{
    (void)state;
    begin(1);
    levels_told(&levels, 1, LEVELS_RETURNS, 0x100);
    add(LEVELS_INSTRUCTION, HANDLER, SRET);
    assert_int_equal(levels.level, 1);
    assert_true(add(LEVELS_INSTRUCTION, 0x9000, NOP)->has_level);
    add(LEVELS_INSTRUCTION, 0x9004, SRET);
    assert_int_equal(levels.level, LEVELS_UNKNOWN);
}

static void a_handler_that_was_interrupted_before_it_told_is_not_found(void **state)
{
    (void)state;
    begin(0);
    add(LEVELS_INSTRUCTION, USER, ECALL);
    add(LEVELS_INSTRUCTION, HANDLER, NOP);
    struct levels_item *nested = add(LEVELS_INSTRUCTION, 0xa000, NOP);
    nested->has_trap = true;
    nested->trap.address = HANDLER + 4;
    add(LEVELS_INSTRUCTION, 0xa004, SRET);
    add(LEVELS_INSTRUCTION, HANDLER + 4, NOP);
    levels_told(&levels, 1, LEVELS_STATUS, 0);
    assert_false(levels.item[4].has_trap);
    assert_int_equal(levels.level, LEVELS_UNKNOWN);
}

static void a_handler_that_faults_has_a_trap_inside_of_its_own(void **state)
{
    (void)state;
    begin(0);
    add(LEVELS_INSTRUCTION, USER, ECALL);
    tell(1, 8, USER, 0);
    add(LEVELS_INSTRUCTION, HANDLER + 12, LOAD);
    tell(1, 13, HANDLER + 12, 0x1234);
    assert_true(levels.item[1].has_trap);
    assert_int_equal(levels.item[1].trap.cause, 8);
    assert_int_equal(levels.item[4].kind, LEVELS_ABORTED);
    assert_int_equal(levels.item[4].fault, 0x1234);
    assert_true(levels.item[5].has_trap);
    assert_int_equal(levels.item[5].trap.cause, 13);
    assert_int_equal(levels.level, 1);
}

static void an_interrupt_can_follow_the_return_that_lets_it_in(void **state)
{
    (void)state;
    static const uint32_t eret = UINT32_C(0xd69f03e0);
    enum { VECTORS = 0x8800, FIQ = VECTORS + 0x500, TO_EL2 = 0x3c9 };
    levels = (struct levels){.isa = ASSAY_EXECUTION_AARCH64, .level = 3, .level_changed = true};
    levels_told(&levels, 3, LEVELS_RETURNS, TO_EL2);
    add(LEVELS_INSTRUCTION, 0x9000, eret);
    add(LEVELS_INSTRUCTION, FIQ, NOP);
    levels_told(&levels, 3, LEVELS_ADDRESS, 0xa000);
    levels_told(&levels, 3, LEVELS_STATUS, TO_EL2);
    assert_int_equal(levels.item[0].level, 3);
    assert_int_equal(levels.item[0].kind, LEVELS_INSTRUCTION);
    assert_true(levels.item[1].has_level);
    assert_int_equal(levels.item[1].level, 2);
    assert_true(levels.item[1].has_diverted);
    assert_true(levels.item[1].has_trap);
    assert_int_equal(levels.item[1].trap.level, 3);
    assert_int_equal(levels.level, 3);
}

/* The newest item completes what a handler tells. */
static void complete(unsigned level, uint64_t cause, uint64_t address)
{
    levels_told(&levels, level, LEVELS_CAUSE, cause);
    levels_told(&levels, level, LEVELS_ADDRESS, address);
    levels_told(&levels, level, LEVELS_STATUS, 0);
}

static unsigned traps(void)
{
    unsigned count = 0;
    for (unsigned i = 0; i < levels.count; i++) {
        count += levels.item[i].has_trap;
    }
    return count;
}

static void begin_a64(void)
{
    levels = (struct levels){.isa = ASSAY_EXECUTION_AARCH64, .level = 0, .level_changed = true};
}

enum { VECTOR = 0x8400, TOLD = 0x9000 }; /* of AArch64 */
static const uint32_t a64_nop = UINT32_C(0xd503201f), svc = UINT32_C(0xd4000001),
                      branch = UINT32_C(0x14000300), /* from VECTOR to TOLD */
    br = UINT32_C(0xd61f0000), bl = UINT32_C(0x94000010), ret = UINT32_C(0xd65f03c0);

static void a_vector_that_branches_to_its_handler_is_where_the_trap_is(void **state)
{
    (void)state;
    begin_a64();
    add(LEVELS_INSTRUCTION, USER, svc);
    add(LEVELS_INSTRUCTION, VECTOR, branch);
    add(LEVELS_INSTRUCTION, TOLD, a64_nop);
    complete(1, UINT64_C(0x15) << 26, USER + 4);
    assert_true(levels.item[1].has_trap);
    assert_false(levels.item[1].has_diverted);
    assert_int_equal(traps(), 1);
    begin(0);
    add(LEVELS_INSTRUCTION, USER, NOP);
    add(LEVELS_INSTRUCTION, HANDLER, 0x1000006f); /* j HANDLER + 0x100 */
    add(LEVELS_INSTRUCTION, HANDLER + 0x100, NOP);
    complete(1, UINT64_C(1) << 63 | 5, USER + 4);
    assert_true(levels.item[1].has_trap);
    assert_true(levels.item[1].has_diverted);
    assert_int_equal(traps(), 1);
}

static void an_indirect_branch_of_a_vector_belongs_to_its_handler(void **state)
{
    (void)state;
    begin_a64();
    add(LEVELS_ABORTED, USER, 0xf9400000); /* ldr x0, [x0] */
    add(LEVELS_INSTRUCTION, VECTOR, a64_nop);
    add(LEVELS_INSTRUCTION, VECTOR + 4, br);
    add(LEVELS_INSTRUCTION, TOLD, a64_nop);
    complete(1, UINT64_C(0x24) << 26, USER);
    assert_true(levels.item[1].has_trap);
    assert_true(levels.item[0].has_fault);
    assert_int_equal(traps(), 1);
    begin(0);
    add(LEVELS_INSTRUCTION, USER, ECALL);
    add(LEVELS_INSTRUCTION, HANDLER, 0x28067); /* jr t0 */
    add(LEVELS_INSTRUCTION, HANDLER + 0x100, NOP);
    complete(1, 8, USER);
    assert_true(levels.item[1].has_trap);
    assert_int_equal(traps(), 1);
}

static void an_interrupt_after_an_indirect_branch_is_at_the_vector(void **state)
{
    (void)state;
    begin_a64();
    add(LEVELS_INSTRUCTION, USER + 0x100, svc); /* another trap, before */
    add(LEVELS_INSTRUCTION, USER, a64_nop);
    add(LEVELS_INSTRUCTION, USER + 4, br); /* to 0xa000 */
    add(LEVELS_INSTRUCTION, VECTOR, branch);
    add(LEVELS_INSTRUCTION, TOLD, a64_nop);
    complete(1, 0, 0xa000);
    assert_true(levels.item[3].has_trap);
    assert_int_equal(traps(), 1);
}

static void a_handler_may_call_what_tells_its_trap(void **state)
{
    (void)state;
    begin_a64();
    add(LEVELS_INSTRUCTION, USER, svc);
    add(LEVELS_INSTRUCTION, VECTOR, bl);
    add(LEVELS_INSTRUCTION, VECTOR + 0x40, ret);
    add(LEVELS_INSTRUCTION, VECTOR + 4, a64_nop);
    complete(1, UINT64_C(0x15) << 26, USER + 4);
    assert_true(levels.item[1].has_trap);
    assert_int_equal(traps(), 1);
}

static void control_that_a_direct_branch_does_not_lead_to_was_taken(void **state)
{
    (void)state;
    begin_a64();
    add(LEVELS_INSTRUCTION, USER, a64_nop);
    add(LEVELS_INSTRUCTION, USER + 4, branch); /* to USER + 4 + 0xc00 */
    add(LEVELS_INSTRUCTION, VECTOR, a64_nop);
    complete(1, 0, USER + 4 + 0xc00);
    assert_true(levels.item[2].has_trap);
    assert_int_equal(traps(), 1);
}

static void what_satp_is_written_with_is_told_before(void **state)
{
    (void)state;
    begin(1);
    assert_false(levels.root_known);
    levels_told(&levels, 1, LEVELS_ROOT, 0x80004);
    assert_true(levels.root_known);
    assert_int_equal(levels.root, 0x80004);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trap_is_at_the_first_instruction_of_its_handler),
        cmocka_unit_test(what_a_fault_returns_to_was_aborted),
        cmocka_unit_test(an_interrupt_diverts_what_completed),
        cmocka_unit_test(a_return_goes_by_the_status_that_was_told_for_it_once),
        cmocka_unit_test(a_handler_that_faults_has_a_trap_inside_of_its_own),
        cmocka_unit_test(an_interrupt_can_follow_the_return_that_lets_it_in),
        cmocka_unit_test(what_satp_is_written_with_is_told_before),
        cmocka_unit_test(a_vector_that_branches_to_its_handler_is_where_the_trap_is),
        cmocka_unit_test(an_indirect_branch_of_a_vector_belongs_to_its_handler),
        cmocka_unit_test(an_interrupt_after_an_indirect_branch_is_at_the_vector),
        cmocka_unit_test(a_handler_may_call_what_tells_its_trap),
        cmocka_unit_test(control_that_a_direct_branch_does_not_lead_to_was_taken),
        cmocka_unit_test(a_handler_that_was_interrupted_before_it_told_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
