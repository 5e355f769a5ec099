/* Which accesses are Tag Unchecked because of their base. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "isa/a64.h"
#include "isa/tests/samples.h"

static bool is_unchecked(uint32_t word)
{
    return a64_is_tag_unchecked(word, a64_classify(word));
}

static void sp_with_an_immediate_is_tag_unchecked(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0xf94007e0, "ldr x0, [sp, #8]"},
        {0xf84083e0, "ldur x0, [sp, #8]"},
        {0xa94107e0, "ldp x0, x1, [sp, #16]"},
        {0x3d8003e0, "str q0, [sp]"},
        {0xf8400be0, "ldtr x0, [sp]"},
        {0xf82017e0, "ldraa x0, [sp, #8]"},
        {0xc85f7fe0, "ldxr x0, [sp]"},
        {0xc89fffe0, "stlr x0, [sp]"},
        {0xd94083e0, "ldapur x0, [sp, #8]"},
        {0xc8a07fe1, "cas x0, x1, [sp]"},
        {0xf82003e1, "ldadd x0, x1, [sp]"},
        {0x4c4073e0, "ld1 { v0.16b }, [sp]"},
        {0x4d40c3e0, "ld1r { v0.16b }, [sp]"},
        {0xf83f93e0, "st64b x0, [sp]"},
        {0xa5e0a3e0, "ld1d { z0.d }, p0/z, [sp]"},
        {0xa441a3e0, "ld1b { z0.s }, p0/z, [sp, #1, mul vl]"},
        {0xa5f0a3e0, "ldnf1d { z0.d }, p0/z, [sp]"},
        {0xa5a0e3e0, "ld2d { z0.d, z1.d }, p0/z, [sp]"},
        {0xa580e3e0, "ldnt1d { z0.d }, p0/z, [sp]"},
        {0xa58023e0, "ld1rqd { z0.d }, p0/z, [sp]"},
        {0xa5a023e0, "ld1rod { z0.d }, p0/z, [sp]"},
        {0x85c0e3e0, "ld1rd { z0.d }, p0/z, [sp]"},
        {0x8440c3e0, "ld1rb { z0.s }, p0/z, [sp]"},
        {0x858043e0, "ldr z0, [sp]"},
        {0x858003e0, "ldr p0, [sp]"},
        {0xe58047e0, "str z0, [sp, #1, mul vl]"},
        {0xe58003e0, "str p0, [sp]"},
        {0xe5e0e3e0, "st1d { z0.d }, p0, [sp]"},
        {0xe420e3e0, "st1b { z0.h }, p0, [sp]"},
        {0xe5d0e3e0, "st3d { z0.d, z1.d, z2.d }, p0, [sp]"},
        {0xe590e3e0, "stnt1d { z0.d }, p0, [sp]"},
        {0xe10003e0, "ldr za[w12, 0], [sp]"},
        {0xe12003e0, "str za[w12, 0], [sp]"},
        {0x858043e1, "ldr z1, [sp]"},
        {0x85c0e3e1, "ld1rd { z1.d }, p0/z, [sp]"},
        {0xe44003e1, "st2q { z1.q, z2.q }, p0, [sp]"},
        {0xa04063e1, "ldnt1d { z0.d, z1.d }, pn8/z, [sp]"},
        {0xe10003e1, "ldr za[w12, 1], [sp, #1, mul vl]"},
        {0xa51023e0, "ld1w { z0.q }, p0/z, [sp]"},
        {0xa490e3e0, "ld2q { z0.q, z1.q }, p0/z, [sp]"},
        {0xe44003e0, "st2q { z0.q, z1.q }, p0, [sp]"},
        {0xe4c003e0, "st4q { z0.q - z3.q }, p0, [sp]"},
        {0xa04063e0, "ld1d { z0.d, z1.d }, pn8/z, [sp]"},
        {0xa06083e0, "st1b { z0.b - z3.b }, pn8, [sp]"},
        {0xe11f83e0, "ldr zt0, [sp]"},
        {0xe13f83e0, "str zt0, [sp]"},
    };
    check_samples(is_unchecked, true, samples, COUNT(samples));
}

static void other_bases_and_offsets_may_be_tag_checked(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0x580003e0, "ldr x0, .+0x7c"},
        {0xf9400400, "ldr x0, [x0, #8]"},
        {0xf8616be0, "ldr x0, [sp, x1]"},
        {0x3ca16be0, "str q0, [sp, x1]"},
        {0xf84087e0, "ldr x0, [sp], #8"},
        {0xf8408fe0, "ldr x0, [sp, #8]!"},
        {0xa8c107e0, "ldp x0, x1, [sp], #16"},
        {0x4cdf73e0, "ld1 { v0.16b }, [sp], #16"},
        {0xf98003e0, "prfm pldl1keep, [sp]"},
        {0xd9200bff, "stg sp, [sp]"},
        {0x690007e0, "stgp x0, x1, [sp]"},
        {0x8b1f0020, "add x0, x1, xzr"},
        {0xa5e0a000, "ld1d { z0.d }, p0/z, [x0]"},
        {0xa5e143e0, "ld1d { z0.d }, p0/z, [sp, x1, lsl #3]"},
        {0xa5e163e0, "ldff1d { z0.d }, p0/z, [sp, x1, lsl #3]"},
        {0xa5ff63e0, "ldff1d { z0.d }, p0/z, [sp]"},
        {0xa5a1c3e0, "ld2d { z0.d, z1.d }, p0/z, [sp, x1, lsl #3]"},
        {0xa58103e0, "ld1rqd { z0.d }, p0/z, [sp, x1, lsl #3]"},
        {0xa5a103e0, "ld1rod { z0.d }, p0/z, [sp, x1, lsl #3]"},
        {0xc5c1c3e0, "ld1d { z0.d }, p0/z, [sp, z1.d]"},
        {0xc5a1c3e0, "ld1d { z0.d }, p0/z, [z31.d, #8]"},
        {0x8521c3e0, "ld1w { z0.s }, p0/z, [z31.s, #4]"},
        {0x850143e0, "ld1w { z0.s }, p0/z, [sp, z1.s, uxtw]"},
        {0x851fa3e0, "ldnt1w { z0.s }, p0/z, [z31.s]"},
        {0xa581c3e0, "ldnt1d { z0.d }, p0/z, [sp, x1, lsl #3]"},
        {0xe5e143e0, "st1d { z0.d }, p0, [sp, x1, lsl #3]"},
        {0xe5c1a3e0, "st1d { z0.d }, p0, [z31.d, #8]"},
        {0xe581a3e0, "st1d { z0.d }, p0, [sp, z1.d]"},
        {0xe54183e0, "st1w { z0.s }, p0, [sp, z1.s, uxtw]"},
        {0xe5c163e0, "st3d { z0.d, z1.d, z2.d }, p0, [sp, x1, lsl #3]"},
        {0xe58163e0, "stnt1d { z0.d }, p0, [sp, x1, lsl #3]"},
        {0xe59f23e0, "stnt1d { z0.d }, p0, [z31.d]"},
        {0x85c063e0, "prfd pldl1keep, p0, [sp]"},
        {0xe0df03e0, "ld1d {za0h.d[w12, 0]}, p0/z, [sp]"},
        {0xe1df03e0, "ld1q {za0h.q[w12, 0]}, p0/z, [sp]"},
        {0xe0ff03e0, "st1d {za0h.d[w12, 0]}, p0, [sp]"},
        {0xe1000000, "ldr za[w12, 0], [x0]"},
        {0xe5804000, "str z0, [x0]"},
        {0x4c407000, "ld1 { v0.16b }, [x0]"},
        {0xa50183e0, "ld1w { z0.q }, p0/z, [sp, x1, lsl #2]"},
        {0xa4a183e0, "ld2q { z0.q, z1.q }, p0/z, [sp, x1, lsl #4]"},
        {0xe46103e0, "st2q { z0.q, z1.q }, p0, [sp, x1, lsl #4]"},
        {0xa00163e0, "ld1d { z0.d, z1.d }, pn8/z, [sp, x1, lsl #3]"},
        {0xa0406000, "ld1d { z0.d, z1.d }, pn8/z, [x0]"},
        {0xe4400000, "st2q { z0.q, z1.q }, p0, [x0]"},
        {0xe11f8000, "ldr zt0, [x0]"},
        {0xd50b743f, "dc zva, xzr"},
    };
    check_samples(is_unchecked, false, samples, COUNT(samples));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sp_with_an_immediate_is_tag_unchecked),
        cmocka_unit_test(other_bases_and_offsets_may_be_tag_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
