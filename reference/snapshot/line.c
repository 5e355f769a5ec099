#include "snapshot/line.h"

#include <string.h>

struct cs_part cs_trim(struct cs_part part)
{
    size_t from = 0;
    size_t to = part.length;
    while (from < to && cs_is_blank(part.text[from])) {
        from++;
    }
    while (to > from && cs_is_blank(part.text[to - 1])) {
        to--;
    }
    return cs_cut(part, from, to);
}

/* What a line says: of length 0 where there is nothing, or a comment. */
static enum assay_error read_line(struct cs_part line, uint32_t number, struct cs_part *said,
                                  struct assay_diag *diag)
{
    if (line.length > CS_LINE_MOST) {
        return assay_fail_at(diag, ASSAY_LIMIT, number, 1, "the line is longer than %d bytes",
                             CS_LINE_MOST);
    }
    line.length -= line.length > 0 && line.text[line.length - 1] == '\r';
    for (size_t i = 0; i < line.length; i++) {
        const unsigned char c = (unsigned char)line.text[i];
        if ((c < ' ' && c != '\t') || c == 0x7f) {
            return assay_fail_at(diag, ASSAY_SYNTAX, number, (uint32_t)i + 1,
                                 "the control character 0x%02x is in the text", c);
        }
    }
    *said = cs_trim(line);
    if (said->length > 0 && (said->text[0] == '#' || said->text[0] == ';')) {
        said->length = 0;
    }
    return ASSAY_OK;
}

/* How many bytes of a text are a byte order mark. */
static size_t mark_length(const struct cs_lines *lines)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'};
    return lines->size >= sizeof mark && memcmp(lines->text, mark, sizeof mark) == 0 ? sizeof mark
                                                                                     : 0;
}

bool cs_next_line(struct cs_lines *lines, struct cs_part *said, enum assay_error *error,
                  struct assay_diag *diag)
{
    *said = (struct cs_part){.length = 0};
    lines->at = lines->number == 0 ? mark_length(lines) : lines->at;
    while (lines->at < lines->size && *error == ASSAY_OK && said->length == 0) {
        const char *begin = lines->text + lines->at;
        const size_t left = lines->size - lines->at;
        const char *end = memchr(begin, '\n', left);
        const size_t length = end != NULL ? (size_t)(end - begin) : left;
        lines->at += length + (end != NULL);
        lines->number++;
        *error = read_line((struct cs_part){begin, length, 1}, lines->number, said, diag);
    }
    return *error == ASSAY_OK && said->length > 0;
}
