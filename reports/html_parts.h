/* The parts of the HTML report. Private to reports/. */
#ifndef ASSAY_REPORTS_HTML_PARTS_H
#define ASSAY_REPORTS_HTML_PARTS_H

#include "reports/html_stream.h"
#include "reports/text.h"

/* The files of reports/html/, which are in each report. */
extern const unsigned char assay_html_style[];
extern const size_t assay_html_style_size;
extern const unsigned char assay_html_script[];
extern const size_t assay_html_script_size;

/* The report as it is written. */
struct assay_html {
    struct assay_sink *sink;
    const struct assay_results *results;
    const struct assay_causes *causes;
    const char *rule_pages;                  /* as of the style */
    struct assay_disassembler *disassembler; /* or null */
    struct assay_page page;                  /* of the text that is being written */
};

/* Text as in the text report: what is put to the page between these calls. Lines are at most 100
 * columns wide, or in one line as far as there is room. */
struct assay_page *assay_html_page_begin(struct assay_html *html, bool one_line);
void assay_html_page_end(struct assay_html *html);

/* Writes `before`, and begins a link to the page of a rule, which the caller ends with </a>. False:
 * it has none, and nothing is written. */
bool assay_html_link_page(struct assay_html *html, const char *before,
                          const struct assay_rule_total *total);

/* The clauses of the formats that were judged, in the order of the specification, by verdict. */
void assay_html_clauses(struct assay_html *html);

/* What is where in each stream: findings, tracks, kinds of events. */
void assay_html_timeline(struct assay_html *html);

/* The findings, by rules, in the order of causes. */
void assay_html_findings(struct assay_html *html);

/* "ASTF-0031-2": what the anchor of a finding ends with. */
void assay_html_anchor(struct assay_html *html, const struct assay_rule_total *total,
                       size_t number);

/* The event of a finding, field by field. */
void assay_html_fields(struct assay_html *html, const struct assay_rule_total *total,
                       const struct assay_located_finding *placed);

#endif
