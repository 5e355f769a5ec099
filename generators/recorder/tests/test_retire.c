#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "normalize.h"
#include "retire.h"

#define A64  ASSAY_EXECUTION_AARCH64
#define RV64 ASSAY_EXECUTION_RISCV64
#define RV32 ASSAY_EXECUTION_RISCV32

static void instructions_are_told_apart_by_how_they_go_on(void **state)
{
    (void)state;
    static const struct {
        enum assay_execution_isa isa;
        uint32_t word;
        unsigned size;
        enum retire_class class;
    } cases[] = {
        {A64, 0xd503201f, 4, RETIRE_PLAIN},     /* nop */
        {A64, 0x8b020020, 4, RETIRE_PLAIN},     /* add x0, x1, x2 */
        {A64, 0x9e670000, 4, RETIRE_PLAIN},     /* fmov d0, x0 */
        {A64, 0xd51bd040, 4, RETIRE_PLAIN},     /* msr tpidr_el0, x0 */
        {A64, 0xd5033fdf, 4, RETIRE_PLAIN},     /* isb */
        {A64, 0xf9400020, 4, RETIRE_MEMORY},    /* ldr x0, [x1] */
        {A64, 0xa9400c22, 4, RETIRE_MEMORY},    /* ldp x2, x3, [x1] */
        {A64, 0x4c402020, 4, RETIRE_MEMORY},    /* ld1 {v0-v3} */
        {A64, 0x14000001, 4, RETIRE_TRANSFER},  /* b */
        {A64, 0xd65f03c0, 4, RETIRE_TRANSFER},  /* ret */
        {A64, 0xb4000040, 4, RETIRE_TRANSFER},  /* cbz */
        {A64, 0xd4000001, 4, RETIRE_TRANSFER},  /* svc #0 */
        {A64, 0xd4200000, 4, RETIRE_TRAP},      /* brk #0 */
        {A64, 0xd4400000, 4, RETIRE_TRAP},      /* hlt #0 */
        {A64, 0x00000000, 4, RETIRE_TRAP},      /* udf #0 */
        {RV64, 0x00000013, 4, RETIRE_PLAIN},    /* nop */
        {RV64, 0x0005b603, 4, RETIRE_MEMORY},   /* ld */
        {RV64, 0x00c5b023, 4, RETIRE_MEMORY},   /* sd */
        {RV64, 0x0005b507, 4, RETIRE_MEMORY},   /* fld */
        {RV64, 0x0205f007, 4, RETIRE_PLAIN},    /* vle64.v, which may be empty */
        {RV64, 0x18c5b6af, 4, RETIRE_PLAIN},    /* sc.d, which may fail */
        {RV64, 0x00008067, 4, RETIRE_TRANSFER}, /* ret */
        {RV64, 0x00000073, 4, RETIRE_TRANSFER}, /* ecall */
        {RV64, 0x00100073, 4, RETIRE_TRAP},     /* ebreak */
        {RV64, 0xc00025f3, 4, RETIRE_PLAIN},    /* rdcycle */
        {RV64, 0x0001, 2, RETIRE_PLAIN},        /* c.nop */
        {RV64, 0x1141, 2, RETIRE_PLAIN},        /* c.addi sp, -16 */
        {RV64, 0x2781, 2, RETIRE_PLAIN},        /* c.addiw */
        {RV32, 0x2781, 2, RETIRE_TRANSFER},     /* c.jal */
        {RV64, 0x0808, 2, RETIRE_PLAIN},        /* c.addi4spn */
        {RV64, 0x6090, 2, RETIRE_MEMORY},       /* c.ld */
        {RV64, 0xe406, 2, RETIRE_MEMORY},       /* c.sdsp */
        {RV64, 0x8082, 2, RETIRE_TRANSFER},     /* c.jr ra */
        {RV64, 0x9782, 2, RETIRE_TRANSFER},     /* c.jalr a5 */
        {RV64, 0x86aa, 2, RETIRE_PLAIN},        /* c.mv a3, a0 */
        {RV64, 0x9536, 2, RETIRE_PLAIN},        /* c.add a0, a3 */
        {RV64, 0xe501, 2, RETIRE_TRANSFER},     /* c.bnez */
        {RV64, 0xa001, 2, RETIRE_TRANSFER},     /* c.j */
        {RV64, 0x9002, 2, RETIRE_TRAP},         /* c.ebreak */
        {RV64, 0x0000, 2, RETIRE_TRAP},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_int_equal(retire_class_of(cases[i].isa, cases[i].word, cases[i].size),
                         cases[i].class);
    }
}

static void direct_transfers_have_the_target_that_an_assembler_gives_them(void **state)
{
    (void)state;
    static const struct {
        enum assay_execution_isa isa;
        uint32_t word;
        unsigned size;
        int64_t offset; /* 0: indirect, or no transfer */
    } cases[] = {
        {A64, 0x17ffffff, 4, -4},        /* b .-4 */
        {A64, 0x9400000c, 4, 48},        /* bl .+48 */
        {A64, 0x54ffff4d, 4, -24},       /* b.le .-24 */
        {A64, 0xb5ffff24, 4, -28},       /* cbnz x4, .-28 */
        {A64, 0x36080040, 4, 8},         /* tbz w0, #1, .+8 */
        {A64, 0xb7ffffe0, 4, -4},        /* tbnz x0, #63, .-4 */
        {A64, 0xd65f03c0, 4, 0},         /* ret */
        {A64, 0xd4000001, 4, 0},         /* svc */
        {RV64, 0xfef65ae3, 4, -12},      /* bge a2, a5, .-12 */
        {RV64, 0x026000ef, 4, 38},       /* jal ra, .+38 */
        {RV64, 0x800000ef, 4, -1048576}, /* jal ra, .-1 MiB */
        {RV64, 0x00008067, 4, 0},        /* ret */
        {RV64, 0xe501, 2, 8},            /* c.bnez a0, .+8 */
        {RV64, 0xf465, 2, -24},          /* c.bnez s0, .-24 */
        {RV64, 0xbfdd, 2, -10},          /* c.j .-10 */
        {RV64, 0xa001, 2, 0},            /* c.j . */
        {RV64, 0x8082, 2, 0},            /* c.jr ra */
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const uint64_t address = 0x40000000;
        uint64_t target = address;
        retire_target_of(cases[i].isa, address, cases[i].word, cases[i].size, &target);
        assert_int_equal(target, address + (uint64_t)cases[i].offset);
    }
}

