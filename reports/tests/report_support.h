/* Results made by hand, of a format that does not exist: what the tests of writers write. */
#ifndef ASSAY_REPORTS_TESTS_REPORT_SUPPORT_H
#define ASSAY_REPORTS_TESTS_REPORT_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "reports/report.h"

/* Numbers of the rules of the catalogue. */
enum {
    RULE_SHOULD, /* is first, so that a test sees the order of levels */
    RULE_MUST,
    RULE_INFO,
    RULE_QUIET, /* this and the three after it have consecutive ids */
    RULE_QUIET_2,
    RULE_QUIET_3,
    RULE_NEEDS_EXECUTION,
    RULE_NEEDS_EXECUTION_2,
    RULE_NEEDS_FACTS,
    RULE_DIAGNOSIS, /* of violations of RULE_MUST */
    RULE_COUNT
};

enum { MOST_INPUTS = 64, MOST_FINDINGS = 8 };

/* A finding shows its event with one of its group and one on each side. */
enum { SHOWN_EVENT = 2, SHOWN_COUNT = 4 };

struct scenario {
    struct assay_results results;
    struct assay_input_result inputs[MOST_INPUTS];
    struct assay_stream_result streams[MOST_INPUTS]; /* one for each input */
    struct assay_rule_outcome outcomes[RULE_COUNT];  /* of the first input */
    struct assay_rule_total rules[RULE_COUNT + 1];   /* the last: of a format that no input has */
    struct assay_finding findings[RULE_COUNT][MOST_FINDINGS];
    struct assay_shown_event shown[RULE_COUNT][MOST_FINDINGS][SHOWN_COUNT];
    struct assay_located_finding placed[RULE_COUNT][MOST_FINDINGS];
    struct assay_reading_used readings[2];
    struct assay_option_used options[4];
};

/* One input that conforms: a rule passed, others are not exercised or not checkable. */
void scenario_conforms(struct scenario *scenario);

/* One input that violates a must rule three times and a should rule once. */
void scenario_violates(struct scenario *scenario);

/* The same with a diagnosis, at record 399; or with the diagnosis alone, and nothing violated. */
void scenario_diagnosed(struct scenario *scenario, bool violated);

/* Three inputs: one violates, one conforms, one is unreadable. */
void scenario_inputs(struct scenario *scenario);

/* One input of which a part could not be decoded. */
void scenario_incomplete(struct scenario *scenario);

/* One input that could not be read. */
void scenario_unreadable(struct scenario *scenario);

/* The one input of a scenario violates a must rule, and a waiver accepts it. */
void scenario_waives(struct scenario *scenario);

/* Adds an input that conforms. */
void scenario_add_input(struct scenario *scenario, const char *path);

/* Adds a finding of a rule; its values are `values`. */
void scenario_add_finding(struct scenario *scenario, size_t rule, size_t input, uint64_t index,
                          const char *message, const uint64_t *values);

/* What a writer writes; freed by the caller. */
char *written(const char *writer, const struct assay_results *results,
              const struct assay_report_style *style);

#endif
