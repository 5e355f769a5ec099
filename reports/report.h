/* The report writers, one file each; they read only `struct assay_results`. */
#ifndef ASSAY_REPORTS_REPORT_H
#define ASSAY_REPORTS_REPORT_H

#include "common/sink.h"
#include "validator/engine/results.h"

struct assay_report_style {
    bool color;    /* escape sequences of a terminal */
    bool terminal; /* output is a terminal that scrolls: the verdict is repeated in the last line */
    bool verbose;  /* all findings with their events, and all that was not judged */
    unsigned width; /* columns to wrap at; 0: not known, 100 are taken */
};

/* A kind of report, as --report names it. `write` returns the sink's error. */
struct assay_report_writer {
    const char *name;  /* "text", "json" */
    const char *doc;   /* one line for --help */
    bool wants_digest; /* the inputs' SHA-256 is in it */
    enum assay_error (*write)(const struct assay_results *results,
                              const struct assay_report_style *style, struct assay_sink *sink);
};

/* The kinds of reports of this build; a null name ends the list. */
extern const struct assay_report_writer assay_report_writers[];

#endif