static enum retire_fate fate(uint32_t word, bool ends_block, unsigned accesses, int64_t onward)
{
    const struct retire_facts facts = {.address = 0x1000,
                                       .word = word,
                                       .size = 4,
                                       .ends_block = ends_block,
                                       .accesses = accesses,
                                       .next = 0x1000 + (uint64_t)onward};
    return retire_fate_of(A64, &facts);
}

static void what_became_of_an_instruction_is_told_by_where_the_thread_goes_on(void **state)
{
    (void)state;
    const uint32_t nop = 0xd503201f;
    const uint32_t ldr = 0xf9400020;
    const uint32_t brk = 0xd4200000;
    const uint32_t ret = 0xd65f03c0;
    const uint32_t bl = 0x9400000c;
    assert_int_equal(fate(nop, false, 0, 4), RETIRE_DONE);
    assert_int_equal(fate(ldr, false, 0, 400), RETIRE_ABORTED);
    assert_int_equal(fate(ldr, false, 0, 0), RETIRE_RESTARTED);
    assert_int_equal(fate(ldr, true, 0, 0), RETIRE_RESTARTED);
    assert_int_equal(fate(ldr, true, 0, 400), RETIRE_ABORTED);
    assert_int_equal(fate(ldr, true, 1, 400), RETIRE_DONE_AND_DIVERTED);
    assert_int_equal(fate(nop, true, 0, 400), RETIRE_DONE_AND_DIVERTED);
    assert_int_equal(fate(brk, true, 0, 400), RETIRE_ABORTED);
    assert_int_equal(fate(ret, true, 0, 400), RETIRE_DONE);
    assert_int_equal(fate(bl, true, 0, 48), RETIRE_DONE);
    assert_int_equal(fate(bl, true, 0, 400), RETIRE_DONE_AND_DIVERTED);
}

static void atomics_read_and_write_whatever_the_emulator_shows(void **state)
{
    (void)state;
    static const struct {
        enum assay_execution_isa isa;
        uint32_t word;
        enum normalize_rule rule;
    } cases[] = {
        {A64, 0xf8240025, NORMALIZE_READS_AND_WRITES},  /* ldadd x4, x5, [x1] */
        {A64, 0xf8248025, NORMALIZE_READS_AND_WRITES},  /* swp x4, x5, [x1] */
        {A64, 0xc8a47c25, NORMALIZE_READS_AND_WRITES},  /* cas x4, x5, [x1] */
        {A64, 0x48247c26, NORMALIZE_READS_AND_WRITES},  /* casp x4, x5, x6, x7, [x1] */
        {A64, 0xc8067c22, NORMALIZE_ONLY_WRITES},       /* stxr w6, x2, [x1] */
        {A64, 0xc8231022, NORMALIZE_ONLY_WRITES},       /* stxp w3, x2, x4, [x1] */
        {A64, 0xc85f7c22, NORMALIZE_NOTHING},           /* ldxr x2, [x1] */
        {A64, 0xc87f1022, NORMALIZE_NOTHING},           /* ldxp x2, x4, [x1] */
        {A64, 0xc89ffc22, NORMALIZE_NOTHING},           /* stlr x2, [x1] */
        {A64, 0xf8bfc022, NORMALIZE_NOTHING},           /* ldapr x2, [x1] */
        {A64, 0xf9400020, NORMALIZE_NOTHING},           /* ldr x0, [x1] */
        {A64, 0xf8626820, NORMALIZE_NOTHING},           /* ldr x0, [x1, x2] */
        {RV64, 0x00c5b6af, NORMALIZE_READS_AND_WRITES}, /* amoadd.d */
        {RV64, 0x18c5b6af, NORMALIZE_ONLY_WRITES},      /* sc.d */
        {RV64, 0x1005b62f, NORMALIZE_NOTHING},          /* lr.d */
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_int_equal(normalize_rule_of(cases[i].isa, cases[i].word, 4), cases[i].rule);
    }
    struct assay_access access[ASSAY_EXECUTION_ACCESSES_MAX] = {
        {.address = 64, .size = 8, .write = true}};
    assert_int_equal(normalize_accesses(NORMALIZE_READS_AND_WRITES, access, 1), 2);
    assert_false(access[0].write);
    assert_true(access[1].write);
    assert_int_equal(access[1].address, 64);
    assert_int_equal(normalize_accesses(NORMALIZE_READS_AND_WRITES, access, 2), 2);
    assert_int_equal(normalize_accesses(NORMALIZE_ONLY_WRITES, access, 2), 1);
    assert_true(access[0].write);
    assert_int_equal(normalize_accesses(NORMALIZE_ONLY_WRITES, access, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_are_told_apart_by_how_they_go_on),
        cmocka_unit_test(direct_transfers_have_the_target_that_an_assembler_gives_them),
        cmocka_unit_test(what_became_of_an_instruction_is_told_by_where_the_thread_goes_on),
        cmocka_unit_test(atomics_read_and_write_whatever_the_emulator_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
