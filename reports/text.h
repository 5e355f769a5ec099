/* The parts of the text report. Private to reports/. */
#ifndef ASSAY_REPORTS_TEXT_H
#define ASSAY_REPORTS_TEXT_H

#include "reports/page.h"
#include "validator/engine/causes.h"

struct assay_disassembler;

/* The column at which what follows a label begins. */
enum { ASSAY_LABEL_COLUMN = 15 };

/* The colours of a verdict and of a level. */
enum assay_ink assay_conclusion_ink(enum assay_conclusion conclusion);
enum assay_ink assay_level_ink(unsigned level);

/* Begins a line with a label: "  judged       118 records". The caller writes the rest. */
void assay_text_label(struct assay_page *page, const char *label);

/* The profiles that an input was judged by: "stf-1.6"; of a capture "capture-1 and example-1", the
 * carrier's and its streams'. */
void assay_text_profiles(struct assay_page *page, const struct assay_input_result *input);

/* The streams with their formats, incomplete layers, parameters and readings in effect. */
void assay_text_streams(struct assay_page *page, const struct assay_results *results);

/* The coverage of the verdict: how much was judged, and what could not be. */
void assay_text_judged(struct assay_page *page, const struct assay_results *results);

/* What to fix first, followed by causes that do not count for the verdict. */
void assay_text_causes(struct assay_page *page, const struct assay_results *results,
                       const struct assay_causes *causes, bool all);

/* "record 17 (inst_32) at byte 0xcc (204) of a.stf" */
void assay_text_place(struct assay_page *page, const struct assay_results *results,
                      const struct assay_rule_total *total,
                      const struct assay_located_finding *place);

/* Findings, grouped by rule, in the order of causes. */
void assay_text_findings(struct assay_page *page, const struct assay_results *results,
                         const struct assay_causes *causes,
                         struct assay_disassembler *disassembler);

/* Inputs that could not be read, where there are several inputs, and a table of all inputs. */
void assay_text_unreadable(struct assay_page *page, const struct assay_results *results);
void assay_text_inputs(struct assay_page *page, const struct assay_results *results);

/* That the run was interrupted; files that changed; files that were found and not judged. */
void assay_text_evidence(struct assay_page *page, const struct assay_results *results);

/* Why an input could not be read, and what to do. */
void assay_text_error(struct assay_page *page, const struct assay_input_result *input);

/* How the run compares with an earlier one, in a line and in full; nothing where no baseline was
 * given. */
void assay_text_baseline_line(struct assay_page *page, const struct assay_results *results);
void assay_text_baseline(struct assay_page *page, const struct assay_results *results);

/* What was waived; nothing where no waivers were given. */
void assay_text_waivers(struct assay_page *page, const struct assay_results *results);

/* The rules that were not judged, and what the run does not certify, in full. */
void assay_text_unjudged(struct assay_page *page, const struct assay_results *results);

#endif
