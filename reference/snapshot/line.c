#include "snapshot/line.h"

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

enum assay_error cs_read_line(struct cs_part line, uint32_t number, struct cs_part *said,
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
