/* Which registers instructions write: of the link register, those whose destinations, by their name
 * in the Arm Architecture Reference Manual, are others, and those that have it as one; of the
 * others, all destinations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "isa/a64.h"
#include "isa/tests/samples.h"

static bool keeps_link(uint32_t word)
{
    return (a64_written(word) >> 30 & 1) == 0;
}

#define X(n) (UINT32_C(1) << (n))

/* Registers that must be among the written ones, and ones that must not. */
static void each_destination_is_written_and_no_source(void **state)
{
    static const struct {
        uint32_t word, written, kept;
        const char *text;
    } samples[] = {
        {0x8b020020, X(0), X(1) | X(2), "add x0,x1,x2"},
        {0xeb02003f, 0, X(0) | X(1) | X(2), "cmp x1,x2"},
        {0xb4000041, 0, X(1), "cbz x1,.+8"},
        {0x36180041, 0, X(1), "tbz x1,#3,.+8"},
        {0x94000002, X(30), X(0) | X(29), "bl .+8"},
        {0xf9400443, X(3), X(2), "ldr x3,[x2,#8]"},
        {0xf8408443, X(3) | X(2), X(4), "ldr x3,[x2],#8"},
        {0xa9400c42, X(2) | X(3), X(4), "ldp x2,x3,[x2]"},
        {0xa8c10c44, X(4) | X(3) | X(2), X(5), "ldp x4,x3,[x2],#16"},
        {0x483c7c5a, X(28) | X(29), X(0) | X(4), "casp x28,x29,x26,x27,[x2]"},
        {0xf83fd036, X(22) | X(23) | X(29), 0, "ld64b x22,[x1]"},
        {0x190204e3, X(3) | X(2) | X(7), X(10), "cpyfp [x3]!,[x2]!,x7!"},
        {0xc8a57ce6, X(5), X(0), "cas x5,x6,[x7]"},
        {0x19240c46, X(4) | X(5), X(0), "rcwcasp x4,x5,x6,x7,[x2]"},
        {0xf9000043, 0, X(0) | X(2) | X(3), "str x3,[x2]"},
        {0xa9bf0c44, X(2), X(4) | X(3), "stp x4,x3,[x2,#-16]!"},
        {0xd53bd045, X(5), X(4), "mrs x5,tpidr_el0"},
        {0xd51bd045, 0, X(5), "msr tpidr_el0,x5"},
        {0xd503211f, X(17) | X(16), 0, "pacia1716"},
        {0xd503201f, 0, X(0) | X(16) | X(30), "nop"},
        {0xd4000001, X(0) | X(18) | X(30), 0, "svc #0"},
        {0x04e04500, X(0) | X(5), 0, "SVE is not looked into"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(samples); i++) {
        const uint32_t written = a64_written(samples[i].word);
        if ((written & samples[i].written) != samples[i].written ||
            (written & samples[i].kept) != 0) {
            fail_msg("%08x %s: writes %08x", samples[i].word, samples[i].text, written);
        }
    }
}

static void others_keep_it(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0x8b0103c0, "add x0,x30,x1"},
        {0x510007dd, "sub w29,w30,#1"},
        {0xaa1e03e3, "orr x3,xzr,x30"},
        {0xaa1e03e1, "mov x1,x30"},
        {0xd2800042, "movz x2,#2"},
        {0x90000000, "adrp x0,.+0x10000"},
        {0xb37e0bc0, "bfi x0,x30,#2,#3"},
        {0x9a8203dd, "csel x29,x30,x2,eq"},
        {0x9b1e7bc0, "madd x0,x30,x30,x30"},
        {0xdac003c0, "rbit x0,x30"},
        {0xfa4103c4, "ccmp x30,x1,#4,eq"},
        {0x1e622bc0, "fadd d0,d30,d2"},
        {0x9e6703c0, "fmov d0,x30"},
        {0x9e7803dd, "fcvtzs x29,d30"},
        {0x4ea287c0, "add v0.4s,v30.4s,v2.4s"},
        {0x0e0c3fc1, "umov w1,v30.s[1]"},
        {0xf94003c0, "ldr x0,[x30]"},
        {0xf94007c0, "ldr x0,[x30,#8]"},
        {0xb90007c0, "str w0,[x30,#4]"},
        {0xf900001e, "str x30,[x0]"},
        {0xf82278de, "str x30,[x6,x2,lsl #3]"},
        {0xa9007bfd, "stp x29,x30,[sp]"},
        {0x5800005d, "ldr x29,.+8"},
        {0xa8c277fc, "ldp x28,x29,[sp],#32"},
        {0xa9be53f3, "stp x19,x20,[sp,#-32]!"},
        {0xf8408420, "ldr x0,[x1],#8"},
        {0xf8627820, "ldr x0,[x1,x2,lsl #3]"},
        {0xf8627821, "ldr x1,[x1,x2,lsl #3]"},
        {0xf94007c1, "ldr x1,[x30,#8]"},
        {0xc8007c41, "stxr w0,x1,[x2]"},
        {0xc87f0440, "ldxp x0,x1,[x2]"},
        {0xf8200041, "ldadd x0,x1,[x2]"},
        {0x483c7c5a, "casp x28,x29,x26,x27,[x2]"},
        {0x3dc00020, "ldr q0,[x1]"},
        {0x4c407020, "ld1 {v0.16b},[x1]"},
        {0xf9800020, "prfm pldl1keep,[x1]"},
        {0xd503201f, "nop"},
        {0xd50320df, "dgh"},
        {0xd503221f, "esb"},
        {0xd503245f, "bti c"},
        {0xd503229f, "csdb"},
        {0xd50322df, "clrbhb"},
        {0xd5033bbf, "dmb ish"},
        {0xd5033fdf, "isb"},
        {0xd50b7e3e, "dc civac,x30"},
        {0xd51bd05e, "msr tpidr_el0,x30"},
        {0xd53bd05d, "mrs x29,tpidr_el0"},
        {0xd503101e, "wfet x30"},
        {0x14000002, "b .+8"},
        {0x54000040, "b.eq .+8"},
        {0xb400005e, "cbz x30,.+8"},
        {0x3618005e, "tbz x30,#3,.+8"},
        {0xd61f03c0, "br x30"},
        {0xd65f03c0, "ret"},
        {0xd65f0bff, "retaa"},
        {0x5500001f, "retaasppc ."},
    };
    check_samples(keeps_link, true, samples, COUNT(samples));
}

