#include "validator/program/wrapped.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\n';
}

void assay_put_wrapped(struct assay_sink *sink, const char *text, size_t size, size_t first,
                       size_t indent)
{
    const char *const end = text + size;
    size_t before = first;
    size_t column = 0;
    while (text < end) {
        size_t word = 0;
        while (text + word < end && !is_blank(text[word])) {
            word++;
        }
        if (column > 0 && before + column + 1 + word > ASSAY_WRAPPED_WIDTH) {
            assay_sink_text(sink, "\n");
            before = indent;
            column = 0;
        }
        if (word > 0) {
            assay_sink_printf(sink, "%*s%.*s", (int)(column == 0 ? before : 1), "", (int)word,
                              text);
            column += word + (column > 0);
        }
        text += word;
        while (text < end && is_blank(*text)) {
            text++;
        }
    }
    assay_sink_text(sink, "\n");
}
