/* The reports of --report: the destination and style of each. */
#ifndef ASSAY_VALIDATOR_PROGRAM_OUTPUTS_H
#define ASSAY_VALIDATOR_PROGRAM_OUTPUTS_H

#include <pthread.h>

#include "reports/report.h"
#include "validator/engine/check.h"
#include "validator/program/files.h"
#include "validator/program/program.h"

enum { ASSAY_MAX_REPORTS = 8 };

struct assay_output {
    const struct assay_report_writer *writer;
    const char *path; /* "-": standard output */
    struct assay_sink sink;
};

struct assay_outputs {
    struct assay_output list[ASSAY_MAX_REPORTS];
    size_t count;
    const char *color;      /* "auto", "always", "never" */
    const char *rule_pages; /* URL of the pages of rules, or null */
    bool verbose;
    bool ended;           /* the run is over before they are begun */
    bool quiet;           /* nothing goes to standard output */
    pthread_mutex_t lock; /* of those that are written while the run lasts */
};

/* Each returns 0, or the exit status after having said what is wrong. */

/* "KIND" or "KIND=PATH" */
int assay_outputs_add(struct assay_outputs *outputs, const struct assay_command *command,
                      const char *value);

/* The value of --rule-pages. */
int assay_outputs_rule_pages(struct assay_outputs *outputs, const struct assay_command *command,
                             const char *value);

/* Without any a text report to standard output is added, unless --quiet was given. None may replace
 * a file that is read. */
int assay_outputs_check(struct assay_outputs *outputs, const struct assay_command *command,
                        struct assay_files *files);

/* Opens all of them; none when one cannot be. */
int assay_outputs_open(struct assay_outputs *outputs);

/* Whether a report holds digests. */
bool assay_outputs_want_digest(const struct assay_outputs *outputs);
/* Whether any report shows overviews of streams. */
bool assay_outputs_want_overview(const struct assay_outputs *outputs);

/* Begins those that are written while the run lasts, and has them told what the run finds. */
void assay_outputs_start(struct assay_outputs *outputs, const struct assay_results *results,
                         size_t inputs, struct assay_check_options *options);

/* Writes all of them and renames them to their paths. Returns `status`, or another exit status if
 * writing failed, which has been reported. */
int assay_outputs_write(struct assay_outputs *outputs, const struct assay_results *results,
                        int status);

/* Closes them without a report. */
void assay_outputs_discard(struct assay_outputs *outputs);

#endif
