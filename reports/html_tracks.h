/* The overview of a stream in the HTML report. Private to reports/. */
#ifndef ASSAY_REPORTS_HTML_TRACKS_H
#define ASSAY_REPORTS_HTML_TRACKS_H

#include "reports/html_parts.h"

/* The parts that a stream is drawn in, each of 2^shift bytes. */
struct assay_html_axis {
    unsigned shift;
    size_t count;
};

/* Rows of a table with a name, what is to be known of the whole, and a drawing. */
void assay_html_axis(struct assay_html *html, const struct assay_html_axis *axis);
void assay_html_tracks(struct assay_html *html, const struct assay_stream_result *stream);

/* A table for each layer with a row for each kind. */
void assay_html_kinds(struct assay_html *html, const struct assay_stream_result *stream);

#endif
