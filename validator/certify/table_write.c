/* The table of certificates as Markdown and as JSON. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "reports/json_stream.h"
#include "validator/certify/table.h"

/* --- text that is no markup --- */

/* The next character of a text: its code and how long it is. What is no UTF-8 is a byte each, with
 * the code 0. */
static size_t next(const char *text, uint32_t *code)
{
    static const struct {
        uint8_t mask, head;
        uint32_t least;
    } forms[] = {{0x80, 0x00, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};
    const uint8_t *bytes = (const uint8_t *)text;
    for (size_t more = 0; more < 4; more++) {
        if ((bytes[0] & forms[more].mask) != forms[more].head) {
            continue;
        }
        uint32_t value = bytes[0] & (uint8_t)~forms[more].mask;
        size_t i = 1;
        for (; i <= more && (bytes[i] & 0xC0u) == 0x80u; i++) {
            value = value << 6 | (bytes[i] & 0x3Fu);
        }
        if (i > more && value >= forms[more].least && value <= 0x10FFFF) {
            *code = value;
            return i;
        }
    }
    *code = 0;
    return 1;
}

/* Whether a character beyond ASCII is shown as it is: no control character, none that has no width
 * or changes the direction of what follows, no surrogate, none of private use. */
static bool is_shown(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } hidden[] = {{0x80, 0x9F},     {0xAD, 0xAD},     {0x61C, 0x61C},   {0x115F, 0x1160},
                  {0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x200B, 0x200F}, {0x2028, 0x202E},
                  {0x2060, 0x206F}, {0x3164, 0x3164}, {0xD800, 0xF8FF}, {0xFE00, 0xFE0F},
                  {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFF}, {0xE0000, 0x10FFFF}};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        if (code >= hidden[i].first && code <= hidden[i].last) {
            return false;
        }
    }
    return true;
}

/* Whether the character would begin what readers of Markdown make a link of without any markup:
 * https://..., mailto:..., www.... */
static bool makes_link(const char *at, char before)
{
    return (at[0] == ':' && at[1] != ' ') || (at[0] == '.' && (before == 'w' || before == 'W'));
}

/* A text in a cell. What could be markup of Markdown is escaped by a backslash, what could be HTML,
 * a template, a link or a mention by a reference; what is not shown is \xNN. */
static void put_text(struct assay_sink *sink, const char *text)
{
    uint32_t code = 0;
    char before = ' ';
    for (size_t length = 0; *text != '\0'; text += length) {
        const char c = *text;
        length = next(text, &code);
        if (code >= 0x80 ? !is_shown(code) : code < 0x20 || code == 0x7F) {
            for (size_t i = 0; i < length; i++) {
                assay_sink_printf(sink, "\\\\x%02x", (unsigned)(uint8_t)text[i]);
            }
        } else if (strchr("<>&@{}", c) != NULL || makes_link(text, before)) {
            assay_sink_printf(sink, "&#%d;", c);
        } else if (strchr("\\`*_[]#|~$^", c) != NULL) {
            assay_sink_printf(sink, "\\%c", c);
        } else {
            assay_sink_write(sink, text, length);
        }
        before = c;
    }
}

/* --- Markdown --- */

static void cell(struct assay_sink *sink, const char *text)
{
    assay_sink_text(sink, " ");
    put_text(sink, text);
    assay_sink_text(sink, " |");
}

static void put_row(const struct assay_certify_table *table, const struct assay_certify_row *row,
                    struct assay_sink *sink)
{
    static const char *const verdicts[] = {"**certified**", "not certified", "incomplete"};
    const bool verified = table->demanded->key != NULL;
    assay_sink_text(sink, "| ");
    put_text(sink, row->producer);
    if (row->vendor[0] != '\0') {
        assay_sink_text(sink, " (");
        put_text(sink, row->vendor);
        assay_sink_text(sink, ")");
    }
    assay_sink_text(sink, " |");
    cell(sink, row->version);
    cell(sink, row->format);
    cell(sink, row->format_version);
    cell(sink, row->profile);
    cell(sink, row->level);
    cell(sink, row->features);
    assay_sink_printf(sink, " %s |",
                      verified                          ? verdicts[row->verdict]
                      : row->verdict == ASSAY_CERTIFIED ? "says certified"
                                                        : verdicts[row->verdict]);
    if (row->signed_by[0] == '\0') {
        assay_sink_text(sink, " not signed |");
    } else {
        assay_sink_text(sink, verified ? " " : " not verified: ");
        put_text(sink, row->signed_by);
        assay_sink_text(sink, " |");
    }
    cell(sink, row->valid_until);
    assay_sink_text(sink, " assay ");
    put_text(sink, row->tool);
    assay_sink_printf(sink, "%s%s%s |", row->own_profile ? ", **own profile**" : "",
                      row->own_rules ? ", **own rules or readings**" : "",
                      row->own_rules || row->released ? "" : ", of no release");
    cell(sink, row->folder);
    assay_sink_text(sink, "\n");
}

