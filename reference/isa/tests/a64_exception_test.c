/* Which exceptions an instruction can cause. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "isa/a64.h"

/* Classes that say something of the instruction, as bits. */
#define EC(n)  (UINT64_C(1) << (n))
#define ABORTS (EC(0x24) | EC(0x25) | EC(0x34) | EC(0x35))
#define SP     EC(0x26)
#define VECTOR (EC(0x07) | EC(0x1d) | EC(0x2c))
#define STATE  (EC(0x07) | EC(0x19) | EC(0x1d))
#define UNDEF  EC(0x00)
#define SYSTEM (EC(0x18) | ABORTS)
static const uint64_t specific = UNDEF | EC(0x01) | VECTOR | EC(0x09) | EC(0x0a) | EC(0x14) |
                                 EC(0x15) | EC(0x16) | EC(0x17) | EC(0x18) | EC(0x19) | EC(0x1a) |
                                 EC(0x1c) | ABORTS | SP | EC(0x27) | EC(0x3c);

static const struct {
    uint32_t word;
    uint64_t classes; /* of the specific ones, those that it can cause */
} words[] = {
    {0x8b020020, UNDEF},                                   /* add x0, x1, x2 */
    {0x91000420, UNDEF},                                   /* add x0, x1, #1 */
    {0x1e222820, UNDEF | VECTOR},                          /* fadd s0, s1, s2 */
    {0x04e00000, UNDEF | VECTOR | EC(0x19)},               /* add z0.d, z0.d, z0.d */
    {0x80800000, UNDEF | VECTOR | EC(0x19)},               /* fmopa za0.s, p0/m, p0/m, z0.s, z0.s */
    {0xf9400020, UNDEF | ABORTS},                          /* ldr x0, [x1] */
    {0xf94003e0, UNDEF | ABORTS | SP},                     /* ldr x0, [sp] */
    {0x580003e0, UNDEF | ABORTS},                          /* ldr x0, .+0x7c */
    {0x3dc00020, UNDEF | VECTOR | ABORTS},                 /* ldr q0, [x1] */
    {0xa5e0a000, UNDEF | VECTOR | EC(0x19) | ABORTS},      /* ld1d {z0.d}, p0/z, [x0] */
    {0xa5e0a3e0, UNDEF | VECTOR | EC(0x19) | ABORTS | SP}, /* ld1d {z0.d}, p0/z, [sp] */
    {0xf9800020, UNDEF | ABORTS},                          /* prfm pldl1keep, [x1] */
    {0xf98003e0, UNDEF | ABORTS},                          /* prfm pldl1keep, [sp] */
    {0x19c24420, UNDEF | EC(0x27) | ABORTS},               /* setm [x1]!, x1!, x2 */
    {0x19c247e0, UNDEF | EC(0x27) | ABORTS},               /* setm [x0]!, xzr!, x2 */
    {0x1d410440, UNDEF | EC(0x27) | ABORTS},               /* cpym [x0]!, [x1]!, x2! */
    {0xdac10020, UNDEF | EC(0x09) | EC(0x1c)},             /* pacia x0, x1 */
    {0xf8200420, UNDEF | EC(0x09) | EC(0x1c) | ABORTS},    /* ldraa x0, [x1] */
    {0xf83fd020, UNDEF | EC(0x0a) | ABORTS},               /* ld64b x0, [x1] */
    {0xf83f9020, UNDEF | EC(0x0a) | ABORTS},               /* st64b x0, [x1] */
    {0xd503205f, EC(0x01) | ABORTS},                       /* wfe */
    {0xd503201f, ABORTS},                                  /* nop */
    {0xd503223f, EC(0x0a) | ABORTS},                       /* psb csync */
    {0xd503225f, EC(0x0a) | ABORTS},                       /* tsb csync */
    {0xd503233f, EC(0x09) | EC(0x1c) | ABORTS},            /* paciasp */
    {0xd5033bbf, UNDEF | ABORTS},                          /* dmb ish */
    {0xd5380000, UNDEF | STATE | SYSTEM},                  /* mrs x0, midr_el1 */
    {0xd5180000, UNDEF | STATE | SYSTEM},                  /* msr midr_el1, x0 */
    {0xd503437f, UNDEF | STATE | SYSTEM},                  /* smstart sm */
    {0xd503427f, UNDEF | STATE | SYSTEM},                  /* smstop sm */
    {0xd50342df, UNDEF | SYSTEM},                          /* msr daifset, #2 */
    {0xd50b743f, UNDEF | SYSTEM},                          /* dc zva, xzr */
    {0xd5780000, UNDEF | EC(0x14)},                        /* mrrs x0, x1, s3_0_c0_c0_0 */
    {0xd4000001, EC(0x15)},                                /* svc #0 */
    {0xd4000002, UNDEF | EC(0x16)},                        /* hvc #0 */
    {0xd4000003, UNDEF | EC(0x17)},                        /* smc #0 */
    {0xd4200000, EC(0x3c)},                                /* brk #0 */
    {0xd69f03e0, UNDEF | EC(0x1a)},                        /* eret */
    {0xd69f0bff, UNDEF | EC(0x1a) | EC(0x09) | EC(0x1c)},  /* eretaa */
    {0x14000001, 0},                                       /* b */
    {0x54000000, 0},                                       /* b.eq */
    {0xb4000020, 0},                                       /* cbz */
    {0xb5000020, 0},                                       /* cbnz */
    {0x36000020, 0},                                       /* tbz */
    {0x37000020, 0},                                       /* tbnz */
    {0xd61f0000, 0},                                       /* br x0 */
    {0x54000010, UNDEF},                                   /* bc.eq */
    {0x94000001, ABORTS},                                  /* bl: may use a Guarded Control Stack */
    {0xd63f0000, ABORTS},                                  /* blr x0 */
    {0xd65f03c0, ABORTS},                                  /* ret */
    {0xd61f081f, UNDEF | EC(0x09) | EC(0x1c)},             /* braaz x0 */
};

