/* Which instructions of AArch32 state an Exception level certainly does not execute. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "isa/arm_privilege.h"
#include "isa/tests/samples.h"

static bool is_privileged(uint32_t word)
{
    return arm_lowest_el(word) > 0;
}

static bool is_of_el2(uint32_t word)
{
    return arm_lowest_el(word) == 2;
}

static bool is_of_el3(uint32_t word)
{
    return arm_lowest_el(word) == 3;
}

static void what_higher_exception_levels_have_is_not_executed_at_el0(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0xee010f10, "mcr p15,0,r0,c1,c0,0"},  {0xee110f10, "mrc p15,0,r0,c1,c0,0"},
        {0xee020f10, "mcr p15,0,r0,c2,c0,0"},  {0xee030f10, "mcr p15,0,r0,c3,c0,0"},
        {0xee150f10, "mrc p15,0,r0,c5,c0,0"},  {0xee160f10, "mrc p15,0,r0,c6,c0,0"},
        {0xee070f15, "mcr p15,0,r0,c7,c5,0"},  {0xee070f3a, "mcr p15,0,r0,c7,c10,1"},
        {0xee070f5e, "mcr p15,0,r0,c7,c14,2"}, {0xee080f17, "mcr p15,0,r0,c8,c7,0"},
        {0xee1a0f12, "mrc p15,0,r0,c10,c2,0"}, {0xee1a0f33, "mrc p15,0,r0,c10,c3,1"},
        {0xee0c0f10, "mcr p15,0,r0,c12,c0,0"}, {0xee1c0f1c, "mrc p15,0,r0,c12,c12,0"},
        {0xee0d0f30, "mcr p15,0,r0,c13,c0,1"}, {0xee0d0f70, "mcr p15,0,r0,c13,c0,3"},
        {0xee1d0f90, "mrc p15,0,r0,c13,c0,4"}, {0xee0e0f11, "mcr p15,0,r0,c14,c1,0"},
        {0xee400f10, "mcr p15,2,r0,c0,c0,0"},  {0xee810f11, "mcr p15,4,r0,c1,c1,0"},
        {0xee140f16, "mrc p15,0,r0,c4,c6,0"},  {0xee070fd5, "mcr p15,0,r0,c7,c5,6"},
        {0xee070fda, "mcr p15,0,r0,c7,c10,6"}, {0xee000e90, "mcr p14,0,r0,c0,c0,4"},
        {0xee100e17, "mrc p14,0,r0,c0,c7,0"},  {0xee100e16, "mrc p14,0,r0,c0,c6,0"},
        {0xee010e90, "mcr p14,0,r0,c1,c0,4"},  {0xee000e52, "mcr p14,0,r0,c0,c2,2"},
        {0xee170ede, "mrc p14,0,r0,c7,c14,6"}, {0xec410f02, "mcrr p15,0,r0,r1,c2"},
        {0xec510f12, "mrrc p15,1,r0,r1,c2"},   {0xec410f0c, "mcrr p15,0,r0,r1,c12"},
        {0xec510f07, "mrrc p15,0,r0,r1,c7"},   {0xeef80a10, "vmrs r0, fpexc"},
        {0xeee80a10, "vmsr fpexc, r0"},
    };
    check_samples(is_privileged, true, samples, COUNT(samples));
}

static void what_el0_has_or_can_be_given_may_be_executed_there(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0xee100f10, "mrc p15,0,r0,c0,c0,0"},
        {0xee300f30, "mrc p15,1,r0,c0,c0,1"},
        {0xee070f95, "mcr p15,0,r0,c7,c5,4"},
        {0xee070f9a, "mcr p15,0,r0,c7,c10,4"},
        {0xee070fba, "mcr p15,0,r0,c7,c10,5"},
        {0xee070f93, "mcr p15,0,r0,c7,c3,4"},
        {0xee740f15, "mrc p15,3,r0,c4,c5,0"},
        {0xee090f1c, "mcr p15,0,r0,c9,c12,0"},
        {0xee190f1d, "mrc p15,0,r0,c9,c13,0"},
        {0xee390f50, "mrc p15,1,r0,c9,c0,2"},
        {0xee1a0f14, "mrc p15,0,r0,c10,c4,0"},
        {0xee9a0f11, "mrc p15,4,r0,c10,c1,0"},
        {0xee1b0f10, "mrc p15,0,r0,c11,c0,0"},
        {0xee9b0f10, "mrc p15,4,r0,c11,c0,0"},
        {0xee1d0f50, "mrc p15,0,r0,c13,c0,2"},
        {0xee0d0f50, "mcr p15,0,r0,c13,c0,2"},
        {0xee1d0f70, "mrc p15,0,r0,c13,c0,3"},
        {0xee1d0f12, "mrc p15,0,r0,c13,c2,0"},
        {0xee1d0f73, "mrc p15,0,r0,c13,c3,3"},
        {0xee1e0f10, "mrc p15,0,r0,c14,c0,0"},
        {0xee1e0f32, "mrc p15,0,r0,c14,c2,1"},
        {0xee0e0f13, "mcr p15,0,r0,c14,c3,0"},
        {0xee1e0f18, "mrc p15,0,r0,c14,c8,0"},
        {0xee1f0f11, "mrc p15,0,r0,c15,c1,0"},
        {0xee100e11, "mrc p14,0,r0,c0,c1,0"},
        {0xee000e15, "mcr p14,0,r0,c0,c5,0"},
        {0xee100e10, "mrc p14,0,r0,c0,c0,0"},
        {0xee110e10, "mrc p14,0,r0,c1,c0,0"},
        {0xee300ef8, "mrc p14,1,r0,c0,c8,7"},
        {0xeed10e10, "mrc p14,6,r0,c1,c0,0"},
        {0xeef00e10, "mrc p14,7,r0,c0,c0,0"},
        {0xee310e91, "mrc p14,1,r0,c1,c1,4"},
        {0xec510f0e, "mrrc p15,0,r0,r1,c14"},
        {0xec510f1e, "mrrc p15,1,r0,r1,c14"},
        {0xec510f09, "mrrc p15,0,r0,r1,c9"},
        {0xec510f00, "mrrc p15,0,r0,r1,c0"},
        {0xec510f0f, "mrrc p15,0,r0,r1,c15"},
        {0xec510e01, "mrrc p14,0,r0,r1,c1"},
        {0xeef10a10, "vmrs r0, fpscr"},
        {0xeef70a10, "vmrs r0, mvfr0"},
        {0xeee10a10, "vmsr fpscr, r0"},
        {0x1e010f10, "mcrne p15,0,r0,c1,c0,0"},
        {0xecb05e01, "ldc p14,c5,[r0],#4"},
        {0x0c510f12, "mrrceq p15,1,r0,r1,c2"},
        {0xee000f00, "cdp p15,0,c0,c0,c0,0"},
        {0xee010a10, "vmov s2,r0"},
        {0xe3a00001, "mov r0,#1"},
        {0xfe010f10, "mcr2 p15,0,r0,c1,c0,0"},
    };
    check_samples(is_privileged, false, samples, COUNT(samples));
}

static void what_hyp_mode_has_is_not_executed_below_el2(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0xee810f11, "mcr p15,4,r0,c1,c1,0"},  {0xee900fb0, "mrc p15,4,r0,c0,c0,5"},
        {0xee8c0f10, "mcr p15,4,r0,c12,c0,0"}, {0xee880f17, "mcr p15,4,r0,c8,c7,0"},
        {0xee8e0f11, "mcr p15,4,r0,c14,c1,0"}, {0xec410f42, "mcrr p15,4,r0,r1,c2"},
        {0xec410f62, "mcrr p15,6,r0,r1,c2"},   {0xec510f4e, "mrrc p15,4,r0,r1,c14"},
        {0xec510f6e, "mrrc p15,6,r0,r1,c14"},
    };
    check_samples(is_of_el2, true, samples, COUNT(samples));
}

static void what_el1_has_or_can_be_given_may_be_executed_there(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0xee010f10, "mcr p15,0,r0,c1,c0,0"},  {0xec410f12, "mcrr p15,1,r0,r1,c2"},
        {0xee9a0f12, "mrc p15,4,r0,c10,c2,0"}, {0xee010f31, "mcr p15,0,r0,c1,c1,1"},
        {0xee010f51, "mcr p15,0,r0,c1,c1,2"},  {0xee210f11, "mcr p15,1,r0,c1,c1,0"},
        {0xee010f13, "mcr p15,0,r0,c1,c3,0"},  {0xec510f0e, "mrrc p15,0,r0,r1,c14"},
        {0xec510f2e, "mrrc p15,2,r0,r1,c14"},  {0xec510f8e, "mrrc p15,8,r0,r1,c14"},
    };
    check_samples(is_of_el2, false, samples, COUNT(samples));
}

static void what_only_el3_has_is_not_executed_below(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0xee010f11, "mcr p15,0,r0,c1,c1,0"},
        {0xee110f11, "mrc p15,0,r0,c1,c1,0"},
    };
    check_samples(is_of_el3, true, samples, COUNT(samples));
}

static void what_el1_has_is_not_of_el3(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0xee010f10, "mcr p15,0,r0,c1,c0,0"},  {0xec410f12, "mcrr p15,1,r0,r1,c2"},
        {0xee9a0f12, "mrc p15,4,r0,c10,c2,0"}, {0xee010f31, "mcr p15,0,r0,c1,c1,1"},
        {0xee010f51, "mcr p15,0,r0,c1,c1,2"},  {0xee210f11, "mcr p15,1,r0,c1,c1,0"},
        {0xee010f13, "mcr p15,0,r0,c1,c3,0"},  {0xec510f0e, "mrrc p15,0,r0,r1,c14"},
        {0xec510f2e, "mrrc p15,2,r0,r1,c14"},  {0xec510f8e, "mrrc p15,8,r0,r1,c14"},
        {0xee810f11, "mcr p15,4,r0,c1,c1,0"},  {0xee900fb0, "mrc p15,4,r0,c0,c0,5"},
        {0xee8c0f10, "mcr p15,4,r0,c12,c0,0"}, {0xee880f17, "mcr p15,4,r0,c8,c7,0"},
        {0xee8e0f11, "mcr p15,4,r0,c14,c1,0"}, {0xec410f42, "mcrr p15,4,r0,r1,c2"},
        {0xec410f62, "mcrr p15,6,r0,r1,c2"},   {0xec510f4e, "mrrc p15,4,r0,r1,c14"},
        {0xec510f6e, "mrrc p15,6,r0,r1,c14"},
    };
    check_samples(is_of_el3, false, samples, COUNT(samples));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_higher_exception_levels_have_is_not_executed_at_el0),
        cmocka_unit_test(what_el0_has_or_can_be_given_may_be_executed_there),
        cmocka_unit_test(what_hyp_mode_has_is_not_executed_below_el2),
        cmocka_unit_test(what_el1_has_or_can_be_given_may_be_executed_there),
        cmocka_unit_test(what_only_el3_has_is_not_executed_below),
        cmocka_unit_test(what_el1_has_is_not_of_el3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
