/* The log of committed instructions that Spike writes: the traps that are in it, and those that are
 * concluded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "execution/commit_log.h"

/* --- logs --- */

struct reading {
    struct assay_source *source;
    struct assay_commit_log *log;
    struct assay_commit commit;
    struct assay_diag diag;
};

static void begin_text(struct reading *r, const char *text, size_t size, enum rv_isa isa,
                       uint32_t core)
{
    *r = (struct reading){0};
    assert_int_equal(assay_source_memory(text, size, &r->source), ASSAY_OK);
    assert_int_equal(assay_commit_log_open(r->source, isa, core, &r->log, &r->diag), ASSAY_OK);
}

static void begin(struct reading *r, const char *text)
{
    begin_text(r, text, strlen(text), RV_64, ASSAY_EXECUTION_THREAD_FROM_TRACE);
}

static const struct assay_commit *next(struct reading *r)
{
    if (assay_commit_log_next(r->log, &r->commit, &r->diag) != ASSAY_OK) {
        fail_msg("line %u: %s", r->diag.line, r->diag.message);
    }
    return &r->commit;
}

static void end(struct reading *r)
{
    assay_commit_log_close(r->log);
    assay_source_close(r->source);
}

static void instruction_is(struct reading *r, uint64_t address)
{
    assert_int_equal(next(r)->kind, ASSAY_COMMIT_INSTRUCTION);
    assert_int_equal(r->commit.address, address);
}

static void ends(struct reading *r)
{
    assert_int_equal(next(r)->kind, ASSAY_COMMIT_END);
    end(r);
}

#define AT(level, address, rest) "core   0: " level " 0x00000000" address " " rest "\n"
#define NOP                      "(0x00000013)"

static void accesses_have_sizes_and_contents(void **state)
{
    struct reading r;
    (void)state;
    begin(&r, AT("3", "80000000", "(0x00052283) x5  0xffffffff80000001 mem 0x0000000080001000")
                  AT("3", "80000004", "(0x00052003) mem 0x0000000080001000")
                      AT("3", "80000008", "(0x00b51023) mem 0x0000000080001002 0xbeef"));
    instruction_is(&r, 0x80000000);
    assert_int_equal(r.commit.accesses, 1);
    assert_int_equal(r.commit.access[0].size, 4);
    assert_true(r.commit.access[0].content_known);
    assert_int_equal(r.commit.access[0].content, 0x80000001);
    assert_int_equal(r.commit.x_known, 1);
    instruction_is(&r, 0x80000004);
    assert_false(r.commit.access[0].content_known); /* it went to x0 */
    assert_int_equal(r.commit.x_known, 1 | 1 << 5);
    assert_true(r.commit.x[5] == 0xffffffff80000001);
    instruction_is(&r, 0x80000008);
    assert_true(r.commit.access[0].write);
    assert_int_equal(r.commit.access[0].size, 2);
    assert_int_equal(r.commit.access[0].content, 0xbeef);
    ends(&r);
}

static void a_trap_of_the_log_has_its_value(void **state)
{
    struct reading r;
    (void)state;
    begin(&r, AT("0", "80000000",
                 NOP) "core   0: exception trap_load_page_fault, epc 0x0000000080000004\n"
                      "core   0:           tval 0x0000000000000055\n" AT(
                          "3", "80000100",
                          NOP) "core   0: exception interrupt #7, epc 0x0000000080000104\n");
    instruction_is(&r, 0x80000000);
    assert_int_equal(next(&r)->kind, ASSAY_COMMIT_TRAP);
    assert_true(r.commit.cause_known && r.commit.value_known && r.commit.from_known);
    assert_int_equal(r.commit.line, 2);
    assert_int_equal(r.commit.cause, 13);
    assert_int_equal(r.commit.value, 0x55);
    assert_int_equal(r.commit.from, 0x80000004);
    assert_true(r.commit.priv_known);
    assert_int_equal(r.commit.priv, 0);
    instruction_is(&r, 0x80000100);
    assert_int_equal(next(&r)->kind, ASSAY_COMMIT_TRAP);
    assert_true(r.commit.interrupt);
    assert_int_equal(r.commit.value, 0);
    ends(&r);
}

/* MRET goes to mepc, which the handler sets: a call of the system comes at once, and the handler
 * reads what it was. */
