#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/yaml.h"

static const char path[] = "some/file.yaml";

static struct assay_yaml_file parsed(const char *text)
{
    struct assay_yaml_file file;
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    if (assay_yaml_parse(path, text, strlen(text), &file, &diag) != ASSAY_OK) {
        fail_msg("%u:%u: %s", diag.line, diag.column, diag.message);
    }
    return file;
}

static struct assay_diag refused(const char *text, size_t size, enum assay_error error)
{
    struct assay_yaml_file file;
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    assert_int_equal(assay_yaml_parse(path, text, size, &file, &diag), error);
    assert_int_equal(diag.error, error);
    assert_string_equal(diag.path, path);
    assert_true(diag.message[0] != '\0');
    assert_null(file.root);
    assert_null(file.memory);
    return diag;
}

static void assert_place(const struct assay_yaml *node, unsigned line, unsigned column)
{
    assert_non_null(node);
    assert_int_equal(node->line, line);
    assert_int_equal(node->column, column);
}

/* --- the tree --- */

static void every_node_knows_its_line_and_column(void **state)
{
    (void)state;
    struct assay_yaml_file file = parsed("# a comment\na: 1\nb:\n  - x\n  - {c: yes, d: [2, 3]}\n");
    assert_int_equal(file.root->type, ASSAY_YAML_MAP);
    assert_int_equal(file.root->count, 2);
    assert_place(file.root->items[0], 2, 1);
    assert_place(assay_yaml_get(file.root, "a"), 2, 4);
    const struct assay_yaml *list = assay_yaml_get(file.root, "b");
    assert_int_equal(list->type, ASSAY_YAML_LIST);
    assert_int_equal(list->count, 2);
    assert_place(list->items[0], 4, 5);
    assert_place(assay_yaml_get(list->items[1], "d"), 5, 17);
    assert_place(assay_yaml_get(list->items[1], "d")->items[1], 5, 21);
    assert_string_equal(file.path, path);
    assay_yaml_free(&file);
    assert_null(file.root);
}

static void a_value_that_is_left_out_is_an_empty_text(void **state)
{
    (void)state;
    struct assay_yaml_file file = parsed("a:\nb: x\n");
    assert_int_equal(assay_yaml_get(file.root, "a")->type, ASSAY_YAML_SCALAR);
    assert_int_equal(assay_yaml_get(file.root, "a")->length, 0);
    assert_null(assay_yaml_get(file.root, "c"));
    assert_null(assay_yaml_get(assay_yaml_get(file.root, "a"), "a"));
    assert_null(assay_yaml_get(NULL, "a"));
    assay_yaml_free(&file);
}

static void texts_in_quotes_and_blocks_are_told_from_plain_ones(void **state)
{
    (void)state;
    struct assay_yaml_file file = parsed("- 1\n- '1'\n- \"1\"\n- |\n  1\n- >\n  1\n");
    for (size_t i = 0; i < 5; i++) {
        uint64_t value = 99;
        assert_int_equal(file.root->items[i]->quoted, i > 0);
        assert_int_equal(assay_yaml_u64(file.root->items[i], &value), i == 0);
        assert_int_equal(value, i == 0 ? 1 : 99);
    }
    assay_yaml_free(&file);
}

static void the_text_need_not_be_terminated(void **state)
{
    (void)state;
    char *text = malloc(4);
    assert_non_null(text);
    memcpy(text, "a: 1", 4);
    struct assay_yaml_file file;
    assert_int_equal(assay_yaml_parse(path, text, 4, &file, NULL), ASSAY_OK);
    free(text);
    assert_true(assay_yaml_is(assay_yaml_get(file.root, "a"), "1"));
    assay_yaml_free(&file);
}

/* --- what is refused --- */

static void a_key_that_stands_twice_is_refused_at_the_second(void **state)
{
    (void)state;
    const char text[] = "a: 1\nb: 2\nc: {x: 1, a: 2}\n  \na: 3\n";
    const struct assay_diag diag = refused(text, strlen(text), ASSAY_DUPLICATE);
    assert_int_equal(diag.line, 5);
    assert_int_equal(diag.column, 1);
    assert_non_null(strstr(diag.hint, "line 1"));
}