static void instructions_with_it_as_a_destination_change_it(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0x8b01001e, "add x30,x0,x1"},
        {0x5100041e, "sub w30,w0,#1"},
        {0xaa0103fe, "mov x30,x1"},
        {0xf280003e, "movk x30,#1"},
        {0x1000003e, "adr x30,.+4"},
        {0xb37e081e, "bfi x30,x0,#2,#3"},
        {0x9a82003e, "csel x30,x1,x2,eq"},
        {0x9b01081e, "madd x30,x0,x1,x2"},
        {0xdac103fe, "pacia x30,sp"},
        {0xdac143fe, "xpaci x30"},
        {0x9e66001e, "fmov x30,d0"},
        {0x0e0c3c1e, "umov w30,v0.s[1]"},
        {0x9e78001e, "fcvtzs x30,d0"},
        {0xf84107fe, "ldr x30,[sp],#16"},
        {0xf94007fe, "ldr x30,[sp,#8]"},
        {0x1800005e, "ldr w30,.+8"},
        {0xa8c17bfd, "ldp x29,x30,[sp],#16"},
        {0xa94077fe, "ldp x30,x29,[sp]"},
        {0xf84087c0, "ldr x0,[x30],#8"},
        {0xf8408fc0, "ldr x0,[x30,#8]!"},
        {0xf81f8fc0, "str x0,[x30,#-8]!"},
        {0xc81e7c41, "stxr w30,x1,[x2]"},
        {0xc87f7840, "ldxp x0,x30,[x2]"},
        {0xf820005e, "ldadd x0,x30,[x2]"},
        {0xf820805e, "swp x0,x30,[x2]"},
        {0xc8be7c41, "cas x30,x1,[x2]"},
        {0x4cdf73c0, "ld1 {v0.16b},[x30],#16"},
        {0xd53bd05e, "mrs x30,tpidr_el0"},
        {0xd503233f, "paciasp"},
        {0xd50323bf, "autiasp"},
        {0xd503231f, "paciaz"},
        {0xd50320ff, "xpaclri"},
        {0xd503211f, "pacia1716"},
        {0xd503251f, "chkfeat x16"},
        {0x94000002, "bl .+8"},
        {0xd63f0020, "blr x1"},
        {0xd63f083f, "blraaz x1"},
        {0x190204fe, "cpyfp [x30]!,[x1]!,x2!"},
        {0x19c207c0, "setp [x0]!,x30!,x2"},
        {0xd4000001, "svc #0"},
        {0xd4200000, "brk #0"},
        {0xd4400000, "hlt #0"},
        {0x04e04500, "incb x0: SVE is not looked into"},
        {0xf380001f, "autiasppc ."},
        {0xdac1a3fe, "paciasppc"},
        {0xdac193de, "autiasppcr x30"},
        {0xd6ff03e0, "texit"},
        {0xd50321ff, "hint #15"},
        {0xd50322bf, "hint #21"},
        {0xd503243f, "hint #33"},
        {0xf83fd036, "ld64b x22,[x1]"},
        {0x00000000, "udf #0"},
        {0x04e0e3e0, "incb x0: SVE is not looked into"},
    };
    check_samples(keeps_link, false, samples, COUNT(samples));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_with_it_as_a_destination_change_it),
        cmocka_unit_test(others_keep_it),
        cmocka_unit_test(each_destination_is_written_and_no_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
