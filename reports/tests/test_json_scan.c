/* Going through a JSON text, and reading values back that are not trusted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/json_read.h"
#include "reports/json_scan.h"
#include "reports/json_stream.h"

static char path[] = "/tmp/assay-scan-XXXXXX";
static struct assay_diag diag;

static int make_file(void **state)
{
    (void)state;
    close(mkstemp(path));
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void open_text(struct assay_json_scan *scan, const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
    assert_int_equal(assay_json_scan_open(scan, path, &diag), ASSAY_OK);
}

static const char sample[] =
    "{\"a\": 1, \"b\" :[ {\"x\":\"]}\\\"\\\\\"} ,2,\t\"three\"],\n \"c\":{},\"d\":[]}\n";

static void values_are_kept_or_stepped_over(void **state)
{
    struct assay_json_scan scan;
    char name[4];
    bool more = false;
    (void)state;
    open_text(&scan, sample, sizeof sample - 1);
    assert_int_equal(assay_json_scan_enter(&scan, '{'), ASSAY_OK);
    assert_int_equal(assay_json_scan_member(&scan, name, sizeof name, &more), ASSAY_OK);
    assert_string_equal(name, "a");
    assert_int_equal(assay_json_scan_keep(&scan), ASSAY_OK);
    assert_memory_equal(scan.text, "1", scan.size);
    assert_int_equal(assay_json_scan_member(&scan, name, sizeof name, &more), ASSAY_OK);
    assert_int_equal(assay_json_scan_enter(&scan, '['), ASSAY_OK);
    assert_int_equal(assay_json_scan_item(&scan, &more), ASSAY_OK);
    const uint64_t offset = scan.offset;
    assert_int_equal(sample[offset], '{');
    assert_int_equal(assay_json_scan_keep(&scan), ASSAY_OK);
    assert_int_equal(scan.size, 14);
    assert_int_equal(assay_json_scan_item(&scan, &more), ASSAY_OK);
    assert_int_equal(assay_json_scan_skip(&scan), ASSAY_OK);
    assert_int_equal(assay_json_scan_item(&scan, &more), ASSAY_OK);
    assert_int_equal(assay_json_scan_keep(&scan), ASSAY_OK);
    assert_memory_equal(scan.text, "\"three\"", scan.size);
    assert_int_equal(assay_json_scan_item(&scan, &more), ASSAY_OK);
    assert_false(more);
    for (const char *expected = "cd"; *expected != '\0'; expected++) {
        assert_int_equal(assay_json_scan_member(&scan, name, sizeof name, &more), ASSAY_OK);
        assert_int_equal(name[0], *expected);
        assert_int_equal(assay_json_scan_skip(&scan), ASSAY_OK);
    }
    assert_int_equal(assay_json_scan_member(&scan, name, sizeof name, &more), ASSAY_OK);
    assert_false(more);
    assert_int_equal(assay_json_scan_end(&scan), ASSAY_OK);
    assert_int_equal(assay_json_scan_seek(&scan, offset), ASSAY_OK);
    assert_int_equal(assay_json_scan_keep(&scan), ASSAY_OK);
    assert_memory_equal(scan.text, "{\"x\":\"]}\\\"\\\\\"}", scan.size);
    assay_json_scan_close(&scan);
}

/* All members of an object are stepped over. */
static enum assay_error scan_all(struct assay_json_scan *scan)
{
    char name[8];
    bool more = true;
    enum assay_error error = assay_json_scan_enter(scan, '{');
    while (error == ASSAY_OK && more) {
        error = assay_json_scan_member(scan, name, sizeof name, &more);
        error = error == ASSAY_OK && more ? assay_json_scan_skip(scan) : error;
    }
    return error != ASSAY_OK ? error : assay_json_scan_end(scan);
}

static void a_text_that_is_cut_off_is_truncated_there(void **state)
{
    (void)state;
    for (size_t size = 0; size < sizeof sample - 2; size++) {
        struct assay_json_scan scan;
        open_text(&scan, sample, size);
        assert_int_equal(scan_all(&scan), ASSAY_TRUNCATED);
        assert_int_equal(diag.offset, size);
        assay_json_scan_close(&scan);
    }
}

