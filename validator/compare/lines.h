/* The lines of a JSON Lines file, of which one side is a stranger's: their length is limited. */
#ifndef ASSAY_COMPARE_LINES_H
#define ASSAY_COMPARE_LINES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes of a line, its line feed included. The longest line of the corpus has 3,000. */
enum { ASSAY_LINE_MOST = 1 << 20 };

struct assay_lines {
    FILE *file;
    char *text; /* the latest line; owned */
    size_t room;
    uint64_t number; /* of it, from 1 */
    char why[160];   /* it is no object; "" where it is one, or at the end */
    bool *no_memory; /* of all lines of a comparison */
};

/* Begins at the beginning of the file. */
void assay_lines_begin(struct assay_lines *lines, FILE *file, bool *no_memory);

/* The next line, an object that is the caller's; null at the end, and where the line is none. */
json_t *assay_lines_next(struct assay_lines *lines);

void assay_lines_end(struct assay_lines *lines);

/* Whether a line, without its line feed, says that the events are at their end: an object of kind
 * "end". Null when memory is out is no end. */
bool assay_line_is_end(const char *line, size_t size);

#endif
