/* A run of `assay check`, as its command line describes it. `assay merge` has the same from the
 * reports of shards, and puts its results together without judging anything. */
#ifndef ASSAY_VALIDATOR_PROGRAM_CHECK_RUN_H
#define ASSAY_VALIDATOR_PROGRAM_CHECK_RUN_H

#include <time.h>

#include "reports/baseline.h"
#include "validator/engine/evidence.h"
#include "validator/program/cache.h"
#include "validator/program/files.h"
#include "validator/program/given.h"
#include "validator/program/outputs.h"
#include "validator/program/paths.h"
#include "validator/program/progress.h"
#include "validator/program/selection.h"
#include "validator/program/shard.h"

/* The options of the command; a null name ends the list. */
extern const struct assay_option assay_check_options_list[];

/* An option that decides what is judged, or how. */
struct assay_argument {
    const struct assay_option *option;
    const char *value; /* null: it takes none */
};

struct assay_check_run {
    const struct assay_command *self;
    bool merged; /* nothing is judged: the files that judging needs are not read */
    struct assay_check_options options;
    struct assay_input input; /* what all inputs have in common */
    struct assay_selection selection;
    struct assay_options_noted noted;
    struct assay_argument *arguments; /* in their order; owned */
    size_t argument_count, argument_room;
    struct assay_facts facts;
    struct assay_outputs outputs;
    struct assay_files files;            /* that are read */
    struct assay_evidence_list evidence; /* of those that options name */
    struct assay_paths paths;
    struct assay_stop stop;
    struct assay_waivers waivers;
    struct assay_baseline *baseline;
    struct assay_given given;
    struct assay_progress shown;
    const char *rule_files[ASSAY_MAX_RULE_FILES];
    size_t rule_file_count;
    struct assay_image_set *images;
    struct assay_cache cache;
    struct assay_shard shard;                 /* of 0: the run is whole */
    struct assay_option_used *arguments_used; /* for its report; owned */
    const char *progress;
    bool verdict_exit;
};

/* A run with nothing but defaults. */
void assay_check_run_begin(struct assay_check_run *run, const struct assay_command *self);

/* Each function below that returns an int returns 0, or the exit status after having said what is
 * wrong. */

/* The options of a command line; -1 where nothing is left to do. argv[*index] is the first operand.
 */
int assay_check_run_read(struct assay_check_run *run, int argc, char **argv, int *index);

/* The same of arguments: those of a run that was judged elsewhere. */
int assay_check_run_replay(struct assay_check_run *run, const struct assay_argument *list,
                           size_t count);

/* The option with this name that decides what is judged, or how; null when it is none of these. */
const struct assay_option *assay_check_argument(const char *name);

/* The argument of --NAME that says when something is done: "auto", "always" or "never". */
int assay_check_when(const struct assay_command *command, const char *name, const char *value,
                     const char **when);

void assay_check_run_end(struct assay_check_run *run);

/* That SHA-256 can be computed: a report that is to have digests is worth nothing without them. */
int assay_check_digests(void);

/* Writes the reports of results, which the run completes by what it knows besides them. Returns the
 * exit status. */
int assay_check_run_finish(struct assay_check_run *run, struct assay_results *results,
                           const struct timespec *begun);

#endif