static void a_trap_that_is_not_in_the_log_is_concluded(void **state)
{
    struct reading r;
    (void)state;
    begin(&r, AT("3", "80000000", "(0x34129073) c833_mepc 0x0000000000010000")
                  AT("3", "80000004", "(0x30200073)") AT("3", "80000100", NOP)
                      AT("3", "80000104", "(0x34202573) x10 0x0000000000000008")
                          AT("3", "80000108", "(0x34102573) x10 0x0000000000010000")
                              AT("3", "8000010c", "(0x34302573) x10 0x0000000000000000"));
    instruction_is(&r, 0x80000000);
    instruction_is(&r, 0x80000004);
    assert_int_equal(next(&r)->kind, ASSAY_COMMIT_TRAP);
    assert_int_equal(r.commit.line, 3);
    assert_false(r.commit.has_traps);
    assert_true(r.commit.interrupt_known && r.commit.cause_known && r.commit.value_known);
    assert_false(r.commit.interrupt);
    assert_int_equal(r.commit.cause, 8);
    assert_int_equal(r.commit.from, 0x10000);
    instruction_is(&r, 0x80000100);
    instruction_is(&r, 0x80000104);
    instruction_is(&r, 0x80000108);
    instruction_is(&r, 0x8000010c);
    ends(&r);
}

static void what_nobody_reads_of_a_trap_is_not_known(void **state)
{
    struct reading r;
    (void)state;
    /* The handler writes mcause before it reads it. */
    begin(&r, AT("0", "80000000", NOP) AT("3", "80000100", "(0x34251573) x10 0x00000000")
                  AT("3", "80000104", "(0x34202573) x10 0x0000000000000007"));
    instruction_is(&r, 0x80000000);
    assert_int_equal(next(&r)->kind, ASSAY_COMMIT_TRAP);
    assert_true(r.commit.cause_known); /* CSRRW reads it, too */
    assert_int_equal(r.commit.cause, 0);
    end(&r);
    begin(&r, AT("0", "80000000", NOP) AT("3", "80000100", "(0x34251073) c834_mcause 0x00000007")
                  AT("3", "80000104", "(0x34202573) x10 0x0000000000000007"));
    instruction_is(&r, 0x80000000);
    assert_int_equal(next(&r)->kind, ASSAY_COMMIT_TRAP);
    assert_false(r.commit.interrupt_known || r.commit.cause_known || r.commit.value_known);
    assert_true(r.commit.from_known);
    assert_int_equal(r.commit.from, 0x80000004);
    end(&r);
    /* After a return it is another trap's. */
    begin(&r, AT("0", "80000000", NOP) AT("3", "80000100", "(0x30200073)")
                  AT("3", "80000104", "(0x34202573) x10 0x0000000000000007"));
    instruction_is(&r, 0x80000000);
    assert_int_equal(next(&r)->kind, ASSAY_COMMIT_TRAP);
    assert_false(r.commit.cause_known);
    end(&r);
    /* Nor is it before a branch known where the trap was taken. */
    begin(&r, AT("3", "80000000", "(0x00050463)") AT("3", "80000100", NOP));
    instruction_is(&r, 0x80000000);
    assert_int_equal(next(&r)->kind, ASSAY_COMMIT_TRAP);
    assert_false(r.commit.from_known);
    end(&r);
}

static void the_vector_of_an_interrupt_says_which_it_is(void **state)
{
    struct reading r;
    (void)state;
    begin(&r, AT("3", "80000000", "(0x30529073) c773_mtvec 0x0000000080000101")
                  AT("3", "8000011c", NOP) AT("3", "80000100", NOP));
    instruction_is(&r, 0x80000000);
    assert_int_equal(next(&r)->kind, ASSAY_COMMIT_TRAP);
    assert_true(r.commit.interrupt_known && r.commit.interrupt && r.commit.cause_known);
    assert_int_equal(r.commit.cause, 7);
    instruction_is(&r, 0x8000011c);
    assert_int_equal(next(&r)->kind, ASSAY_COMMIT_TRAP);
    assert_true(r.commit.interrupt_known);
    assert_false(r.commit.interrupt || r.commit.cause_known); /* an exception, of any cause */
    end(&r);
}

/* Old versions do not write CSRs: CSRRW writes what the register has, after others nothing is
 * known. */
