#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot/ini.h"
#include "snapshot/line.h"

static const char *const lists[] = {"pairs", NULL};

static enum assay_error parse_bytes(const char *text, size_t size, struct assay_yaml_file *file,
                                    struct assay_diag *diag)
{
    *diag = (struct assay_diag){0};
    return cs_ini_parse("a.ini", text, size, lists, file, diag);
}

static enum assay_error parse(const char *text, struct assay_yaml_file *file,
                              struct assay_diag *diag)
{
    return parse_bytes(text, strlen(text), file, diag);
}

static const struct assay_yaml *value_of(const struct assay_yaml_file *file, const char *section,
                                         const char *key)
{
    const struct assay_yaml *node = assay_yaml_get(assay_yaml_get(file->root, section), key);
    assert_non_null(node);
    return node;
}

static void sections_keys_and_values_have_their_places(void **state)
{
    (void)state;
    struct assay_yaml_file file;
    struct assay_diag diag;
    assert_int_equal(parse("# a comment\n"
                           "[device]\n"
                           "name=cpu_0\r\n"
                           "\n"
                           "  [ regs ]  ; of the core\n"
                           "  PC(size:64) = 0x10 # where it is\n"
                           "note=",
                           &file, &diag),
                     ASSAY_OK);
    assert_int_equal(file.root->count, 2);
    assert_string_equal(value_of(&file, "device", "name")->text, "cpu_0");
    const struct assay_yaml *pc = value_of(&file, "regs", "PC(size:64)");
    uint64_t number = 0;
    assert_string_equal(pc->text, "0x10");
    assert_true(assay_yaml_u64(pc, &number));
    assert_int_equal(number, 16);
    assert_string_equal(pc->path, "a.ini");
    assert_int_equal(pc->line, 6);
    assert_int_equal(pc->column, 17);
    assert_int_equal(assay_yaml_get(file.root, "regs")->line, 5);
    assert_string_equal(value_of(&file, "regs", "note")->text, "");
    assay_yaml_free(&file);
}

static void lines_without_a_word_say_nothing(void **state)
{
    (void)state;
    struct assay_yaml_file file;
    struct assay_diag diag;
    assert_int_equal(parse("\r\n;\n#\n;x\n \t\n[a]\nx=\x80\n", &file, &diag), ASSAY_OK);
    assert_string_equal(value_of(&file, "a", "x")->text, "\x80");
    assay_yaml_free(&file);
}

static void a_colon_separates_where_there_is_no_equals_sign(void **state)
{
    (void)state;
    struct assay_yaml_file file;
    struct assay_diag diag;
    assert_int_equal(parse("[buffer]\nvendor: ARM\n", &file, &diag), ASSAY_OK);
    assert_string_equal(value_of(&file, "buffer", "vendor")->text, "ARM");
    assay_yaml_free(&file);
}

static void quotes_are_no_part_of_a_value_and_protect_marks_of_comments(void **state)
{
    (void)state;
    struct assay_yaml_file file;
    struct assay_diag diag;
    assert_int_equal(
        parse("[a]\nx=\"a #1.bin\" # b\ny='z'\nname='a#1;2'\nlength=0x10;16\nnone=\"\"\n", &file,
              &diag),
        ASSAY_OK);
    assert_string_equal(value_of(&file, "a", "x")->text, "a #1.bin");
    assert_string_equal(value_of(&file, "a", "y")->text, "z");
    assert_string_equal(value_of(&file, "a", "name")->text, "a#1;2");
    assert_string_equal(value_of(&file, "a", "length")->text, "0x10");
    assert_string_equal(value_of(&file, "a", "none")->text, "");
    assay_yaml_free(&file);
}

static void a_byte_order_mark_is_no_part_of_the_text(void **state)
{
    (void)state;
    struct assay_yaml_file file;
    struct assay_diag diag;
    assert_int_equal(parse("\xef\xbb\xbf[a]\nx=1\n", &file, &diag), ASSAY_OK);
    assert_string_equal(value_of(&file, "a", "x")->text, "1");
    assay_yaml_free(&file);
    assert_int_equal(parse("\xef\xbb\xbf", &file, &diag), ASSAY_OK);
    assert_int_equal(file.root->count, 0);
    assay_yaml_free(&file);
    assert_int_equal(parse("[a]\n\xef\xbb\xbf[b]\n", &file, &diag), ASSAY_SYNTAX);
}

static void each_section_of_a_dump_is_kept(void **state)
{
    (void)state;
    struct assay_yaml_file file;
    struct assay_diag diag;
    assert_int_equal(parse("[dump]\nx=1\n[dump]\nx=2\n[dump1]\n[dump1]\n", &file, &diag), ASSAY_OK);
    assert_int_equal(file.root->count, 4);
    assay_yaml_free(&file);
    assert_int_equal(parse("[a]\ndump=1\ndump=2\n", &file, &diag), ASSAY_DUPLICATE);
    assert_int_equal(diag.line, 3);
}

