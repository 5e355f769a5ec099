#include "reports/json_stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint64_t exact = (uint64_t)1 << 53;

json_t *assay_json_hex(uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64, value);
    return json_string(text);
}

json_t *assay_json_count(uint64_t value)
{
    return value <= exact ? json_integer((json_int_t)value) : assay_json_hex(value);
}

static bool is_control(unsigned char c)
{
    return c < ' ' || c == 0x7f;
}

/* Text with the numbers of some bytes in their place: of those beyond ASCII if `only_ascii`, and of
 * control characters in a name. A backslash of a name is doubled, so that what stands for a byte is
 * told from what looks like it. */
static json_t *escaped(const char *text, bool name, bool only_ascii)
{
    struct assay_sink plain;
    assay_sink_memory(&plain, 0);
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if ((only_ascii && c >= 0x80) || (name && is_control(c))) {
            assay_sink_printf(&plain, "\\x%02x", (unsigned)c);
        } else {
            assay_sink_write(&plain, text, 1);
            assay_sink_text(&plain, name && c == '\\' ? "\\" : "");
        }
    }
    json_t *value = NULL;
    if (plain.error == ASSAY_OK) {
        value = json_stringn(plain.size > 0 ? (const char *)plain.data : "", plain.size);
    }
    assay_sink_close(&plain, NULL);
    return value;
}

/* JSON holds characters. Where one byte is none, it is not known which encoding the others beyond
 * ASCII are in, and all of them are shown by their numbers. */
json_t *assay_json_text(const char *text)
{
    if (text == NULL) {
        return json_null();
    }
    json_t *value = json_string(text);
    return value != NULL ? value : escaped(text, false, true);
}

json_t *assay_json_name(const char *name)
{
    json_t *value = escaped(name, true, false);
    return value != NULL ? value : escaped(name, true, true);
}

void assay_json_set(struct assay_json_stream *stream, json_t *object, const char *key,
                    json_t *value)
{
    if (json_object_set_new(object, key, value) != 0) {
        stream->failed = true;
    }
}

void assay_json_append(struct assay_json_stream *stream, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0) {
        stream->failed = true;
    }
}

static int to_sink(const char *data, size_t size, void *context)
{
    assay_sink_write(context, data, size);
    return 0;
}

static void put_value(struct assay_json_stream *stream, json_t *value)
{
    const size_t flags = JSON_PRESERVE_ORDER | JSON_ENSURE_ASCII | JSON_ENCODE_ANY;
    if (json_dump_callback(value, to_sink, stream->sink, flags | JSON_REAL_PRECISION(9)) != 0) {
        stream->failed = true;
    }
    json_decref(value);
}

/* The line of a member or element at the current depth. */
static void put_line(const struct assay_json_stream *stream)
{
    if (!stream->one_line) {
        assay_sink_printf(stream->sink, "\n%*s", (int)(2 * stream->depth), "");
    }
}

/* What comes before a value. */
static void put_name(struct assay_json_stream *stream, const char *name)
{
    const uint32_t bit = UINT32_C(1) << stream->depth;
    const bool preceded = (stream->preceded & bit) != 0;
    assay_sink_text(stream->sink, !preceded ? "" : stream->one_line ? ", " : ",");
    put_line(stream);
    stream->preceded |= bit;
    if (name != NULL) {
        assay_sink_printf(stream->sink, "\"%s\": ", name);
    }
}

static void open_value(struct assay_json_stream *stream, const char *bracket)
{
    assay_sink_text(stream->sink, bracket);
    stream->depth++;
    stream->preceded &= ~(UINT32_C(1) << stream->depth);
}

static void close_value(struct assay_json_stream *stream, const char *bracket)
{
    const bool empty = (stream->preceded & (UINT32_C(1) << stream->depth)) == 0;
    stream->depth--;
    if (!empty) {
        put_line(stream);
    }
    assay_sink_text(stream->sink, bracket);
}

void assay_json_begin(struct assay_json_stream *stream, struct assay_sink *sink)
{
    *stream = (struct assay_json_stream){.sink = sink};
    open_value(stream, "{");
}

void assay_json_begin_line(struct assay_json_stream *stream, struct assay_sink *sink)
{
    *stream = (struct assay_json_stream){.sink = sink, .one_line = true};
    open_value(stream, "{");
}

void assay_json_member(struct assay_json_stream *stream, const char *name, json_t *value)
{
    put_name(stream, name);
    put_value(stream, value);
}

void assay_json_object_begin(struct assay_json_stream *stream, const char *name)
{
    put_name(stream, name);
    open_value(stream, "{");
}

void assay_json_object_end(struct assay_json_stream *stream)
{
    close_value(stream, "}");
}

void assay_json_list_begin(struct assay_json_stream *stream, const char *name)
{
    put_name(stream, name);
    open_value(stream, "[");
}

void assay_json_list_item(struct assay_json_stream *stream, json_t *value)
{
    assay_json_member(stream, NULL, value);
}

void assay_json_list_text(struct assay_json_stream *stream, const char *text, size_t size)
{
    put_name(stream, NULL);
    assay_sink_write(stream->sink, text, size);
}

void assay_json_list_end(struct assay_json_stream *stream)
{
    close_value(stream, "]");
}

enum assay_error assay_json_end(struct assay_json_stream *stream)
{
    close_value(stream, "}");
    assay_sink_text(stream->sink, "\n");
    if (stream->sink->error != ASSAY_OK) {
        return stream->sink->error;
    }
    return stream->failed ? ASSAY_NO_MEMORY : ASSAY_OK;
}
