/* The lines of the log of committed instructions that Spike writes, in all their spellings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "execution/commit_line.h"

static struct assay_commit_line line;

static void takes(const char *text, enum assay_commit_line_kind kind)
{
    uint32_t column = 0;
    const char *expected = "";
    if (assay_commit_line_read(text, strlen(text), &line, &column, &expected) != ASSAY_OK) {
        fail_msg("%s: column %u: %s", text, column, expected);
    }
    assert_int_equal(line.kind, kind);
}

static void an_instruction_has_what_it_wrote(void **state)
{
    (void)state;
    takes("core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000",
          ASSAY_COMMIT_LINE_INSTRUCTION);
    assert_int_equal(line.priv, 3);
    assert_int_equal(line.address, 0x80000000);
    assert_int_equal(line.digits, 16);
    assert_int_equal(line.word, 0x297);
    assert_int_equal(line.size, 4);
    assert_int_equal(line.writes, 1);
    assert_int_equal(line.write[0].file, 'x');
    assert_int_equal(line.write[0].number, 5);
    assert_int_equal(line.write[0].value, 0x80000000);
    takes("core1023: 1 0x80000000 (0x4501) x10 0x00000000", ASSAY_COMMIT_LINE_INSTRUCTION);
    assert_int_equal(line.core, 1023);
    assert_int_equal(line.size, 2);
    assert_int_equal(line.digits, 8);
    takes("core   0: 0 0x0000000000010000 (0x00029373) x6  0x0000000000000000 c1_fflags "
          "0x0000000000000000 f10 0xffffffff00000001",
          ASSAY_COMMIT_LINE_INSTRUCTION);
    assert_int_equal(line.writes, 3);
    assert_int_equal(line.write[1].file, 'c');
    assert_int_equal(line.write[1].number, 1);
    assert_int_equal(line.write[2].file, 'f');
    takes("core   0: 3 0x0000000080000000 (0x02056087) e32 mf2 l4 v1  "
          "0x00000004000000030000000200000001 mem 0x80000100",
          ASSAY_COMMIT_LINE_INSTRUCTION);
    assert_true(line.write[0].value == 0x0000000200000001); /* its low bits */
    assert_int_equal(line.accesses, 1);
}

static void an_access_is_a_store_if_it_has_data(void **state)
{
    (void)state;
    takes("core   0: 3 0x0000000080000000 (0x0062a02f) x0 0x00000001 mem 0x80001000 mem 0x80001000 "
          "0x000000ff",
          ASSAY_COMMIT_LINE_INSTRUCTION);
    assert_int_equal(line.accesses, 2);
    assert_false(line.access[0].is_store);
    assert_true(line.access[1].is_store);
    assert_int_equal(line.access[1].bytes, 4);
    assert_int_equal(line.access[1].data, 0xff);
    /* Old versions wrote a byte below 16 in one digit. */
    takes("core   0: 3 0x0000000080000000 (0x00a50023) mem 0x80001000 0x7",
          ASSAY_COMMIT_LINE_INSTRUCTION);
    assert_int_equal(line.access[0].bytes, 1);
}

static void old_versions_spell_it_otherwise(void **state)
{
    (void)state;
    takes("3 0x0000000080000000 (0x00004501) x10 0x0000000000000000",
          ASSAY_COMMIT_LINE_INSTRUCTION);
    assert_int_equal(line.core, 0);
    assert_int_equal(line.size, 2);
    takes("3 0x0000000080000000 (0x00000297) x 5 0x0000000080000000",
          ASSAY_COMMIT_LINE_INSTRUCTION);
    assert_int_equal(line.write[0].number, 5);
    takes("core   0:           badaddr 0x0000000000000055", ASSAY_COMMIT_LINE_VALUE);
    assert_int_equal(line.value, 0x55);
}

static void what_l_adds_is_told_apart(void **state)
{
    (void)state;
    takes("core   0: 0x0000000080000000 (0x00000297) auipc   t0, 0x0", ASSAY_COMMIT_LINE_FETCHED);
    takes("core   0: >>>>  _start", ASSAY_COMMIT_LINE_FETCHED);
    takes("core   0: Executed 2 times", ASSAY_COMMIT_LINE_FETCHED);
    takes("core   0: exception trap_machine_ecall, epc 0x80000010", ASSAY_COMMIT_LINE_TRAP);
    assert_int_equal(line.cause, 11);
    assert_false(line.interrupt);
    assert_int_equal(line.address, 0x80000010);
    takes("core   0: exception interrupt #7, epc 0x80000010", ASSAY_COMMIT_LINE_TRAP);
    assert_int_equal(line.cause, 7);
    assert_true(line.interrupt);
    takes("core   0: exception trap #24, epc 0x80000010", ASSAY_COMMIT_LINE_TRAP);
    assert_int_equal(line.cause, 24);
    takes("core   0:           tval 0x0000000000000055", ASSAY_COMMIT_LINE_VALUE);
    takes("", ASSAY_COMMIT_LINE_EMPTY);
    takes("  # core   0: 3", ASSAY_COMMIT_LINE_EMPTY);
}