static void put_rows(const struct assay_certify_table *table, struct assay_sink *sink)
{
    assay_sink_printf(sink, "Certificates: %zu. ", table->row_count);
    if (table->demanded->key != NULL) {
        assay_sink_printf(sink, "Each is signed by the key %s.\n\n", table->demanded->key->id);
    } else {
        assay_sink_text(sink, "None is verified, as no key was given: the files of each agree with "
                              "each other, and anybody can have written them.\n\n");
    }
    assay_sink_text(sink, "| producer | version | format | format's version | profile | level | "
                          "features | verdict | signed by | valid until | judged by | folder |\n"
                          "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < table->row_count; i++) {
        put_row(table, &table->rows[i], sink);
    }
}

void assay_certify_table_markdown(const struct assay_certify_table *table, struct assay_sink *sink)
{
    assay_sink_text(sink, "# Certificates\n\n");
    if (table->row_count > 0) {
        put_rows(table, sink);
    } else {
        assay_sink_text(sink, "There is none that verifies.\n");
    }
    if (table->refused_count > 0) {
        assay_sink_text(sink, "\n## What does not verify\n\n| folder | why not |\n|---|---|\n");
    }
    for (size_t i = 0; i < table->refused_count; i++) {
        assay_sink_text(sink, "|");
        cell(sink, table->refused[i].folder);
        cell(sink, table->refused[i].why);
        assay_sink_text(sink, "\n");
    }
}

/* --- JSON --- */

static void set_text(struct assay_json_stream *s, json_t *object, const char *key, const char *text)
{
    assay_json_set(s, object, key, assay_json_text(text));
}

static json_t *row_object(struct assay_json_stream *s, const struct assay_certify_row *row,
                          bool verified)
{
    json_t *object = json_object();
    assay_json_set(s, object, "folder", assay_json_name(row->folder));
    set_text(s, object, "producer", row->producer);
    set_text(s, object, "version", row->version);
    set_text(s, object, "vendor", row->vendor);
    set_text(s, object, "format", row->format);
    set_text(s, object, "format_version", row->format_version);
    set_text(s, object, "profile", row->profile);
    set_text(s, object, "level", row->level);
    set_text(s, object, "features", row->features);
    set_text(s, object, "verdict", assay_certify_verdict_name(row->verdict));
    assay_json_set(s, object, "verified", json_boolean(verified));
    set_text(s, object, "keyid", row->signed_by);
    set_text(s, object, "valid_until", row->valid_until);
    set_text(s, object, "tool", row->tool);
    assay_json_set(s, object, "own_profile", json_boolean(row->own_profile));
    assay_json_set(s, object, "own_rules", json_boolean(row->own_rules));
    assay_json_set(s, object, "released", json_boolean(row->released));
    return object;
}

enum assay_error assay_certify_table_json(const struct assay_certify_table *table,
                                          struct assay_sink *sink)
{
    struct assay_json_stream s;
    assay_json_begin(&s, sink);
    assay_json_member(&s, "schema", json_string("assay-certificates/1"));
    assay_json_member(&s, "verified_by",
                      table->demanded->key != NULL ? json_string(table->demanded->key->id)
                                                   : json_null());
    assay_json_list_begin(&s, "certificates");
    for (size_t i = 0; i < table->row_count; i++) {
        assay_json_list_item(&s, row_object(&s, &table->rows[i], table->demanded->key != NULL));
    }
    assay_json_list_end(&s);
    assay_json_list_begin(&s, "refused");
    for (size_t i = 0; i < table->refused_count; i++) {
        json_t *object = json_object();
        assay_json_set(&s, object, "folder", assay_json_name(table->refused[i].folder));
        set_text(&s, object, "why", table->refused[i].why);
        assay_json_list_item(&s, object);
    }
    assay_json_list_end(&s);
    return assay_json_end(&s);
}
