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

/* The verdict, in a line that is not wrapped. */
void assay_text_verdict(struct assay_page *page, const struct assay_results *results);

/* The streams with their formats, incomplete layers, parameters and readings in effect; `all`
 * parameters, or the number of those that are as by default. */
void assay_text_streams(struct assay_page *page, const struct assay_results *results, bool all);

/* The coverage of the verdict: how much was judged, and what could not be. */
void assay_text_judged(struct assay_page *page, const struct assay_results *results);

/* What to fix first, followed by causes that do not count for the verdict. */
void assay_text_causes(struct assay_page *page, const struct assay_results *results,
                       const struct assay_causes *causes, bool all);

/* Of the n-th cause: how often, by which clauses, where first, and what it probably comes from. */
void assay_text_cause(struct assay_page *page, const struct assay_results *results,
                      const struct assay_causes *causes, size_t n);

/* Diagnoses that explain nothing that failed. */
void assay_text_noticed(struct assay_page *page, const struct assay_results *results,
                        const struct assay_causes *causes);

/* "record 17 (inst_32) at byte 0xcc (204) of a.stf" */
void assay_text_place(struct assay_page *page, const struct assay_results *results,
                      const struct assay_rule_total *total,
                      const struct assay_located_finding *place);

/* Findings, grouped by rule, in the order of causes. */
void assay_text_findings(struct assay_page *page, const struct assay_results *results,
                         const struct assay_causes *causes,
                         struct assay_disassembler *disassembler);

/* What a rule demands: its clauses, its condition, and the readings in effect. */
void assay_text_demand(struct assay_page *page, const struct assay_results *results,
                       const struct assay_rule_total *total);

/* "violated 3 times in 17 checks", in the current line. */
void assay_text_count(struct assay_page *page, const struct assay_results *results,
                      const struct assay_rule_total *total);

/* The places of a rule that are not shown, if any. */
void assay_text_hidden(struct assay_page *page, const struct assay_rule_total *total);

/* Of a finding: what was expected and found, and the events of its group. */
void assay_text_finding(struct assay_page *page, const struct assay_rule_total *total,
                        const struct assay_finding *finding,
                        struct assay_disassembler *disassembler);

/* The command that shows a rule, or where it is. */
void assay_text_rule(struct assay_page *page, const struct assay_rule_total *total);

/* The commands that show more of a rule and of its finding, which may be null. */
void assay_text_next(struct assay_page *page, const struct assay_results *results,
                     const struct assay_rule_total *total,
                     const struct assay_located_finding *placed);

/* Inputs that could not be read, where there are several inputs, and a table of all inputs. */
void assay_text_unreadable(struct assay_page *page, const struct assay_results *results);
void assay_text_inputs(struct assay_page *page, const struct assay_results *results);

/* That the run was interrupted; files that changed; files that were found and not judged. */
void assay_text_evidence(struct assay_page *page, const struct assay_results *results);

/* Why an input could not be read, and what to do. */
void assay_text_error(struct assay_page *page, const struct assay_input_result *input);

/* "2 new violations, 14 known, 1 gone since old.json", of a run with a baseline. */
void assay_text_baseline_counts(struct assay_page *page, const struct assay_results *results);

/* How the run compares with an earlier one, in a line and in full; nothing where no baseline was
 * given. */
void assay_text_baseline_line(struct assay_page *page, const struct assay_results *results);
void assay_text_baseline(struct assay_page *page, const struct assay_results *results);

/* What was waived; nothing where no waivers were given. */
void assay_text_waivers(struct assay_page *page, const struct assay_results *results);

/* The rules that were not judged, and what the run does not certify, in full. */
void assay_text_unjudged(struct assay_page *page, const struct assay_results *results);

#endif
