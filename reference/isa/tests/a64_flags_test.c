/* Which instructions keep the condition flags: those that set them, read by their name in the Arm
 * Architecture Reference Manual, and samples of all groups that do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "isa/a64.h"
#include "isa/a64_condition.h"
#include "isa/tests/samples.h"

static void instructions_that_do_not_name_the_flags_keep_them(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0x8b020020, "add x0,x1,x2"},
        {0x51000420, "sub w0,w1,#1"},
        {0x9a020020, "adc x0,x1,x2"},
        {0xaa020020, "orr x0,x1,x2"},
        {0xaa250083, "orn x3,x4,x5"},
        {0x92401c20, "and x0,x1,#0xff"},
        {0xd2401c20, "eor x0,x1,#0xff"},
        {0xb2401c20, "orr x0,x1,#0xff"},
        {0xf2800020, "movk x0,#1"},
        {0xd2800041, "movz x1,#2"},
        {0xaa0103e0, "mov x0,x1"},
        {0x90000000, "adrp x0,.+0x10000"},
        {0x30000000, "adr x0,.+1"},
        {0xb37e0820, "bfi x0,x1,#2,#3"},
        {0x93c20c20, "extr x0,x1,x2,#3"},
        {0x9a820020, "csel x0,x1,x2,eq"},
        {0x9a9f07e3, "cset x3,ne"},
        {0x9b020c20, "madd x0,x1,x2,x3"},
        {0x9ac20820, "udiv x0,x1,x2"},
        {0x1ac24020, "crc32b w0,w1,w2"},
        {0xdac00020, "rbit x0,x1"},
        {0x1e622820, "fadd d0,d1,d2"},
        {0x1e621c20, "fcsel d0,d1,d2,ne"},
        {0x1e6e1000, "fmov d0,#1.0"},
        {0x1e604020, "fmov d0,d1"},
        {0x9e660020, "fmov x0,d1"},
        {0x9e780020, "fcvtzs x0,d1"},
        {0x9e620020, "scvtf d0,x1"},
        {0x9e58f420, "fcvtzs x0,d1,#3"},
        {0x1f420c20, "fmadd d0,d1,d2,d3"},
        {0x4ea28420, "add v0.4s,v1.4s,v2.4s"},
        {0x6ea28c20, "cmeq v0.4s,v1.4s,v2.4s"},
        {0x5e62e420, "fcmeq d0,d1,d2"},
        {0x4e284820, "aese v0.16b,v1.16b"},
        {0xf9400020, "ldr x0,[x1]"},
        {0xf8008c20, "str x0,[x1,#8]!"},
        {0xa8c107e0, "ldp x0,x1,[sp],#16"},
        {0x58000040, "ldr x0,.+8"},
        {0x3dc00020, "ldr q0,[x1]"},
        {0xf8200041, "ldadd x0,x1,[x2]"},
        {0xf8208041, "swp x0,x1,[x2]"},
        {0xc8dffc20, "ldar x0,[x1]"},
        {0xf8bfc020, "ldapr x0,[x1]"},
        {0xc85f7c20, "ldxr x0,[x1]"},
        {0x4c407820, "ld1 {v0.4s},[x1]"},
        {0xf9800000, "prfm pldl1keep,[x0]"},
        {0x14000002, "b .+8"},
        {0x94000002, "bl .+8"},
        {0x54000040, "b.eq .+8"},
        {0x5400004e, "b.al .+8"},
        {0xb4000040, "cbz x0,.+8"},
        {0x37080040, "tbnz x0,#1,.+8"},
        {0xd61f0000, "br x0"},
        {0xd63f0000, "blr x0"},
        {0xd65f03c0, "ret"},
        {0xd503201f, "nop"},
        {0xd5033fdf, "isb"},
        {0xd5033f9f, "dsb sy"},
        {0xd5033bbf, "dmb ish"},
        {0xd503207f, "wfi"},
        {0xd503233f, "paciasp"},
        {0xd503245f, "bti c"},
        {0xdac11020, "autia x0,x1"},
        {0xd53bd040, "mrs x0,tpidr_el0"},
        {0xd50341df, "msr daifset,#1"},
        {0xd508751f, "ic iallu"},
        {0xd5233060, "tstart x0"},
        {0xd503307f, "tcommit"},
        {0xc8a07c41, "cas x0,x1,[x2]"},
        {0xc8007c41, "stxr w0,x1,[x2]"},
        {0xd51bd040, "msr tpidr_el0,x0"},
        {0xd53b4200, "mrs x0,nzcv"},
        {0xd51b4220, "msr daif,x0"},
        {0xd53b2340, "mrs of op2 2 before rndr"},
        {0xd503305f, "clrex"},
        {0xd50b7a20, "dc cvac,x0"},
        {0xd50b7420, "dc zva,x0"},
        {0xd5087800, "at s1e1r,x0"},
        {0xd508871f, "tlbi vmalle1"},
        {0xd5088620, "tlbi rvae1,x0"},
        {0xd5233160, "ttest x0"},
        {0x48207c82, "casp x0,x1,x2,x3,[x4]"},
        {0xc8207c41, "stxp w0,x1,x31,[x2]"},
    };
    check_samples(a64_keeps_flags, true, samples, COUNT(samples));
}

static void what_sets_the_flags_or_may_do_so_is_known(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0xab020020, "adds x0,x1,x2"},
        {0x71000420, "subs w0,w1,#1"},
        {0xf100141f, "cmp x0,#5"},
        {0x2b02003f, "cmn w1,w2"},
        {0xf240001f, "tst x0,#1"},
        {0xea01001f, "tst x0,x1"},
        {0xea020020, "ands x0,x1,x2"},
        {0xea220020, "bics x0,x1,x2"},
        {0xba020020, "adcs x0,x1,x2"},
        {0x7a020020, "sbcs w0,w1,w2"},
        {0xeb21001f, "cmp x0,w1,uxtb"},
        {0xfa410003, "ccmp x0,x1,#3,eq"},
        {0x3a411803, "ccmn w0,#1,#3,ne"},
        {0x1e612000, "fcmp d0,d1"},
        {0x1e202018, "fcmpe s0,#0.0"},
        {0x1e610403, "fccmp d0,d1,#3,eq"},
        {0x1e7e0020, "fjcvtzs w0,d1"},
        {0xba008402, "rmif x0,#1,#2"},
        {0x3a00080d, "setf8 w0"},
        {0x3a00480d, "setf16 w0"},
        {0xd500401f, "cfinv"},
        {0xd500405f, "axflag"},
        {0xd500403f, "xaflag"},
        {0xd51b4200, "msr nzcv,x0"},
        {0xd53b2400, "mrs x0,rndr"},
        {0xd53b2420, "mrs x0,rndrrs"},
        {0xd53b241f, "mrs xzr,rndr"},
        {0xd53b243f, "mrs xzr,rndrrs"},
        {0xd51b421f, "msr nzcv,xzr"},
        {0xd53bb000, "mrs of what is implementation defined, CRn 11"},
        {0xd53bb01f, "the same, to xzr"},
        {0xd51bf000, "msr of what is implementation defined, CRn 15"},
        {0xd50b7300, "sys that no operation has"},
        {0xd503447f, "smstop za"},
        {0xbac20020, "subps x0,x1,x2"},
        {0xd69f03e0, "eret"},
        {0xd69f0bff, "eretaa"},
        {0xd6bf03e0, "drps"},
        {0xd4000001, "svc #0"},
        {0xd4000002, "hvc #0"},
        {0xd4000003, "smc #0"},
        {0xd4200000, "brk #0"},
        {0xd4400000, "hlt #0"},
        {0x00000000, "udf #0"},
        {0x19010440, "cpyfp [x0]!,[x1]!,x2!"},
        {0x1d010440, "cpyp [x0]!,[x1]!,x2!"},
        {0x19c20420, "setp [x0]!,x1!,x2"},
        {0x1dc28420, "setge [x0]!,x1!,x2"},
        {0xf820b082, "st64bv x0,x2,[x4]"},
        {0x25a11c00, "whilelo p0.s,x0,x1"},
        {0x2550c020, "ptest p0,p1.b"},
        {0x04a20020, "add z0.s,z1.s,z2.s"},
        {0x0420e3e0, "cntb x0"},
        {0x85804000, "ldr z0,[x0]"},
        {0x38209020, "rcwclr x0, x0, [x1]"},
        {0xd6ff03e0, "texit"},
        {0x00000001, "udf #1"},
        {0x02000000, "unallocated"},
    };
    check_samples(a64_keeps_flags, false, samples, COUNT(samples));
}

/* ConditionHolds of the Arm Architecture Reference Manual. */
static bool holds(unsigned condition, unsigned flags)
{
    const bool n = (flags & 8) != 0;
    const bool z = (flags & 4) != 0;
    const bool c = (flags & 2) != 0;
    const bool v = (flags & 1) != 0;
    const bool of_pair[] = {z, c, n, v, c && !z, n == v, n == v && !z, true};
    const bool inverted = (condition & 1) != 0 && condition != 15;
    return of_pair[condition >> 1] != inverted;
}

