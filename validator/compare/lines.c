#include "validator/compare/lines.h"

#include <stdlib.h>
#include <string.h>

#include "reports/json_load.h"

enum { LEAST_ROOM = 4096 };

void assay_lines_begin(struct assay_lines *lines, FILE *file, bool *no_memory)
{
    rewind(file);
    *lines = (struct assay_lines){.file = file, .no_memory = no_memory};
}

static bool grow(struct assay_lines *lines)
{
    const size_t room = lines->room == 0 ? LEAST_ROOM : 2 * lines->room;
    char *grown = realloc(lines->text, room);
    if (grown == NULL) {
        *lines->no_memory = true;
        return false;
    }
    lines->text = grown;
    lines->room = room;
    return true;
}

/* Reads a line with its line feed, or as much of it as is allowed, or as there is before the end of
 * the file. */
static size_t read_line(struct assay_lines *lines)
{
    size_t size = 0;
    int byte = 0;
    while (size < ASSAY_LINE_MOST && byte != '\n' && (byte = getc_unlocked(lines->file)) != EOF) {
        if (size == lines->room && !grow(lines)) {
            return 0;
        }
        lines->text[size++] = (char)byte;
    }
    return size;
}

json_t *assay_lines_next(struct assay_lines *lines)
{
    json_error_t wrong;
    json_t *object = NULL;
    const size_t size = read_line(lines);
    const unsigned long long number = lines->number + 1;
    lines->why[0] = '\0';
    if (size == 0) {
        return NULL;
    }
    lines->number++;
    if (lines->text[size - 1] != '\n') {
        snprintf(lines->why, sizeof lines->why,
                 size == ASSAY_LINE_MOST ? "line %llu is longer than %d bytes"
                                         : "line %llu has no line feed at its end",
                 number, ASSAY_LINE_MOST);
        return NULL;
    }
    const enum assay_error error =
        assay_json_load(lines->text, size, JSON_REJECT_DUPLICATES, &object, &wrong);
    *lines->no_memory = *lines->no_memory || error == ASSAY_NO_MEMORY;
    if (!json_is_object(object)) {
        const bool big = object == NULL && strstr(wrong.text, "too big integer") != NULL;
        snprintf(lines->why, sizeof lines->why, "line %llu is no JSON object: %.90s%s", number,
                 object != NULL ? "another value" : wrong.text,
                 big ? " (from 2^63 on numbers are texts, \"0x...\")" : "");
        json_decref(object);
        return NULL;
    }
    return object;
}

void assay_lines_end(struct assay_lines *lines)
{
    free(lines->text);
    lines->text = NULL;
}

bool assay_line_is_end(const char *line, size_t size)
{
    static const char word[] = "\"end\"";
    json_error_t wrong;
    json_t *object = NULL;
    if (memmem(line, size, word, sizeof word - 1) == NULL ||
        assay_json_load(line, size, 0, &object, &wrong) != ASSAY_OK) {
        return false;
    }
    const char *kind = json_string_value(json_object_get(object, "kind"));
    const bool end = kind != NULL && strcmp(kind, "end") == 0;
    json_decref(object);
    return end;
}
