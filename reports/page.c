#include "reports/page.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "reports/html_stream.h"

enum { WIDTH = 100, LEAST_WIDTH = 40, MOST_WIDTH = 400, FORMATTED = 512 };

/* A blank at which a line is not broken, while the line is in hand. */
static const char firm_blank = '\x01';

static const char *const escapes[ASSAY_INK_COUNT] = {
    [ASSAY_INK_STRONG] = "\033[1m",  [ASSAY_INK_DIM] = "\033[2m",
    [ASSAY_INK_GOOD] = "\033[1;32m", [ASSAY_INK_WARNING] = "\033[1;33m",
    [ASSAY_INK_BAD] = "\033[1;31m",  [ASSAY_INK_COMMAND] = "\033[36m",
};

void assay_page_begin(struct assay_page *page, const struct assay_report_style *style,
                      struct assay_sink *sink)
{
    page->sink = sink;
    page->rule_pages = style->rule_pages;
    page->color = style->color;
    page->html = false;
    page->width = style->width != 0 ? style->width : WIDTH;
    page->width = page->width < LEAST_WIDTH ? LEAST_WIDTH : page->width;
    page->width = page->width > MOST_WIDTH ? MOST_WIDTH : page->width;
    page->open = false;
    page->begun = false;
    page->blank = false;
    page->used = 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == firm_blank;
}

static const char *const classes[ASSAY_INK_COUNT] = {
    [ASSAY_INK_STRONG] = "strong",   [ASSAY_INK_DIM] = "dim", [ASSAY_INK_GOOD] = "good",
    [ASSAY_INK_WARNING] = "warning", [ASSAY_INK_BAD] = "bad", [ASSAY_INK_COMMAND] = "command",
};

/* Goes from the ink of what was written before to another one. */
static void change_ink(const struct assay_page *page, uint8_t from, uint8_t to)
{
    if (from == to || !(page->html || page->color)) {
        return;
    }
    if (from != ASSAY_INK_PLAIN) {
        assay_sink_text(page->sink, page->html ? "</span>" : "\033[0m");
    }
    if (to != ASSAY_INK_PLAIN && page->html) {
        assay_sink_printf(page->sink, "<span class=\"%s\">", classes[to]);
    } else if (to != ASSAY_INK_PLAIN) {
        assay_sink_text(page->sink, escapes[to]);
    }
}

/* Writes the first `size` characters of the line in hand as a line. */
static void write_line(struct assay_page *page, size_t size)
{
    uint8_t ink = ASSAY_INK_PLAIN;
    while (size > 0 && is_blank(page->text[size - 1])) {
        size--;
    }
    for (size_t from = 0; from < size;) {
        size_t to = from;
        for (; to < size && page->ink[to] == page->ink[from]; to++) {
            page->text[to] = is_blank(page->text[to]) ? ' ' : page->text[to];
        }
        change_ink(page, ink, page->ink[from]);
        ink = page->ink[from];
        if (page->html) {
            assay_html_escape(page->sink, page->text + from, to - from);
        } else {
            assay_sink_write(page->sink, page->text + from, to - from);
        }
        from = to;
    }
    change_ink(page, ink, ASSAY_INK_PLAIN);
    assay_sink_text(page->sink, "\n");
    page->begun = true;
    page->blank = size == 0;
}

static void end_line(struct assay_page *page)
{
    if (page->open) {
        write_line(page, page->used);
    }
    page->open = false;
    page->used = 0;
}

/* Writes what precedes `at`; what is from there on begins a continuation line. */
static void break_at(struct assay_page *page, size_t at)
{
    const size_t rest = page->used - at;
    write_line(page, at);
    memmove(page->text + page->hang, page->text + at, rest);
    memmove(page->ink + page->hang, page->ink + at, rest);
    memset(page->text, ' ', page->hang);
    memset(page->ink, ASSAY_INK_PLAIN, page->hang);
    page->used = page->hang + rest;
    page->firm = page->hang;
}

/* Breaks the line in hand at its last blank, if there is one; a word that is longer than a line
 * sticks out. */
static void wrap(struct assay_page *page)
{
    size_t at = page->used - 1;
    while (at > page->firm && page->text[at] != ' ') {
        at--;
    }
    if (at > page->firm && page->hang + page->used - at <= ASSAY_PAGE_ROOM) {
        break_at(page, at + 1);
    } else if (page->used == ASSAY_PAGE_ROOM) {
        break_at(page, page->used);
    }
}