static void what_old_versions_write_to_csrs_is_concluded(void **state)
{
    struct reading r;
    (void)state;
    begin(&r, AT("3", "80000000", "(0x00010297) x5  0x0000000080010000")
                  AT("3", "80000004", "(0x34129073)") /* csrw mepc, t0 */
          AT("3", "80000008", "(0x30200073)") AT("3", "80000100", NOP));
    for (unsigned n = 0; n < 3; n++) {
        assert_int_equal(next(&r)->kind, ASSAY_COMMIT_INSTRUCTION);
    }
    assert_int_equal(next(&r)->kind, ASSAY_COMMIT_TRAP);
    assert_int_equal(r.commit.from, 0x80010000);
    end(&r);
    begin(&r, AT("3", "80000000", "(0x00010297) x5  0x0000000080010000")
                  AT("3", "80000004", "(0x34129073)") AT("3", "80000008", "(0x3412a073)") /* csrs */
          AT("3", "8000000c", "(0x30200073)") AT("3", "80000100", NOP));
    for (unsigned n = 0; n < 5; n++) {
        assert_int_equal(next(&r)->kind, ASSAY_COMMIT_INSTRUCTION);
    }
    ends(&r);
    /* Reading it does not change it; nor does what is in another register. */
    begin(&r,
          AT("3", "80000000", "(0x00010297) x5  0x0000000080010000")
              AT("3", "80000004", "(0x34129073)") AT("3", "80000008", "(0x34102373) x6  0x00000001")
                  AT("3", "8000000c", "(0x30200073)") AT("3", "80000100", NOP));
    for (unsigned n = 0; n < 4; n++) {
        assert_int_equal(next(&r)->kind, ASSAY_COMMIT_INSTRUCTION);
    }
    assert_int_equal(next(&r)->kind, ASSAY_COMMIT_TRAP);
    end(&r);
}

/* The level from which a trap is taken directly after a return is that of xstatus. */
static void level_is(const char *status, const char *back, bool known, uint8_t priv)
{
    struct reading r;
    char text[512];
    snprintf(text, sizeof text,
             "core   0: >>>>  main\n"
             "core   0: 3 0x0000000080000000 (0x30029073) %s\n"
             "core   0: 3 0x0000000080000004 %s\n"
             "core   0: exception interrupt #7, epc 0x0000000000010000\n",
             status, back);
    begin(&r, text);
    (void)next(&r);
    (void)next(&r);
    assert_int_equal(next(&r)->kind, ASSAY_COMMIT_TRAP);
    assert_int_equal(r.commit.priv_known, known);
    assert_int_equal(r.commit.priv, priv);
    ends(&r);
}

static void a_return_leads_to_the_level_of_xstatus(void **state)
{
    (void)state;
    level_is("c768_mstatus 0x0000000000001800", "(0x30200073)", true, 3);
    level_is("c768_mstatus 0x0000000000000800", "(0x30200073)", true, 1);
    level_is("c768_mstatus 0x0000000000000000", "(0x30200073)", true, 0);
    level_is("c768_mstatus 0xffffffffffffe7ff", "(0x30200073)", true, 0);
    level_is("c768_mstatus 0x0000000000000100", "(0x10200073)", true, 1);
    level_is("c768_mstatus 0xfffffffffffffeff", "(0x10200073)", true, 0);
    level_is("c256_sstatus 0x0000000000000100", "(0x10200073)", true, 1);
    level_is("c256_sstatus 0x0000000000001800", "(0x30200073)", false, 0);
    level_is("", "(0x30200073)", false, 0);
    level_is("c833_mepc 0x0000000000001800", "(0x30200073)", false, 0);
}

/* SRET goes to sepc, but where guests are it can be that of a guest. */
static void of_a_guest_no_trap_is_concluded(void **state)
{
#define SEPC AT("1", "80000000", "(0x14129073) c321_sepc 0x0000000000010000")
#define SRET AT("1", "80000004", "(0x10200073)") AT("1", "80000100", NOP)
    struct reading r;
    (void)state;
    begin(&r, SEPC SRET);
    (void)next(&r);
    (void)next(&r);
    assert_int_equal(next(&r)->kind, ASSAY_COMMIT_TRAP);
    assert_int_equal(r.commit.from, 0x10000);
    end(&r);
    begin(&r, AT("1", "7ffffffc", "(0x60029073) c1536_hstatus 0x0000000200000080") SEPC SRET);
    for (unsigned n = 0; n < 4; n++) {
        assert_int_equal(next(&r)->kind, ASSAY_COMMIT_INSTRUCTION);
    }
    ends(&r);
}