static void what_is_no_json_is_told_with_its_place(void **state)
{
    static const struct {
        const char *text;
        uint64_t offset;
    } wrong[] = {{"[]", 0},
                 {"x", 0},
                 {"{,}", 1},
                 {"{\"a\"}", 4},
                 {"{\"a\" 1}", 5},
                 {"{\"a\":,}", 5},
                 {"{\"a\":1 \"b\"}", 7},
                 {"{\"a\":}", 5},
                 {"{\"a\":1,}", 7},
                 {"{a:1}", 1},
                 {"{}x", 2},
                 {"{} {}", 3},
                 {"{\"a\":1]", 6},
                 {"\0{}", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct assay_json_scan scan;
        open_text(&scan, wrong[i].text,
                  i + 1 < sizeof wrong / sizeof wrong[0] ? strlen(wrong[i].text) : 3);
        assert_int_equal(scan_all(&scan), ASSAY_SYNTAX);
        assert_int_equal(diag.offset, wrong[i].offset);
        assay_json_scan_close(&scan);
    }
}

static void nesting_takes_no_memory(void **state)
{
    enum { DEPTH = 2000000 };
    char *text = malloc(2 * DEPTH + 16);
    struct assay_json_scan scan;
    (void)state;
    memcpy(text, "{\"a\":", 5);
    memset(text + 5, '[', DEPTH);
    memset(text + 5 + DEPTH, ']', DEPTH);
    text[5 + 2 * DEPTH] = '}';
    open_text(&scan, text, 2 * DEPTH + 6);
    free(text);
    assert_int_equal(scan_all(&scan), ASSAY_OK);
    assert_true(scan.room <= 4096);
    assay_json_scan_close(&scan);
}

static void a_file_that_cannot_be_read_is_named(void **state)
{
    struct assay_json_scan scan;
    (void)state;
    assert_int_equal(assay_json_scan_open(&scan, "/nonexistent", &diag), ASSAY_NOT_FOUND);
    assert_string_equal(diag.path, "/nonexistent");
    assay_json_scan_close(&scan);
    assert_int_equal(assay_json_scan_open(&scan, "/tmp", &diag), ASSAY_NOT_READABLE);
    assay_json_scan_close(&scan);
}

/* --- values --- */

static void texts_come_back_byte_for_byte(void **state)
{
    char every[256];
    struct assay_arena arena = {0};
    struct assay_json_reader reader = {.arena = &arena};
    (void)state;
    for (int i = 1; i < 256; i++) {
        every[i - 1] = (char)i;
    }
    every[255] = '\0';
    const char *const texts[] = {"", "plain", every, "\\x41", "\\\\", "\xc3\xa4\\", "\xff", "a\nb"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        json_t *value = assay_json_name(texts[i]);
        assert_string_equal(assay_json_text_of(&reader, value, "text", false), texts[i]);
        json_decref(value);
    }
    assert_true(assay_json_right(&reader));
    assay_arena_free(&arena);
}

static void expect_number(json_t *value, uint64_t most, bool right, uint64_t expected)
{
    struct assay_json_reader reader = {0};
    assert_int_equal(assay_json_number_of(&reader, value, "n", most), right ? expected : 0);
    assert_int_equal(reader.wrong == NULL, right);
    json_decref(value);
}

static void numbers_come_back_within_their_bounds(void **state)
{
    (void)state;
    static const uint64_t each[] = {0, 1, 255, 1ull << 53, (1ull << 53) + 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        expect_number(assay_json_count(each[i]), each[i], true, each[i]);
        expect_number(assay_json_hex(each[i]), UINT64_MAX, true, each[i]);
        if (each[i] > 0) {
            expect_number(assay_json_count(each[i]), each[i] - 1, false, 0);
        }
    }
    expect_number(json_integer(-1), UINT64_MAX, false, 0);
    expect_number(json_real(1), UINT64_MAX, false, 0);
    expect_number(json_true(), UINT64_MAX, false, 0);
    expect_number(json_null(), UINT64_MAX, false, 0);
    static const char *const texts[] = {"",     "0x",   "1",   "0x1g", "0x11111111111111111",
                                        "0xFF", " 0x1", "0x-1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        expect_number(json_string(texts[i]), UINT64_MAX, false, 0);
    }
}

static void the_first_wrong_member_is_told(void **state)
{
    struct assay_arena arena = {0};
    struct assay_json_reader reader = {.arena = &arena};
    json_t *object =
        json_pack("{s:s, s:[i], s:s, s:n}", "text", "\\q", "list", 1, "long", "12345", "none");
    char chars[5] = "";
    size_t count = 7;
    (void)state;
    assert_null(assay_json_get_text(&reader, object, "none", true));
    assert_non_null(assay_json_get_list(&reader, object, "list", &count));
    assert_int_equal(count, 1);
    assert_null(reader.wrong);
    assay_json_get_chars(&reader, object, "long", chars, sizeof chars);
    assert_string_equal(reader.wrong, "long");
    assert_string_equal(assay_json_get_text(&reader, object, "text", false), "");
    assert_string_equal(assay_json_get_text(&reader, object, "absent", false), "");
    assert_false(assay_json_get_flag(&reader, object, "list"));
    assert_null(assay_json_get_list(&reader, object, "absent", &count));
    assert_int_equal(count, 0);
    assay_json_get_list_of(&reader, object, "list", 2);
    assert_string_equal(reader.wrong, "long");
    assert_false(reader.out_of_memory);
    json_decref(object);
    assay_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_kept_or_stepped_over),
        cmocka_unit_test(a_text_that_is_cut_off_is_truncated_there),
        cmocka_unit_test(what_is_no_json_is_told_with_its_place),
        cmocka_unit_test(nesting_takes_no_memory),
        cmocka_unit_test(a_file_that_cannot_be_read_is_named),
        cmocka_unit_test(texts_come_back_byte_for_byte),
        cmocka_unit_test(numbers_come_back_within_their_bounds),
        cmocka_unit_test(the_first_wrong_member_is_told),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
