/* The report writers, one file each; they read only `struct assay_results`. */
#ifndef ASSAY_REPORTS_REPORT_H
#define ASSAY_REPORTS_REPORT_H

#include "io/sink.h"
#include "validator/engine/results.h"

struct assay_report_style {
    bool color;    /* escape sequences of a terminal */
    bool terminal; /* output is a terminal that scrolls: the verdict is repeated in the last line */
    bool verbose;  /* all findings with their events, and all that was not judged */
    unsigned width;         /* columns to wrap at; 0: not known, 100 are taken */
    const char *rule_pages; /* the URL of the folder that `assay rules pages` wrote; null: none */
};

enum { ASSAY_URL_ROOM = 512 };

/* Writes the address of a rule's page in the folder `pages`. False: it has none, because `pages` is
 * null, or the rule is not one of the build, or the address is longer than `size`. */
bool assay_rule_page_url(const char *pages, const struct assay_rule_total *total, char *url,
                         size_t size);

/* What is written of a report while the run lasts; each call has written all that it tells when it
 * returns. Calls are made one after the other. Errors are kept by the sink. */
struct assay_report_live {
    /* Before anything is judged: of the results only digests and options are set. */
    void (*start)(const struct assay_results *results, size_t inputs, struct assay_sink *sink);
    /* As the listener of a run is told (assay_check_options). */
    void (*begun)(size_t number, const char *path, struct assay_sink *sink);
    void (*found)(const struct assay_found *found, struct assay_sink *sink);
    void (*judged)(const struct assay_results *results, size_t number, struct assay_sink *sink);
};

/* A kind of report, as --report names it. `write` returns the sink's error. */
struct assay_report_writer {
    const char *name;                     /* "text", "json" */
    const char *doc;                      /* one line for --help */
    bool wants_digest;                    /* the inputs' SHA-256 is in it */
    bool wants_overview;                  /* overviews of the streams are */
    const struct assay_report_live *live; /* then `write` writes only its end; or null */
    enum assay_error (*write)(const struct assay_results *results,
                              const struct assay_report_style *style, struct assay_sink *sink);
};

/* Writes the whole report of a run that has ended, also one that is else written while it lasts. */
enum assay_error assay_report_write(const struct assay_report_writer *writer,
                                    const struct assay_results *results,
                                    const struct assay_report_style *style,
                                    struct assay_sink *sink);

/* The kinds of reports of this build; a null name ends the list. */
extern const struct assay_report_writer assay_report_writers[];

#endif