/* Of a register that was loaded with what the log does not show, nothing is known. */
static void a_register_is_forgotten_when_it_is_written(void **state)
{
    struct reading r;
    (void)state;
    begin(&r, AT("3", "80000000", "(0x00010297) x5  0x0000000080010000") AT(
                  "3", "80000004", "(0x0002b283) mem 0x0000000080010000") AT("3", "80000008", NOP));
    (void)next(&r);
    (void)next(&r);
    assert_int_equal(r.commit.x_known, 1 | 1 << 5);
    (void)next(&r);
    assert_int_equal(r.commit.x_known, 1);
    ends(&r);
    /* x31, and a jump by it, which keeps all of its offset. */
    begin(&r, AT("3", "80000000", "(0x00000f97) x31 0x0000000080000000")
                  AT("3", "80000004", "(0x804f8067)") AT("3", "7ffff804", NOP)
                      AT("3", "7ffff808", NOP));
    for (unsigned n = 0; n < 4; n++) {
        assert_int_equal(next(&r)->kind, ASSAY_COMMIT_INSTRUCTION);
    }
    ends(&r);
}

/* Jumps go where their registers say, as far as these are known; branches either way. */
static void what_follows_is_no_trap(void **state)
{
    struct reading r;
    (void)state;
    begin(&r, AT("3", "80000000", "(0x00050463)") AT("3", "80000008", "(0x0080006f)")
                  AT("3", "80000010", "(0x00028067)") AT("3", "80000200", NOP)
                      AT("3", "80000204", "(0x00000297) x5  0x0000000080000204")
                          AT("3", "80000208", "(0x01028067)") AT("3", "80000214", NOP)
                              AT("3", "80000218", "(0x30200073)") AT("0", "00010000", NOP)
                                  AT("0", "00020000", NOP));
    for (unsigned n = 0; n < 10; n++) {
        assert_int_equal(next(&r)->kind, ASSAY_COMMIT_INSTRUCTION);
    }
    ends(&r);
    begin(&r, AT("3", "80000204", "(0x00000297) x5  0x0000000080000204")
                  AT("3", "80000208", "(0x01028067)") AT("3", "80000300", NOP));
    (void)next(&r);
    (void)next(&r);
    assert_int_equal(next(&r)->kind, ASSAY_COMMIT_TRAP);
    assert_int_equal(r.commit.from, 0x80000214);
    end(&r);
}

/* A log with -l has all traps: where it goes on elsewhere, something else happened. */
static void in_a_log_with_traps_none_is_concluded(void **state)
{
    struct reading r;
    (void)state;
    begin(&r, "core   0: >>>>  main\n" AT("0", "80000000", NOP) AT("3", "80000100", NOP));
    instruction_is(&r, 0x80000000);
    instruction_is(&r, 0x80000100);
    assert_true(r.commit.has_traps);
    ends(&r);
}

static void a_vector_access_that_faults_does_not_retire(void **state)
{
#define VLE AT("3", "80000004", "(0x02056087) e32 m1 l4 v1  0x1 mem 0x0000000080000ffc")
    struct reading r;
    (void)state;
    begin(&r, "core   0: >>>>  main\n" AT("3", "80000000", NOP) VLE
          "core   0: exception trap_load_page_fault, epc 0x0000000080000004\n"
          "core   0:           tval 0x0000000080001000\n" AT("3", "80000100", NOP) VLE);
    instruction_is(&r, 0x80000000);
    assert_int_equal(next(&r)->kind, ASSAY_COMMIT_TRAP);
    instruction_is(&r, 0x80000100);
    instruction_is(&r, 0x80000004);
    assert_int_equal(r.commit.accesses, 1);
    ends(&r);
}

/* --- cores, and what is no log --- */