static void an_instruction_can_cause_the_exceptions_of_its_kind_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        for (unsigned ec = 0; ec < 64; ec++) {
            const bool can = (specific & EC(ec)) == 0 || (words[i].classes & EC(ec)) != 0;
            /* Branch Target exceptions have a test of their own. */
            if (ec != 0x0d && a64_can_cause(words[i].word, ec) != can) {
                fail_msg("0x%08x, class 0x%02x: %d expected", words[i].word, ec, can);
            }
        }
    }
}

static void an_instruction_that_is_any_branch_target_causes_no_branch_target_exception(void **state)
{
    (void)state;
    assert_false(a64_can_cause(0xd4200000, 0x0d)); /* brk #0 */
    assert_false(a64_can_cause(0xd4400000, 0x0d)); /* hlt #0 */
    assert_false(a64_can_cause(0xd50324df, 0x0d)); /* bti jc */
    assert_true(a64_can_cause(0xd503249f, 0x0d));  /* bti j */
    assert_true(a64_can_cause(0xd503245f, 0x0d));  /* bti c */
    assert_true(a64_can_cause(0xd503201f, 0x0d));  /* nop */
}

static void what_only_computes_or_branches_accesses_no_memory(void **state)
{
    (void)state;
    static const uint32_t none[] = {
        0x8b020020, /* add x0, x1, x2 */
        0x91000400, /* add x0, x0, #1 */
        0x1e622820, /* fadd d0, d1, d2 */
        0x4e22d420, /* fadd v0.4s, v1.4s, v2.4s */
        0xdac10020, /* pacia x0, x1 */
        0x14000001, /* b */
        0x54000020, /* b.eq */
        0xb4000020, /* cbz */
        0x36000020, /* tbz */
        0x74c30003, /* cbeq */
        0xd61f0000, /* br x0 */
        0xd69f03e0, /* eret */
        0xd6bf03e0, /* drps */
        0xd4000001, /* svc */
        0xd4200000, /* brk */
        0xd4a00001, /* dcps1 */
        0xd503201f, /* nop */
        0xd503205f, /* wfe */
        0xd5033bbf, /* dmb ish */
        0xf9800000, /* prfm */
        0xd8000000, /* prfm (literal) */
    };
    static const uint32_t some[] = {
        0xf9400000, /* ldr x0, [x0] */
        0x94000001, /* bl */
        0xd63f0000, /* blr x0 */
        0xd65f03c0, /* ret */
        0xd4400000, /* hlt */
        0xd5380000, /* mrs */
        0xd50b7420, /* dc zva */
        0xd50342df, /* msr daifset */
        0xa4002000, /* sve */
        0xd5960412, /* nothing known */
        0x00000000, /* udf */
    };
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_false(a64_can_access(none[i]));
    }
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        assert_true(a64_can_access(some[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_only_computes_or_branches_accesses_no_memory),
        cmocka_unit_test(an_instruction_can_cause_the_exceptions_of_its_kind_alone),
        cmocka_unit_test(
            an_instruction_that_is_any_branch_target_causes_no_branch_target_exception),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
