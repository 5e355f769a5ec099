/* Lines of the texts that accompany a capture: settings (ini.h) and events (events.h). Private to
 * them. */
#ifndef ASSAY_SNAPSHOT_LINE_H
#define ASSAY_SNAPSHOT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/error.h"

enum { CS_LINE_MOST = 8192 /* bytes */ };

/* A part of a line. */
struct cs_part {
    const char *text;
    size_t length;
    uint32_t column; /* of its first byte, 1-based */
};

static inline bool cs_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Its bytes from number `from` on, up to `to`, which are at most its length. */
static inline struct cs_part cs_cut(struct cs_part part, size_t from, size_t to)
{
    return (struct cs_part){part.text + from, to - from, part.column + (uint32_t)from};
}

/* How many bytes of a text are the byte order mark that editors put first. */
static inline size_t cs_mark_length(const char *text, size_t size)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'};
    return size >= sizeof mark && memcmp(text, mark, sizeof mark) == 0 ? sizeof mark : 0;
}

/* Without the blanks around it. */
struct cs_part cs_trim(struct cs_part part);

/* What a line says: without blanks around it and the CR of its end; of length 0 where there is
 * nothing, or a comment. ASSAY_LIMIT: it is longer than CS_LINE_MOST; ASSAY_SYNTAX: a control
 * character; at the place. */
enum assay_error cs_read_line(struct cs_part line, uint32_t number, struct cs_part *said,
                              struct assay_diag *diag);

#endif
