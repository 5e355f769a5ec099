#include "reports/html_stream.h"

#include <string.h>

#include "io/digest.h"
#include "reports/json_stream.h"

void assay_html_escape(struct assay_sink *sink, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        switch (text[i]) {
        case '<':
            assay_sink_text(sink, "&lt;");
            break;
        case '>':
            assay_sink_text(sink, "&gt;");
            break;
        case '&':
            assay_sink_text(sink, "&amp;");
            break;
        case '"':
            assay_sink_text(sink, "&quot;");
            break;
        default:
            assay_sink_write(sink, &text[i], 1);
        }
    }
}

/* The bytes of a character, at `text`, that changes the direction of writing; 0 for all others:
 * U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069. */
static size_t direction(const unsigned char *text)
{
    if (text[0] == 0xd8 && text[1] == 0x9c) {
        return 2;
    }
    if (text[0] != 0xe2) {
        return 0;
    }
    const bool mark = text[1] == 0x80 && (text[2] == 0x8e || text[2] == 0x8f);
    const bool embedding = text[1] == 0x80 && text[2] >= 0xaa && text[2] <= 0xae;
    const bool isolate = text[1] == 0x81 && text[2] >= 0xa6 && text[2] <= 0xa9;
    return mark || embedding || isolate ? 3 : 0;
}

/* A control character: of ASCII, or U+0080 to U+009F. */
static size_t control(const unsigned char *text)
{
    if ((text[0] < ' ' && text[0] != '\t' && text[0] != '\n') || text[0] == 0x7f) {
        return 1;
    }
    return text[0] == 0xc2 && text[1] < 0xa0 ? 2 : 0;
}

/* Takes the value, which is null where there is no memory. */
static void put_value(struct assay_sink *sink, json_t *value)
{
    const char *text = json_string_value(value);
    const size_t size = text != NULL ? json_string_length(value) : 0;
    if (value == NULL) {
        assay_sink_fail(sink, ASSAY_NO_MEMORY);
    }
    for (size_t i = 0; i < size;) {
        const unsigned char *at = (const unsigned char *)&text[i];
        const size_t hidden = control(at) + direction(at);
        for (size_t n = 0; n < hidden; n++) {
            assay_sink_printf(sink, "\\x%02x", (unsigned)at[n]);
        }
        if (hidden == 0) {
            assay_html_escape(sink, &text[i], 1);
        }
        i += hidden > 0 ? hidden : 1;
    }
    json_decref(value);
}

void assay_html_text(struct assay_sink *sink, const char *text)
{
    put_value(sink, assay_json_text(text));
}

void assay_html_name(struct assay_sink *sink, const char *name)
{
    put_value(sink, assay_json_name(name));
}

static unsigned digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

enum assay_error assay_html_allow(const unsigned char *data, size_t size,
                                  char allowed[ASSAY_HTML_ALLOWED])
{
    static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[ASSAY_DIGEST_TEXT];
    struct assay_digest digest;
    assay_digest_begin(&digest);
    assay_digest_add(&digest, data, size);
    const enum assay_error error = assay_digest_end(&digest, text);
    if (error != ASSAY_OK) {
        allowed[0] = '\0';
        return error;
    }
    /* Three hexadecimal digits are two of base 64; the last of the 64 digits has 4 bits more. */
    const char *hex = text + strlen("sha256:");
    char *out = allowed + strlen(strcpy(allowed, "'sha256-"));
    for (size_t i = 0; i < 64; i += 3) {
        const bool last = i == 63;
        const unsigned bits = last
                                  ? digit(hex[i]) << 8
                                  : digit(hex[i]) << 8 | digit(hex[i + 1]) << 4 | digit(hex[i + 2]);
        *out++ = base64[bits >> 6];
        *out++ = base64[bits & 63];
    }
    /* 32 bytes are 43 digits and one that fills up. */
    strcpy(out - 1, "='");
    return ASSAY_OK;
}
