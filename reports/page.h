/* Layout of the text report: lines that wrap at blanks, colours, numbers. ASCII only: unprintable
 * bytes are written as \xNN, so that no input can control the terminal. Private to reports/. */
#ifndef ASSAY_REPORTS_PAGE_H
#define ASSAY_REPORTS_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/sink.h"
#include "reports/report.h"

/* The names of inks are the classes of what is written as HTML. */
enum assay_ink {
    ASSAY_INK_PLAIN,
    ASSAY_INK_STRONG, /* ids, headings */
    ASSAY_INK_DIM,    /* context */
    ASSAY_INK_GOOD,
    ASSAY_INK_WARNING,
    ASSAY_INK_BAD,
    ASSAY_INK_COMMAND, /* a command to type */
    ASSAY_INK_COUNT
};

enum { ASSAY_PAGE_ROOM = 4096, ASSAY_NUMBER_TEXT = 27 };

struct assay_page {
    struct assay_sink *sink;
    size_t width;
    const char *rule_pages; /* as of the style */
    bool color;
    bool html;   /* lines are written as HTML; assay_page_begin clears it */
    bool open;   /* a line was begun */
    bool begun;  /* something was written */
    bool blank;  /* the last line written is empty */
    size_t hang; /* indentation of continuation lines of the current line, in columns */
    size_t firm; /* the current line is not broken before this column */
    size_t used;
    char text[ASSAY_PAGE_ROOM];
    uint8_t ink[ASSAY_PAGE_ROOM]; /* enum assay_ink */
};

void assay_page_begin(struct assay_page *page, const struct assay_report_style *style,
                      struct assay_sink *sink);

/* Ends the current line and begins one at column `indent`, whose continuation lines begin at column
 * `hang`. */
void assay_page_line(struct assay_page *page, size_t indent, size_t hang);

/* An empty line, unless there is one already or nothing precedes. */
void assay_page_blank(struct assay_page *page);

/* Writes blanks up to a column, at least one if the line is already longer. Continuation lines then
 * begin there. */
void assay_page_tab(struct assay_page *page, size_t column);

void assay_page_put(struct assay_page *page, enum assay_ink ink, const char *text);
void assay_page_format(struct assay_page *page, enum assay_ink ink, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Text that is not broken at its blanks. */
void assay_page_firm(struct assay_page *page, enum assay_ink ink, const char *text);

/* The name of a file, not broken at its blanks. Different names are shown differently: what is not
 * printable as \xNN, line feeds too, and a backslash as two. */
void assay_page_name(struct assay_page *page, enum assay_ink ink, const char *name);

/* "1,204" */
void assay_page_number(struct assay_page *page, uint64_t number);
/* "1 rule", "1,204 rules" */
void assay_page_count(struct assay_page *page, uint64_t number, const char *one, const char *many);
/* "0xa0 (160)" */
void assay_page_offset(struct assay_page *page, uint64_t offset);

enum assay_error assay_page_end(struct assay_page *page);

/* A number with separators of thousands; returns `out`. */
const char *assay_number_text(uint64_t number, char out[ASSAY_NUMBER_TEXT]);

#endif