static void a_conditional_branch_goes_as_its_condition_and_the_flags_say(void **state)
{
    (void)state;
    enum { B_COND = 0x54000000, BC_COND = 0x54000010, FAR = 0x00ffffe0 };
    static const uint32_t forms[] = {B_COND, BC_COND, B_COND | FAR, BC_COND | FAR};
    for (unsigned i = 0; i < 16 * COUNT(forms); i++) {
        const uint32_t word = forms[i / 16] | i % 16;
        for (unsigned flags = 0; flags < 16 && i % 16 < 14; flags++) {
            assert_int_equal(a64_flags_by(word, true) >> flags & 1, holds(i % 16, flags));
            assert_int_equal(a64_flags_by(word, false) >> flags & 1, !holds(i % 16, flags));
        }
    }
}

static void of_other_branches_the_flags_tell_nothing(void **state)
{
    (void)state;
    static const uint32_t words[] = {0x5400000e, 0x5400000f, 0xb4000020, 0x36000020,
                                     0x14000001, 0xd503201f, 0x55000000, 0x50000000};
    for (size_t i = 0; i < COUNT(words); i++) {
        assert_int_equal(a64_flags_by(words[i], true), A64_ALL_FLAGS);
        assert_int_equal(a64_flags_by(words[i], false), A64_ALL_FLAGS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_that_do_not_name_the_flags_keep_them),
        cmocka_unit_test(what_sets_the_flags_or_may_do_so_is_known),
        cmocka_unit_test(a_conditional_branch_goes_as_its_condition_and_the_flags_say),
        cmocka_unit_test(of_other_branches_the_flags_tell_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
