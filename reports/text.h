/* The parts of the text report. Private to reports/. */
#ifndef ASSAY_REPORTS_TEXT_H
#define ASSAY_REPORTS_TEXT_H

#include "reports/page.h"

/* The colour of a verdict. */
enum assay_ink assay_conclusion_ink(enum assay_conclusion conclusion);

/* Where several rules failed: a line for each. */
void assay_text_overview(struct assay_page *page, const struct assay_results *results);

/* Findings, grouped by rule, the gravest level first. */
void assay_text_findings(struct assay_page *page, const struct assay_results *results);

/* Inputs that could not be read, where there are several inputs, and a table of all inputs. */
void assay_text_unreadable(struct assay_page *page, const struct assay_results *results);
void assay_text_inputs(struct assay_page *page, const struct assay_results *results);

/* Why an input could not be read, and what to do. */
void assay_text_error(struct assay_page *page, const struct assay_input_result *input);

/* What was waived; nothing where no waivers were given. */
void assay_text_waivers(struct assay_page *page, const struct assay_results *results);

/* Rules that the run says nothing about, and what it does not certify. */
void assay_text_unjudged(struct assay_page *page, const struct assay_results *results);

#endif
