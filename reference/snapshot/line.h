/* Lines of the texts that accompany a capture: settings (ini.h) and events (events.h). Private to
 * them. */
#ifndef ASSAY_SNAPSHOT_LINE_H
#define ASSAY_SNAPSHOT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Without the blanks around it. */
struct cs_part cs_trim(struct cs_part part);

/* A text that is read line by line. */
struct cs_lines {
    const char *text;
    size_t size;
    size_t at;       /* where the next line begins */
    uint32_t number; /* of the latest line, 1-based; 0: none was read */
};

/* The next line that says something: without blanks around it and the CR of its end. Empty lines,
 * comments and the byte order mark that editors put first are passed over. False at the end, or
 * when *error, which is ASSAY_OK before, says what is wrong at the place: ASSAY_LIMIT, a line is
 * longer than CS_LINE_MOST; ASSAY_SYNTAX, a control character. */
bool cs_next_line(struct cs_lines *lines, struct cs_part *said, enum assay_error *error,
                  struct assay_diag *diag);

#endif