static void refused_with(const char *text, size_t size, enum rv_isa isa, uint32_t core, uint32_t at,
                         const char *message)
{
    struct reading r;
    enum assay_error error = ASSAY_OK;
    begin_text(&r, text, size, isa, core);
    do {
        error = assay_commit_log_next(r.log, &r.commit, &r.diag);
    } while (error == ASSAY_OK && r.commit.kind != ASSAY_COMMIT_END);
    assert_int_equal(error, ASSAY_SYNTAX);
    assert_int_equal(r.diag.line, at);
    if (strstr(r.diag.message, message) == NULL) {
        fail_msg("%s", r.diag.message);
    }
    end(&r);
}

static void refused(const char *text, uint32_t at, const char *message)
{
    refused_with(text, strlen(text), RV_64, ASSAY_EXECUTION_THREAD_FROM_TRACE, at, message);
}

#define CORE_1 "core   1: 3 0x0000000080000000 (0x00000013)\n"

static void of_several_cores_one_is_chosen(void **state)
{
    static const char text[] =
        AT("3", "80000000", NOP) CORE_1 "core   1: >>>>  main\n" AT("3", "80000004", NOP);
    struct reading r;
    (void)state;
    refused(text, 2, "of core 0 and of core 1");
    refused_with(text, strlen(text), RV_64, 7, 4, "no instruction of core 7");
    begin_text(&r, text, strlen(text), RV_64, 0);
    instruction_is(&r, 0x80000000);
    instruction_is(&r, 0x80000004);
    assert_false(r.commit.has_traps); /* what the other one has does not count */
    ends(&r);
    begin_text(&r, text, strlen(text), RV_64, 1);
    instruction_is(&r, 0x80000000);
    assert_int_equal(r.commit.core, 1);
    ends(&r);
}

static void what_is_no_log_is_refused(void **state)
{
    static const char zero[] = AT("3", "80000000", NOP) "core\0\n";
    (void)state;
    refused("core   0: 0x0000000080000000 (0x00000013) nop\n", 1, "instructions and no commits");
    refused("core   0: exception trap_breakpoint, epc 0x0000000000000000\n", 1, "no instruction");
    refused(AT("3", "80000000", NOP) "Hello, world!\n", 2, "a line of a log");
    refused(AT("3", "80000000", NOP) "core   0: 3 0x00000000800", 2, "8 or 16 digits");
    refused(AT("3", "80000000", NOP) "core   0: tval 0x00000005\n", 2,
            "no trap is in the line before");
    refused("core   0: 3 0x80000000 (0x00000013)\n", 1, "xlen is 64");
    refused_with(zero, sizeof zero - 1, RV_64, 0, 2, "a zero byte");
}

static void a_line_of_megabytes_is_refused(void **state)
{
    enum { SIZE = 1 << 21 };
    (void)state;
    char *text = malloc(SIZE);
    assert_non_null(text);
    memset(text, '1', SIZE);
    memcpy(text, "core 0: 3 0x80000000 (0x00000013) v1 0x", 39);
    refused_with(text, SIZE, RV_32, 0, 1, "longer than any of a log");
    memset(text, '\n', SIZE);
    memcpy(text, "core 0: 3 0x80000000 (0x00000013)", 33);
    struct reading r;
    begin_text(&r, text, SIZE, RV_32, 0);
    instruction_is(&r, 0x80000000);
    ends(&r);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_have_sizes_and_contents),
        cmocka_unit_test(a_trap_of_the_log_has_its_value),
        cmocka_unit_test(a_trap_that_is_not_in_the_log_is_concluded),
        cmocka_unit_test(what_nobody_reads_of_a_trap_is_not_known),
        cmocka_unit_test(the_vector_of_an_interrupt_says_which_it_is),
        cmocka_unit_test(what_old_versions_write_to_csrs_is_concluded),
        cmocka_unit_test(a_return_leads_to_the_level_of_xstatus),
        cmocka_unit_test(of_a_guest_no_trap_is_concluded),
        cmocka_unit_test(a_register_is_forgotten_when_it_is_written),
        cmocka_unit_test(what_follows_is_no_trap),
        cmocka_unit_test(in_a_log_with_traps_none_is_concluded),
        cmocka_unit_test(a_vector_access_that_faults_does_not_retire),
        cmocka_unit_test(of_several_cores_one_is_chosen),
        cmocka_unit_test(what_is_no_log_is_refused),
        cmocka_unit_test(a_line_of_megabytes_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
