#include "reports/json_read.h"

#include <stdlib.h>
#include <string.h>

#include "io/sink.h"

void assay_json_wrong(struct assay_json_reader *reader, const char *member)
{
    if (reader->wrong == NULL) {
        reader->wrong = member;
    }
}

/* --- numbers --- */

static bool is_hex_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* "0x..." of at most 64 bits. */
static bool hex_of(const char *text, uint64_t *value)
{
    enum { MOST_DIGITS = 16 };
    size_t digits = 0;
    if (text[0] != '0' || text[1] != 'x') {
        return false;
    }
    while (is_hex_digit(text[2 + digits])) {
        digits++;
    }
    *value = strtoull(text + 2, NULL, 16);
    return digits > 0 && digits <= MOST_DIGITS && text[2 + digits] == '\0';
}

uint64_t assay_json_number_of(struct assay_json_reader *reader, const json_t *value,
                              const char *name, uint64_t most)
{
    const char *text = json_string_value(value);
    const bool whole = json_is_integer(value) && json_integer_value(value) >= 0;
    uint64_t number = whole ? (uint64_t)json_integer_value(value) : 0;
    if ((!whole && (text == NULL || !hex_of(text, &number))) || number > most) {
        assay_json_wrong(reader, name);
        return 0;
    }
    return number;
}

uint64_t assay_json_get_number(struct assay_json_reader *reader, const json_t *object,
                               const char *name, uint64_t most)
{
    return assay_json_number_of(reader, json_object_get(object, name), name, most);
}

bool assay_json_get_flag(struct assay_json_reader *reader, const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_boolean(value)) {
        assay_json_wrong(reader, name);
    }
    return json_is_true(value);
}

/* --- texts --- */

static int digit_of(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* Undoes assay_json_name, in place. False: it cannot have written this. */
static bool unescape(char *text)
{
    char *out = text;
    for (const char *in = text; *in != '\0'; out++) {
        if (in[0] != '\\') {
            *out = *in++;
        } else if (in[1] == '\\') {
            *out = '\\';
            in += 2;
        } else if (in[1] == 'x' && is_hex_digit(in[2]) && is_hex_digit(in[3])) {
            *out = (char)(digit_of(in[2]) * 16 + digit_of(in[3]));
            in += 4;
        } else {
            return false;
        }
    }
    *out = '\0';
    return true;
}

const char *assay_json_text_of(struct assay_json_reader *reader, const json_t *value,
                               const char *name, bool optional)
{
    const char *text = json_string_value(value);
    if (text == NULL) {
        if (!optional || !json_is_null(value)) {
            assay_json_wrong(reader, name);
        }
        return optional ? NULL : "";
    }
    char *copy = assay_arena_text(reader->arena, text, strlen(text));
    reader->out_of_memory = reader->out_of_memory || copy == NULL;
    if (copy == NULL || !unescape(copy)) {
        assay_json_wrong(reader, name);
        return optional ? NULL : "";
    }
    return copy;
}

const char *assay_json_get_text(struct assay_json_reader *reader, const json_t *object,
                                const char *name, bool optional)
{
    return assay_json_text_of(reader, json_object_get(object, name), name, optional);
}

void assay_json_get_chars(struct assay_json_reader *reader, const json_t *object, const char *name,
                          char *out, size_t size)
{
    const char *text = assay_json_get_text(reader, object, name, false);
    const size_t length = strlen(text);
    if (length >= size) {
        assay_json_wrong(reader, name);
        return;
    }
    memcpy(out, text, length + 1);
}

/* --- lists --- */

const json_t *assay_json_get_list(struct assay_json_reader *reader, const json_t *object,
                                  const char *name, size_t *count)
{
    const json_t *list = json_object_get(object, name);
    if (!json_is_array(list)) {
        assay_json_wrong(reader, name);
    }
    *count = json_array_size(list); /* 0 of what is none */
    return list;
}

const json_t *assay_json_get_list_of(struct assay_json_reader *reader, const json_t *object,
                                     const char *name, size_t count)
{
    size_t there = 0;
    const json_t *list = assay_json_get_list(reader, object, name, &there);
    if (there != count) {
        assay_json_wrong(reader, name);
    }
    return list;
}

void *assay_json_room(struct assay_json_reader *reader, size_t count, size_t size)
{
    void *room =
        count < SIZE_MAX / size - 1 ? assay_arena_take(reader->arena, count * size + 1) : NULL;
    reader->out_of_memory = reader->out_of_memory || room == NULL;
    return room;
}