static void of_several_keys_that_stand_again_the_first_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line, column;
        const char *hint;
    } cases[] = {
        {"b: 1\na: 1\nb: 2\na: 2\nb: 3\n", 3, 1, "line 1"},
        {"z: 1\na: 1\nb: 1\nz: 2\na: 2\n", 4, 1, "line 1"},
        {"a: {y: 1, x: 1, x: 2, y: 2}\na: 1\n", 1, 17, "line 1"},
        {"- {a: 1}\n- {a: 1}\n- b: 1\n  a: 1\n  a: 1\n", 5, 3, "line 4"},
        {"{a: 1, \"a\": 1}", 1, 8, "line 1"},
        {"{'': 1, b: 1, '': 1}", 1, 15, "line 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct assay_diag diag =
            refused(cases[i].text, strlen(cases[i].text), ASSAY_DUPLICATE);
        assert_int_equal(diag.line, cases[i].line);
        assert_int_equal(diag.column, cases[i].column);
        assert_non_null(strstr(diag.hint, cases[i].hint));
    }
}

static void what_has_no_place_in_these_files_is_refused_where_it_stands(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum assay_error error;
        unsigned line, column;
    } cases[] = {
        {"", ASSAY_SYNTAX, 1, 1},
        {"  \n# nothing\n", ASSAY_SYNTAX, 1, 1},
        {"a: 1\nb: 'open\n", ASSAY_SYNTAX, 3, 1},
        {"a: [1, 2\nb: 3\n", ASSAY_SYNTAX, 2, 2},
        {"a: 1\n\tb: 2\n", ASSAY_SYNTAX, 2, 1},
        {"a: 1\n--- \nb: 2\n", ASSAY_UNSUPPORTED, 2, 1},
        {"a: &x 1\n", ASSAY_UNSUPPORTED, 1, 4},
        {"a: &x [1]\n", ASSAY_UNSUPPORTED, 1, 4},
        {"a: &x {b: 1}\n", ASSAY_UNSUPPORTED, 1, 4},
        {"a: *x\n", ASSAY_UNSUPPORTED, 1, 4},
        {"a: !!str 1\n", ASSAY_UNSUPPORTED, 1, 4},
        {"a: !mine [1]\n", ASSAY_UNSUPPORTED, 1, 4},
        {"a: !mine {b: 1}\n", ASSAY_UNSUPPORTED, 1, 4},
        {"[a, b]: 1\n", ASSAY_SYNTAX, 1, 1},
        {"{{a: 1}: 1}\n", ASSAY_SYNTAX, 1, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct assay_diag diag =
            refused(cases[i].text, strlen(cases[i].text), cases[i].error);
        if (diag.line != cases[i].line || diag.column != cases[i].column) {
            fail_msg("%s is refused at %u:%u", cases[i].text, diag.line, diag.column);
        }
    }
}

static void bytes_that_are_no_text_are_refused_where_they_stand(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned column;
    } cases[] = {
        {"a: 1\nbc: \xff\n", 5},
        {"a: 1\nbc: \x01\n", 5},
        {"a: 1\nbc: \xc3(\n", 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct assay_diag diag = refused(cases[i].text, strlen(cases[i].text), ASSAY_SYNTAX);
        assert_int_equal(diag.line, 2);
        assert_int_equal(diag.column, cases[i].column);
    }
}

static void nesting_is_limited(void **state)
{
    (void)state;
    char text[2 * ASSAY_YAML_MAX_DEPTH + 4];
    for (size_t depth = ASSAY_YAML_MAX_DEPTH; depth <= ASSAY_YAML_MAX_DEPTH + 1; depth++) {
        struct assay_yaml_file file;
        struct assay_diag diag = {0};
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        const enum assay_error error = assay_yaml_parse(path, text, 2 * depth, &file, &diag);
        assert_int_equal(error, depth > ASSAY_YAML_MAX_DEPTH ? ASSAY_LIMIT : ASSAY_OK);
        assay_yaml_free(&file);
    }
}

static void the_keys_of_a_mapping_are_limited(void **state)
{
    (void)state;
    const size_t capacity = (size_t)12 * (ASSAY_YAML_MAX_PAIRS + 1);
    char *text = malloc(capacity);
    assert_non_null(text);
    for (unsigned extra = 0; extra < 2; extra++) {
        struct assay_yaml_file file;
        struct assay_diag diag = {0};
        size_t at = 0;
        for (unsigned i = 0; i < ASSAY_YAML_MAX_PAIRS + extra; i++) {
            at += (size_t)snprintf(text + at, capacity - at, "k%u: 1\n", i);
        }
        assert_int_equal(assay_yaml_parse(path, text, at, &file, &diag),
                         extra > 0 ? ASSAY_LIMIT : ASSAY_OK);
        assert_int_equal(diag.line, extra > 0 ? ASSAY_YAML_MAX_PAIRS + 1 : 0);
        assay_yaml_free(&file);
    }
    free(text);
}

