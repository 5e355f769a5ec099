/* Which instruction can follow one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "execution/successor.h"

enum { PC = 0x1000 };

struct row {
    enum assay_execution_isa isa;
    uint32_t word;
    uint8_t size;
    bool after, target, elsewhere; /* it can go to the next instruction, 0x1010, 0x3000 */
};

static void execution_goes_where_a_word_leads(void **state)
{
    static const struct row rows[] = {
        {ASSAY_EXECUTION_RISCV64, 0x00000013, 4, true, false, false}, /* nop */
        {ASSAY_EXECUTION_RISCV64, 0x00000001, 2, true, false, false}, /* c.nop */
        {ASSAY_EXECUTION_RISCV64, 0x00050863, 4, true, true, false},  /* beqz a0, 0x1010 */
        {ASSAY_EXECUTION_RISCV64, 0x0100006f, 4, false, true, false}, /* j 0x1010 */
        {ASSAY_EXECUTION_RISCV32, 0x010000ef, 4, false, true, false}, /* jal 0x1010 */
        {ASSAY_EXECUTION_RISCV64, 0x00008067, 4, true, true, true},   /* ret */
        {ASSAY_EXECUTION_RISCV64, 0x00000073, 4, true, true, true},   /* ecall */
        {ASSAY_EXECUTION_RISCV64, 0x30200073, 4, true, true, true},   /* mret */
        {ASSAY_EXECUTION_RISCV32, 0xbe42, 2, true, true, true},       /* c.fsdsp, or cm.popret */
        {ASSAY_EXECUTION_RISCV64, 0xa002, 2, true, true, true},       /* c.fsdsp, or cm.jt */
        {ASSAY_EXECUTION_AARCH64, 0xd503201f, 4, true, false, false}, /* nop */
        {ASSAY_EXECUTION_AARCH64, 0x54000080, 4, true, true, false},  /* b.eq 0x1010 */
        {ASSAY_EXECUTION_AARCH64, 0x14000004, 4, false, true, false}, /* b 0x1010 */
        {ASSAY_EXECUTION_AARCH64, 0x94000004, 4, false, true, false}, /* bl 0x1010 */
        {ASSAY_EXECUTION_AARCH64, 0xd65f03c0, 4, true, true, true},   /* ret */
        {ASSAY_EXECUTION_AARCH64, 0xd4000001, 4, true, true, true},   /* svc #0 */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        const struct assay_executed before = {.address = PC, .word = row->word, .size = row->size};
        assert_int_equal(assay_execution_can_follow(row->isa, &before, PC + row->size), row->after);
        assert_int_equal(assay_execution_can_follow(row->isa, &before, 0x1010), row->target);
        assert_int_equal(assay_execution_can_follow(row->isa, &before, 0x3000), row->elsewhere);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(execution_goes_where_a_word_leads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