static void put_char(struct assay_page *page, enum assay_ink ink, char c)
{
    page->text[page->used] = c;
    page->ink[page->used] = (uint8_t)ink;
    page->used++;
    if ((page->used > page->width && c != ' ') || page->used == ASSAY_PAGE_ROOM) {
        wrap(page);
    }
}

static void put_number_of(struct assay_page *page, enum assay_ink ink, unsigned char c)
{
    char code[8];
    snprintf(code, sizeof code, "\\x%02x", c);
    for (const char *digit = code; *digit != '\0'; digit++) {
        put_char(page, ink, *digit);
    }
}

static void put_text(struct assay_page *page, enum assay_ink ink, const char *text, bool firm)
{
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (space && c != ' ' && page->used > 0 && is_blank(page->text[page->used - 1])) {
            continue;
        }
        if (space) {
            put_char(page, ink, firm ? firm_blank : ' ');
        } else if (c > ' ' && c < 0x7f) {
            put_char(page, ink, (char)c);
        } else {
            put_number_of(page, ink, c);
        }
    }
}

void assay_page_line(struct assay_page *page, size_t indent, size_t hang)
{
    end_line(page);
    page->open = true;
    page->hang = hang < page->width / 2 ? hang : page->width / 2;
    page->used = indent < page->width / 2 ? indent : page->width / 2;
    page->firm = page->used;
    memset(page->text, ' ', page->used);
    memset(page->ink, ASSAY_INK_PLAIN, page->used);
}

void assay_page_blank(struct assay_page *page)
{
    end_line(page);
    if (page->begun && !page->blank) {
        write_line(page, 0);
    }
}

void assay_page_tab(struct assay_page *page, size_t column)
{
    do {
        put_char(page, ASSAY_INK_PLAIN, ' ');
    } while (page->used < column && page->used < page->width);
    page->hang = column < page->width / 2 ? column : page->width / 2;
    page->firm = page->used;
}

void assay_page_put(struct assay_page *page, enum assay_ink ink, const char *text)
{
    put_text(page, ink, text, false);
}

void assay_page_firm(struct assay_page *page, enum assay_ink ink, const char *text)
{
    put_text(page, ink, text, true);
}

void assay_page_name(struct assay_page *page, enum assay_ink ink, const char *name)
{
    for (; *name != '\0'; name++) {
        const unsigned char c = (unsigned char)*name;
        if (c == ' ') {
            put_char(page, ink, firm_blank);
        } else if (c < ' ' || c >= 0x7f) {
            put_number_of(page, ink, c);
        } else {
            put_char(page, ink, (char)c);
            if (c == '\\') {
                put_char(page, ink, '\\');
            }
        }
    }
}

void assay_page_format(struct assay_page *page, enum assay_ink ink, const char *format, ...)
{
    char text[FORMATTED];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put_text(page, ink, text, false);
}

const char *assay_number_text(uint64_t number, char out[ASSAY_NUMBER_TEXT])
{
    char digits[24];
    const size_t length = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, number);
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            out[used++] = ',';
        }
        out[used++] = digits[i];
    }
    out[used] = '\0';
    return out;
}

void assay_page_number(struct assay_page *page, uint64_t number)
{
    char text[ASSAY_NUMBER_TEXT];
    assay_page_put(page, ASSAY_INK_PLAIN, assay_number_text(number, text));
}

void assay_page_count(struct assay_page *page, uint64_t number, const char *one, const char *many)
{
    assay_page_number(page, number);
    assay_page_firm(page, ASSAY_INK_PLAIN, " ");
    assay_page_put(page, ASSAY_INK_PLAIN, number == 1 ? one : many);
}

void assay_page_offset(struct assay_page *page, uint64_t offset)
{
    char text[ASSAY_NUMBER_TEXT];
    assay_page_format(page, ASSAY_INK_PLAIN, "0x%" PRIx64, offset);
    assay_page_firm(page, ASSAY_INK_PLAIN, " ");
    assay_page_format(page, ASSAY_INK_PLAIN, "(%s)", assay_number_text(offset, text));
}

enum assay_error assay_page_end(struct assay_page *page)
{
    end_line(page);
    return page->sink->error;
}