static void a_text_of_brackets_as_large_as_a_file_may_be_is_refused(void **state)
{
    (void)state;
    static const char *const units[] = {"[", "{", "- ", "? ", "\n", " ", "&", "\""};
    char *text = malloc(ASSAY_YAML_MAX_BYTES + 1);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        struct assay_yaml_file file;
        for (size_t k = 0; k <= ASSAY_YAML_MAX_BYTES; k++) {
            text[k] = units[i][k % strlen(units[i])];
        }
        assert_int_not_equal(assay_yaml_parse(path, text, ASSAY_YAML_MAX_BYTES, &file, NULL),
                             ASSAY_OK);
        assert_int_equal(assay_yaml_parse(path, text, ASSAY_YAML_MAX_BYTES + 1, &file, NULL),
                         ASSAY_LIMIT);
    }
    free(text);
}

static void a_file_that_is_not_there_or_is_a_directory_is_told_apart(void **state)
{
    (void)state;
    struct assay_yaml_file file;
    struct assay_diag diag = {0};
    assert_int_equal(assay_yaml_load("/nonexistent/x.yaml", &file, &diag), ASSAY_NOT_FOUND);
    assert_string_equal(diag.path, "/nonexistent/x.yaml");
    assert_int_equal(assay_yaml_load("/", &file, &diag), ASSAY_NOT_READABLE);
    assert_non_null(strstr(diag.message, "directory"));
}

/* --- scalars as values --- */

static struct assay_yaml plain(const char *text)
{
    return (struct assay_yaml){.type = ASSAY_YAML_SCALAR, .text = text, .length = strlen(text)};
}

static void numbers_are_decimal_or_hexadecimal(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
        uint64_t value;
    } cases[] = {
        {"0", true, 0},
        {"007", true, 7},
        {"4_096", true, 4096},
        {"0x10", true, 16},
        {"0XaBc", true, 0xabc},
        {"0xffff_ffff_ffff_ffff", true, UINT64_MAX},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"0x10000000000000000", false, 0},
        {"", false, 0},
        {"_", false, 0},
        {"0x", false, 0},
        {"-1", false, 0},
        {"+1", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"1.0", false, 0},
        {"12a", false, 0},
        {"0xg", false, 0},
        {"0x0x1", false, 0},
        {"true", false, 0},
        {"00000000000000000000000000000000000000001", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct assay_yaml node = plain(cases[i].text);
        uint64_t value = 0;
        if (assay_yaml_u64(&node, &value) != cases[i].good ||
            (cases[i].good && value != cases[i].value)) {
            fail_msg("%s", cases[i].text);
        }
    }
    const struct assay_yaml list = {.type = ASSAY_YAML_LIST};
    uint64_t value = 0;
    assert_false(assay_yaml_u64(&list, &value));
    assert_false(assay_yaml_u64(NULL, &value));
}

static void a_number_of_any_size_is_told_from_other_texts(void **state)
{
    static const char *const numbers[] = {
        "0", "12", "1_000", "0xfF", "0X1_0", "18446744073709551616", "0x1ffffffffffffffff"};
    static const char *const others[] = {"", "_", "0x", "0x_", "-1", "1.0", "12a", "0xg", "x1"};
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const struct assay_yaml node = plain(numbers[i]);
        assert_true(assay_yaml_is_number(&node));
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const struct assay_yaml node = plain(others[i]);
        assert_false(assay_yaml_is_number(&node));
    }
    struct assay_yaml quoted = plain("12");
    quoted.quoted = true;
    assert_false(assay_yaml_is_number(&quoted));
    assert_false(assay_yaml_is_number(NULL));
}

static void only_true_and_false_are_flags(void **state)
{
    (void)state;
    static const char *const others[] = {"True", "yes", "no", "1", "0", "", "false ", "off"};
    bool value = false;
    const struct assay_yaml on = plain("true");
    const struct assay_yaml off = plain("false");
    assert_true(assay_yaml_flag(&on, &value) && value);
    assert_true(assay_yaml_flag(&off, &value) && !value);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const struct assay_yaml node = plain(others[i]);
        assert_false(assay_yaml_flag(&node, &value));
    }
}

static void bytes_are_read_from_pairs_of_hexadecimal_digits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
        size_t size;
    } cases[] = {
        {"", true, 0},       {"00", true, 1},      {"0aF9", true, 2}, {" 0a\n f9\t", true, 2},
        {"0", false, 0},     {"0a f", false, 1},   {"0 a", false, 0}, {"0x", false, 0},
        {"0a,0b", false, 1}, {"0a 0 b", false, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t out[8] = {0};
        size_t size = 99;
        const bool good = assay_hex_bytes(cases[i].text, strlen(cases[i].text), out, &size);
        assert_int_equal(good, cases[i].good);
        assert_true(!good || size == cases[i].size);
        assert_true(!good || size != 2 || (out[0] == 0x0a && out[1] == 0xf9));
    }
}