static void wrong(const char *text, uint32_t column, const char *what)
{
    uint32_t at = 0;
    const char *expected = "";
    assert_int_equal(assay_commit_line_read(text, strlen(text), &line, &at, &expected),
                     ASSAY_SYNTAX);
    assert_int_equal(at, column);
    if (strstr(expected, what) == NULL) {
        fail_msg("%s: %s", text, expected);
    }
}

static void a_wrong_line_has_a_place(void **state)
{
    (void)state;
    wrong("hello", 1, "a line of a log");
    wrong("core", 5, "the number of a core");
    wrong("core 0 3 0x80000000 (0x00000013)", 7, "a colon");
    wrong("core 4294967296: 3 0x80000000 (0x00000013)", 6, "the number of a core");
    wrong("core   0: 4 0x80000000 (0x00000013)", 11, "a line of a log");
    wrong("core   0: 3", 11, "a line of a log");
    wrong("core   0: 3 0x", 15, "an address");
    wrong("core   0: 3 0x8000000 (0x00000013)", 13, "8 or 16 digits");
    wrong("core   0: 3 0x00000000080000000 (0x00000013)", 13, "an address");
    wrong("core   0: 3 0x80000000", 23, "an instruction");
    wrong("core   0: 3 0x80000000 (0x00000013", 35, "an instruction");
    wrong("core   0: 3 0x80000000 (0x0013)", 24, "2 or 4 bytes");
    wrong("core   0: 3 0x80000000 (0x00014501)", 24, "2 or 4 bytes");
    wrong("core   0: 3 0x80000000 (0x0000001f)", 24, "2 or 4 bytes");
    wrong("core   0: 3 0x80000000 (0x0000000000000013)", 24, "2 or 4 bytes");
    wrong("core   0: 3 0x80000000 (0x00000013)x5 0x0", 36, "a blank");
    wrong("core   0: 3 0x80000000 (0x00000013) x32 0x0", 38, "a register");
    wrong("core   0: 3 0x80000000 (0x00000013) x5", 39, "a register value");
    wrong("core   0: 3 0x80000000 (0x00000013) c4096_no 0x0", 38, "a CSR");
    wrong("core   0: 3 0x80000000 (0x00000013) c773 0x0", 41, "an underscore");
    wrong("core   0: 3 0x80000000 (0x00000013) mem", 40, "the address of an access");
    wrong("core   0: 3 0x80000000 (0x00000013) mem 80", 41, "the address of an access");
    wrong("core   0: 3 0x80000000 (0x00000013) y5 0x0", 37, "what the instruction wrote");
    wrong("core   0: exception trap_nothing, epc 0x80000000", 21, "the name of a trap");
    wrong("core   0: exception trap_breakpoint epc 0x80000000", 21, "the name of a trap");
    wrong("core   0: exception interrupt #x, epc 0x80000000", 32, "the number of a cause");
    wrong("core   0: exception trap_breakpoint, epc 80000000", 42, "an address");
    wrong("core   0: tval 55", 16, "trap value");
}

/* What is cut within a number has another value. */
static void numbers_of_xlen_bits_have_all_their_digits(void **state)
{
    (void)state;
    wrong("core   0: 3 0x80000000 (0x00000013) x5  0x8000000", 41, "8 or 16 digits");
    wrong("core   0: 3 0x80000000 (0x00000013) c773_mtvec 0x00000000800000", 48, "8 or 16 digits");
    wrong("core   0: 3 0x80000000 (0x00000013) mem 0x8000000", 41, "8 or 16 digits");
    wrong("core   0: tval 0x8000000", 16, "8 or 16 digits");
    wrong("core   0: exception trap_breakpoint, epc 0x8000000", 42, "8 or 16 digits");
    takes("core   0: 3 0x80000000 (0x00000013) f5  0x00000000000000000000000000000000",
          ASSAY_COMMIT_LINE_INSTRUCTION);
}

static void comments_and_empty_lines_are_before_what_a_log_begins_with(void **state)
{
    static const char *const texts[] = {"core   0: 3 0x", "3 0x8",
                                        "# core\n\r\n  \ncore   0: 3 0x"};
    static const char *const others[] = {"", "#", "\n", "# core   0: 3 0x", "\nhello", "core"};
    (void)state;
    for (size_t n = 0; n < sizeof texts / sizeof texts[0]; n++) {
        assert_true(assay_commit_line_begins(texts[n], strlen(texts[n])));
    }
    for (size_t n = 0; n < sizeof others / sizeof others[0]; n++) {
        assert_false(assay_commit_line_begins(others[n], strlen(others[n])));
    }
    assert_int_equal(assay_commit_comments("# 1\n \nx\n#\n", 10), 6);
    assert_int_equal(assay_commit_comments("# 1", 3), 0);
    assert_int_equal(assay_commit_comments("x", 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instruction_has_what_it_wrote),
        cmocka_unit_test(an_access_is_a_store_if_it_has_data),
        cmocka_unit_test(old_versions_spell_it_otherwise),
        cmocka_unit_test(what_l_adds_is_told_apart),
        cmocka_unit_test(a_wrong_line_has_a_place),
        cmocka_unit_test(numbers_of_xlen_bits_have_all_their_digits),
        cmocka_unit_test(comments_and_empty_lines_are_before_what_a_log_begins_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
