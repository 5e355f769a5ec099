/* Which instructions an Exception level certainly does not execute: registers and operations by
 * their names in the Arm Architecture Reference Manual. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "isa/a64.h"
#include "isa/tests/samples.h"

static bool is_privileged(uint32_t word)
{
    return a64_lowest_el(word) > 0;
}

static bool is_of_el2(uint32_t word)
{
    return a64_lowest_el(word) == 2;
}

static bool is_of_el3(uint32_t word)
{
    return a64_lowest_el(word) == 3;
}

static void what_higher_exception_levels_have_is_not_executed_at_el0(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0xd5384000, "mrs x0,spsr_el1"},
        {0xd5182000, "msr ttbr0_el1,x0"},
        {0xd518d080, "msr tpidr_el1,x0"},
        {0xd51c1001, "msr sctlr_el2,x1"},
        {0xd53e1100, "mrs x0,scr_el3"},
        {0xd5384240, "mrs x0,currentel"},
        {0xd538cc00, "mrs x0,icc_iar1_el1"},
        {0xd5300240, "mrs x0,mdscr_el1"},
        {0xd53108e0, "mrs x0,trcidr0"},
        {0xd5319000, "mrs x0,brbcr_el1"},
        {0xd508871f, "tlbi vmalle1"},
        {0xd50e871f, "tlbi alle3"},
        {0xd5087800, "at s1e1r,x0"},
        {0xd5087620, "dc ivac,x0"},
        {0xd508751f, "ic iallu"},
        {0xd509729f, "brb iall"},
        {0xd50041bf, "msr spsel,#1"},
        {0xd500419f, "msr pan,#1"},
        {0xd500417f, "msr uao,#1"},
        {0xd53fe220, "mrs x0,cntps_ctl_el1"},
        {0xd501401f, "msr allint,#0"},
        {0xd501431f, "msr pm,#1"},
        {0xd9e00020, "ldgm x0,[x1]"},
        {0xd9a003ff, "stgm xzr,[sp]"},
        {0xd9200020, "stzgm x0,[x1]"},
        {0xd5702000, "mrrs x0,x1,ttbr0_el1, with op0 2"},
        {0xd5782000, "mrrs x0,x1,ttbr0_el1"},
        {0xd5488720, "tlbip vae1,x0,x1"},
    };
    check_samples(is_privileged, true, samples, COUNT(samples));
}

static void what_el0_has_or_can_be_given_may_be_executed_there(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0xd5380000, "mrs x0,midr_el1"},
        {0xd5380400, "mrs x0,id_aa64pfr0_el1"},
        {0xd5390000, "mrs x0,ccsidr_el1"},
        {0xd53b0020, "mrs x0,ctr_el0"},
        {0xd53bd040, "mrs x0,tpidr_el0"},
        {0xd53be040, "mrs x0,cntvct_el0"},
        {0xd53b4200, "mrs x0,nzcv"},
        {0xd5330100, "mrs x0,mdccsr_el0"},
        {0xd51b4220, "msr daif,x0"},
        {0xd50342df, "msr daifset,#2"},
        {0xd503415f, "msr dit,#1"},
        {0xd503413f, "msr ssbs,#1"},
        {0xd503419f, "msr tco,#1"},
        {0xd500401f, "cfinv"},
        {0xd500403f, "xaflag"},
        {0xd500405f, "axflag"},
        {0xd50b7b20, "dc cvau,x0"},
        {0xd50b7420, "dc zva,x0"},
        {0xd50b7520, "ic ivau,x0"},
        {0xd50b7380, "cfp rctx,x0"},
        {0xd539f200, "mrs x0,s3_1_c15_c2_0"},
        {0xd538b040, "mrs x0,s3_0_c11_c0_2"},
        {0xd508b000, "sys #0,c11,c0,#0,x0"},
        {0xd509f000, "sys #1,c15,c0,#0,x0"},
        {0xd5033fdf, "isb"},
        {0xd5033f9f, "dsb sy"},
        {0xd503201f, "nop"},
        {0xd503207f, "wfi"},
        {0xd5033f5f, "clrex"},
        {0xd5233060, "tstart x0"},
        {0xd5233160, "ttest x0"},
        {0xd69f03e0, "eret"},
        {0xd4000001, "svc #0"},
        {0x8b020020, "add x0,x1,x2"},
        {0xd50040df, "op2 of no field"},
        {0xd501403f, "op2 of no field"},
        {0xd50040c0, "op2 of no field, and a register"},
        {0xd50140a0, "op1 of no field"},
        {0xd50041a0, "msr spsel, of a register"},
        {0xd50051bf, "CRn of no field"},
        {0xd52041bf, "a read of SPSel"},
        {0xd9600020, "ldg x0,[x1]"},
        {0xd9200820, "stg x0,[x1]"},
        {0xd9600820, "stzg x0,[x1]"},
        {0xd9a00820, "st2g x0,[x1]"},
        {0xd9e01020, "LDGM with an offset"},
        {0xd57b2000, "mrrs of a register of EL0"},
        {0xd5802000, "no access"},
    };
    check_samples(is_privileged, false, samples, COUNT(samples));
}

static void operations_of_el2_are_not_executed_at_el1(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0xd50c879f, "tlbi alle1"},      {0xd50c839f, "tlbi alle1is"},
        {0xd50c87df, "tlbi vmalls12e1"}, {0xd50c8420, "tlbi ipas2e1, x0"},
        {0xd50c871f, "tlbi alle2"},      {0xd50c8721, "tlbi vae2, x1"},
        {0xd50c7880, "at s12e1r, x0"},   {0xd50c78e0, "at s12e0w, x0"},
        {0xd50c7800, "at s1e2r, x0"},    {0xd54c8720, "tlbip vae2,x0,x1"},
    };
    check_samples(is_of_el2, true, samples, COUNT(samples));
}

static void registers_of_el2_can_be_accessed_at_el1(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0xd51c1000, "msr sctlr_el2,x0"}, {0xd51d1000, "msr sctlr_el12,x0"},
        {0xd5182000, "msr ttbr0_el1,x0"}, {0xd514070f, "msr dbgvcr32_el2,x15"},
        {0xd508871f, "tlbi vmalle1"},     {0xd50cb000, "sys #4,c11,c0,#0,x0"},
        {0xd50cf000, "sys #4,c15,c0,#0"}, {0xd50d7800, "sys #5,c7,c8,#0,x0"},
        {0xd50e871f, "tlbi alle3"},       {0xd50041bf, "msr spsel,#1"},
        {0xd9e00020, "ldgm x0,[x1]"},
    };
    check_samples(is_of_el2, false, samples, COUNT(samples));
}

static void what_only_el3_has_is_not_executed_below(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0xd51e1100, "msr scr_el3,x0"},     {0xd53e1100, "mrs x0,scr_el3"},
        {0xd51ec000, "msr vbar_el3,x0"},    {0xd53e4020, "mrs x0,elr_el3"},
        {0xd51ecca0, "msr icc_sre_el3,x0"}, {0xd50e871f, "tlbi alle3"},
        {0xd50e8720, "tlbi vae3,x0"},       {0xd50e7801, "at s1e3r,x1"},
        {0xd50e7821, "at s1e3w,x1"},        {0xd50e7e20, "dc cipapa,x0"},
    };
    check_samples(is_of_el3, true, samples, COUNT(samples));
}

static void what_lower_exception_levels_have_can_be_executed_there(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0xd51c1000, "msr sctlr_el2,x0"},     {0xd51d1000, "msr sctlr_el12,x0"},
        {0xd5182000, "msr ttbr0_el1,x0"},     {0xd51fe220, "msr cntps_ctl_el1,x0"},
        {0xd50c871f, "tlbi alle2"},           {0xd50c7800, "at s1e2r,x0"},
        {0xd53ef200, "mrs x0,s3_6_c15_c2_0"}, {0xd51eb040, "msr s3_6_c11_c0_2,x0"},
        {0xd53e0000, "mrs x0,s3_6_c0_c0_0"},  {0xd9e00020, "ldgm x0,[x1]"},
        {0xd50041bf, "msr spsel,#1"},         {0xd506401f, "op1 6 of MSR (immediate)"},
        {0x8b1e0020, "add x0,x1,x30"},
    };
    check_samples(is_of_el3, false, samples, COUNT(samples));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_higher_exception_levels_have_is_not_executed_at_el0),
        cmocka_unit_test(what_el0_has_or_can_be_given_may_be_executed_there),
        cmocka_unit_test(operations_of_el2_are_not_executed_at_el1),
        cmocka_unit_test(registers_of_el2_can_be_accessed_at_el1),
        cmocka_unit_test(what_only_el3_has_is_not_executed_below),
        cmocka_unit_test(what_lower_exception_levels_have_can_be_executed_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
