/* The results of the trials of each kind of corruption, and the page that documents them. */
#ifndef ASSAY_DETECTION_PAGE_H
#define ASSAY_DETECTION_PAGE_H

#include <stdio.h>

#include "subject.h"

struct detection_count {
    unsigned trials;
    unsigned must[DETECTION_COLUMNS];   /* a must rule fails that did not fail before */
    unsigned should[DETECTION_COLUMNS]; /* so does one of level should or must, or the verdict is
                                           incomplete */
};

/* The trials of one sort of traces. */
struct detection_tally {
    const struct detection_table *table;
    const char *traces;             /* "recorded", "model" */
    bool accompanied;               /* there is what the second column is judged with */
    struct detection_count *counts; /* of each kind; owned */
};

struct detection_trials {
    uint64_t seed;
    unsigned count;   /* of each kind */
    const char *keep; /* a folder for traces that are missed, or found though legal; or null */
};

/* Tries each kind. */
enum assay_error detection_try(const struct detection_subjects *subjects,
                               const struct detection_table *table,
                               const struct detection_trials *trials, struct detection_tally *tally,
                               struct assay_diag *diag);

/* The heading and the table of a tally, as Markdown. */
void detection_print(const struct detection_tally *tally, FILE *out);

/* Why kinds are missed, and the gaps, as Markdown. */
void detection_print_reasons(const struct detection_table *table, FILE *out);

/* Whether the page has the table's kinds as rows under the heading of the tally, and this tally
 * keeps what its rows promise: where a row says 100 % in a column that shows the violation all
 * trials were caught at that level, and where a legal one says 0 % none was. Reports deviations on
 * standard error. */
bool detection_agrees(const struct detection_tally *tally, const char *page);

/* Whether a trial in which rules of the kind's level fail in some columns, a bit for each, is what
 * the kind says: caught by what shows it, and not at all if it is legal. */
bool detection_caught_as_stated(const struct detection_corruption *kind, unsigned columns);

/* Whether a tally is what its table says: all is caught by what shows it, but for gaps, and a gap
 * is one. */
bool detection_is_as_stated(const struct detection_tally *tally);

#endif
