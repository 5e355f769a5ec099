/* Text in a document of HTML. */
#ifndef ASSAY_REPORTS_HTML_STREAM_H
#define ASSAY_REPORTS_HTML_STREAM_H

#include <stddef.h>

#include "io/sink.h"

/* Writes `size` characters of ASCII or UTF-8 as they are read in an element and in an attribute. */
void assay_html_escape(struct assay_sink *sink, const char *text, size_t size);

/* Text from anywhere: control characters, bytes that are no UTF-8, and characters that change the
 * direction of writing are shown as \xNN. */
void assay_html_text(struct assay_sink *sink, const char *text);

/* The name of a file: line feeds as \x0a, too, and a backslash as two. */
void assay_html_name(struct assay_sink *sink, const char *name);

/* The SHA-256 of a style or script, as a policy names it: "'sha256-...'". Fails where it cannot be
 * computed. */
enum { ASSAY_HTML_ALLOWED = 64 };
enum assay_error assay_html_allow(const unsigned char *data, size_t size,
                                  char allowed[ASSAY_HTML_ALLOWED]);

#endif
