/* What is written of a table of certificates, whatever these say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "validator/certify/table.h"

enum { COLUMNS = 12, TEXT = 64 };

/* A row of which each text is the same. */
static struct assay_certify_row row_of(const char *text)
{
    return (struct assay_certify_row){.folder = text,
                                      .producer = text,
                                      .version = text,
                                      .vendor = text,
                                      .format = text,
                                      .format_version = text,
                                      .profile = text,
                                      .level = text,
                                      .features = text,
                                      .signed_by = text,
                                      .valid_until = text,
                                      .tool = text};
}

static struct assay_sink written(const char *text)
{
    static const struct assay_certificate_demanded demanded = {.modified = true};
    struct assay_certify_row row = row_of(text);
    struct assay_certify_refused refused = {.folder = text, .why = text};
    const struct assay_certify_table table = {.demanded = &demanded,
                                              .rows = &row,
                                              .row_count = 1,
                                              .refused = &refused,
                                              .refused_count = 1};
    struct assay_sink sink;
    assay_sink_memory(&sink, 0);
    assay_certify_table_markdown(&table, &sink);
    assert_int_equal(sink.error, ASSAY_OK);
    assay_sink_write(&sink, "", 1);
    return sink;
}

/* The cell that holds a text alone: that of the version. */
static void assert_shown(const char *text, const char *shown)
{
    char cell[2 * TEXT + 8];
    struct assay_sink sink = written(text);
    snprintf(cell, sizeof cell, ") | %s | %s |", shown, shown);
    if (strstr((const char *)sink.data, cell) == NULL) {
        print_error("%s\nlacks %s\n", (const char *)sink.data, cell);
    }
    assert_non_null(strstr((const char *)sink.data, cell));
    assay_sink_discard(&sink);
}

static void a_text_is_shown_and_is_no_markup(void **state)
{
    (void)state;
    assert_shown("r1-2.3, (b) 50% +x!", "r1-2.3, (b) 50% +x!");
    assert_shown("a|b", "a\\|b");
    assert_shown("*a* _b_ `c` ~d~", "\\*a\\* \\_b\\_ \\`c\\` \\~d\\~");
    assert_shown("[a](b)", "\\[a\\](b)");
    assert_shown("\\", "\\\\");
    assert_shown("\\|", "\\\\\\|");
    assert_shown("<b>&amp;", "&#60;b&#62;&#38;amp;");
    assert_shown("a: b", "a: b");
    assert_shown("https://a", "https&#58;//a");
    assert_shown("mailto:a@b", "mailto&#58;a&#64;b");
    assert_shown("www.a", "www&#46;a");
    assert_shown("{{a}}", "&#123;&#123;a&#125;&#125;");
    assert_shown("#1 $a$ ^", "\\#1 \\$a\\$ \\^");
    assert_shown("a\nb\t\x1b\x7f", "a\\\\x0ab\\\\x09\\\\x1b\\\\x7f");
    assert_shown("\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80",
                 "\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80");
    /* No UTF-8: a byte alone, one that is cut off, one that is longer than it need be, a surrogate,
     * beyond Unicode. */
    assert_shown("\xff", "\\\\xff");
    assert_shown("\xc3", "\\\\xc3");
    assert_shown("\xe2\x82", "\\\\xe2\\\\x82");
    assert_shown("\xc0\xbc", "\\\\xc0\\\\xbc");
    assert_shown("\xed\xa0\x80", "\\\\xed\\\\xa0\\\\x80");
    assert_shown("\xf4\x90\x80\x80", "\\\\xf4\\\\x90\\\\x80\\\\x80");
    /* Control characters beyond ASCII, no width, the other direction, byte order, private use. */
    assert_shown("\xc2\x85", "\\\\xc2\\\\x85");
    assert_shown("\xe2\x80\x8b", "\\\\xe2\\\\x80\\\\x8b");
    assert_shown("\xe2\x80\xae", "\\\\xe2\\\\x80\\\\xae");
    assert_shown("\xef\xbb\xbf", "\\\\xef\\\\xbb\\\\xbf");
    assert_shown("\xf3\xa0\x80\xa0", "\\\\xf3\\\\xa0\\\\x80\\\\xa0");
}

/* Bars that are not escaped, in a line. */
static unsigned bars(const char *line, size_t length)
{
    unsigned count = 0;
    for (size_t i = 0; i < length; i++) {
        count += line[i] == '|';
        i += line[i] == '\\';
    }
    return count;
}

static void check_line(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        assert_true((uint8_t)line[i] >= 0x20 && line[i] != 0x7F);
        assert_true(line[i] != '<' && line[i] != '>' && line[i] != '@');
        assert_true(line[i] != '&' || line[i + 1] == '#');
    }
}

/* Of whatever bytes: the same lines with the same columns. */
static void any_bytes_leave_lines_and_columns_as_they_are(void **state)
{
    uint64_t random = 0x9E3779B97F4A7C15u;
    (void)state;
    for (unsigned trial = 0; trial < 20000; trial++) {
        static const char special[] = "|\\`<>&\n\r\t*_[]()#:/w.@{}~$^ \xe2\x80\xae";
        char text[TEXT];
        unsigned lines = 0;
        for (size_t i = 0; i < sizeof text - 1; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const uint8_t byte = (uint8_t)(random >> 40);
            text[i] = (random >> 60) % 2 == 0 ? special[byte % (sizeof special - 1)] : (char)byte;
        }
        text[sizeof text - 1] = '\0';
        struct assay_sink sink = written(text);
        const char *at = (const char *)sink.data;
        for (const char *feed; (feed = strchr(at, '\n')) != NULL; at = feed + 1, lines++) {
            const size_t length = (size_t)(feed - at);
            check_line(at, length);
            if (at[0] == '|') {
                const unsigned columns = lines < 8 ? COLUMNS : 2;
                assert_int_equal(bars(at, length), columns + 1);
            }
        }
        assert_int_equal(lines, 13);
        assay_sink_discard(&sink);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_shown_and_is_no_markup),
        cmocka_unit_test(any_bytes_leave_lines_and_columns_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