static void only_a_list_of_pairs_has_a_key_again(void **state)
{
    (void)state;
    struct assay_yaml_file file;
    struct assay_diag diag;
    assert_int_equal(parse("[pairs]\na=1\na=2\n", &file, &diag), ASSAY_OK);
    assert_int_equal(assay_yaml_get(file.root, "pairs")->count, 2);
    assay_yaml_free(&file);
    assert_int_equal(parse("[pairs]\na=1\na=2\na=1\n", &file, &diag), ASSAY_DUPLICATE);
    assert_int_equal(diag.line, 4);
}

static void what_is_wrong_is_reported_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum assay_error error;
        uint32_t line, column;
    } cases[] = {
        {"a=1\n", ASSAY_SYNTAX, 1, 1},
        {"[a]\n[b\n", ASSAY_SYNTAX, 2, 1},
        {"[a]\n[]\n", ASSAY_SYNTAX, 2, 1},
        {"[a] b\n", ASSAY_SYNTAX, 1, 5},
        {"[a]\n  word\n", ASSAY_SYNTAX, 2, 3},
        {"[a]\n=1\n", ASSAY_SYNTAX, 2, 1},
        {"[a]\nx=\"1\n", ASSAY_SYNTAX, 2, 3},
        {"[a]\nx=\"\n", ASSAY_SYNTAX, 2, 3},
        {"[a]\nx=\"1\" 2\n", ASSAY_SYNTAX, 2, 7},
        {"[a]\nx=1\x01\n", ASSAY_SYNTAX, 2, 4},
        {"[a]\n\x01x=1\n", ASSAY_SYNTAX, 2, 1},
        {"[a]\nx=1\x7f\n", ASSAY_SYNTAX, 2, 4},
        {"[a]\nx=1\ry=2\n", ASSAY_SYNTAX, 2, 4},
        {"[a]\nx=1\n[b]\n[a]\n", ASSAY_DUPLICATE, 4, 2},
        {"[a]\nx=1\ny=2\n x=1\n", ASSAY_DUPLICATE, 4, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_yaml_file file;
        struct assay_diag diag;
        assert_int_equal(parse(cases[i].text, &file, &diag), cases[i].error);
        assert_int_equal(diag.line, cases[i].line);
        assert_int_equal(diag.column, cases[i].column);
        assert_string_equal(diag.path, "a.ini");
        assert_null(file.root);
    }
}

static void the_character_0_is_refused(void **state)
{
    (void)state;
    struct assay_yaml_file file;
    struct assay_diag diag;
    assert_int_equal(parse_bytes("[a]\nx=1\0002\n", 10, &file, &diag), ASSAY_SYNTAX);
    assert_int_equal(diag.line, 2);
    assert_int_equal(diag.column, 4);
}

static void lines_and_files_that_are_too_long_are_refused(void **state)
{
    (void)state;
    struct assay_yaml_file file;
    struct assay_diag diag;
    char *text = malloc(CS_INI_MAX_BYTES + 1);
    assert_non_null(text);
    memset(text, '#', CS_INI_MAX_BYTES + 1);
    assert_int_equal(parse_bytes(text, CS_LINE_MOST, &file, &diag), ASSAY_OK);
    assay_yaml_free(&file);
    assert_int_equal(parse_bytes(text, CS_LINE_MOST + 1, &file, &diag), ASSAY_LIMIT);
    assert_int_equal(diag.line, 1);
    assert_int_equal(diag.column, 1);
    assert_int_equal(parse_bytes(text, CS_INI_MAX_BYTES + 1, &file, &diag), ASSAY_LIMIT);
    free(text);
}

static void a_file_that_is_not_there_is_named(void **state)
{
    (void)state;
    struct assay_yaml_file file;
    struct assay_diag diag = {0};
    assert_int_equal(cs_ini_load("/nowhere/a.ini", "b/a.ini", NULL, &file, &diag), ASSAY_NOT_FOUND);
    assert_string_equal(diag.path, "b/a.ini");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_keys_and_values_have_their_places),
        cmocka_unit_test(lines_without_a_word_say_nothing),
        cmocka_unit_test(a_colon_separates_where_there_is_no_equals_sign),
        cmocka_unit_test(quotes_are_no_part_of_a_value_and_protect_marks_of_comments),
        cmocka_unit_test(a_byte_order_mark_is_no_part_of_the_text),
        cmocka_unit_test(each_section_of_a_dump_is_kept),
        cmocka_unit_test(only_a_list_of_pairs_has_a_key_again),
        cmocka_unit_test(what_is_wrong_is_reported_with_its_place),
        cmocka_unit_test(the_character_0_is_refused),
        cmocka_unit_test(lines_and_files_that_are_too_long_are_refused),
        cmocka_unit_test(a_file_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