/* --- names --- */

static void an_unknown_key_is_refused_with_the_nearest_known_one(void **state)
{
    (void)state;
    static const char *const known[] = {"title", "level", "require", NULL};
    struct assay_yaml_file file = parsed("title: x\nreqire: y\n");
    struct assay_diag diag = {0};
    assert_int_equal(assay_yaml_only(file.root, known, &diag), ASSAY_UNKNOWN_NAME);
    assert_int_equal(diag.line, 2);
    assert_int_equal(diag.column, 1);
    assert_non_null(strstr(diag.message, "\"reqire\""));
    assert_non_null(strstr(diag.hint, "\"require\""));
    assay_yaml_free(&file);
    file = parsed("title: x\n");
    assert_int_equal(assay_yaml_only(file.root, known, &diag), ASSAY_OK);
    assert_int_equal(assay_yaml_only(assay_yaml_get(file.root, "title"), known, &diag),
                     ASSAY_WRONG_TYPE);
    assay_yaml_free(&file);
}

static void the_nearest_word_is_the_one_with_the_fewest_changes(void **state)
{
    (void)state;
    static const char *const list[] = {"check", "dump", "encode", "rules", "generate", NULL};
    static const struct {
        const char *word;
        const char *nearest;
    } cases[] = {
        {"check", "check"},         {"chek", "check"},         {"chekc", "check"},
        {"dumps", "dump"},          {"jump", "dump"},          {"decode", "encode"},
        {"rule", "rules"},          {"generator", "generate"}, {"DUMPS", "dump"},
        {"completely-other", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *near = assay_nearest(cases[i].word, list);
        if (cases[i].nearest == NULL) {
            assert_null(near);
        } else {
            assert_non_null(near);
            assert_string_equal(near, cases[i].nearest);
        }
    }
}

static void letters_that_are_exchanged_are_one_change(void **state)
{
    (void)state;
    static const char *const list[] = {"bit", "wfe", "wfi", "ttl", "tlbi", NULL};
    assert_string_equal(assay_nearest("wif", list), "wfi");
    assert_string_equal(assay_nearest("tbli", list), "tlbi");
    assert_string_equal(assay_nearest("ltbi", list), "tlbi");
    assert_string_equal(assay_nearest("TLIB", list), "tlbi");
}

static void words_of_any_length_have_no_nearest_word_or_one(void **state)
{
    (void)state;
    char word[200];
    char other[64];
    memset(other, 'a', 63);
    other[63] = '\0';
    const char *const list[] = {other, NULL};
    for (size_t length = 0; length < sizeof word; length++) {
        memset(word, 'a', length);
        word[length] = '\0';
        const char *near = assay_nearest(word, list);
        assert_int_equal(near != NULL, length >= 47 && length <= 63);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_node_knows_its_line_and_column),
        cmocka_unit_test(a_value_that_is_left_out_is_an_empty_text),
        cmocka_unit_test(texts_in_quotes_and_blocks_are_told_from_plain_ones),
        cmocka_unit_test(the_text_need_not_be_terminated),
        cmocka_unit_test(a_key_that_stands_twice_is_refused_at_the_second),
        cmocka_unit_test(of_several_keys_that_stand_again_the_first_is_refused),
        cmocka_unit_test(what_has_no_place_in_these_files_is_refused_where_it_stands),
        cmocka_unit_test(bytes_that_are_no_text_are_refused_where_they_stand),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(the_keys_of_a_mapping_are_limited),
        cmocka_unit_test(a_text_of_brackets_as_large_as_a_file_may_be_is_refused),
        cmocka_unit_test(a_file_that_is_not_there_or_is_a_directory_is_told_apart),
        cmocka_unit_test(numbers_are_decimal_or_hexadecimal),
        cmocka_unit_test(a_number_of_any_size_is_told_from_other_texts),
        cmocka_unit_test(only_true_and_false_are_flags),
        cmocka_unit_test(bytes_are_read_from_pairs_of_hexadecimal_digits),
        cmocka_unit_test(an_unknown_key_is_refused_with_the_nearest_known_one),
        cmocka_unit_test(the_nearest_word_is_the_one_with_the_fewest_changes),
        cmocka_unit_test(letters_that_are_exchanged_are_one_change),
        cmocka_unit_test(words_of_any_length_have_no_nearest_word_or_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
