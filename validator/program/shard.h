/* --shard I/N: which inputs a shard is dealt, and the records of them in its report. */
#ifndef ASSAY_VALIDATOR_PROGRAM_SHARD_H
#define ASSAY_VALIDATOR_PROGRAM_SHARD_H

#include "reports/shard.h"
#include "validator/engine/check.h"
#include "validator/program/paths.h"
#include "validator/program/program.h"
#include "validator/record/record.h"

enum { ASSAY_MOST_SHARDS = 65536 };

struct assay_shard {
    unsigned number, of; /* from 1; of 0: the run is whole */
    size_t *dealt;       /* positions in the list of all inputs, ascending; owned */
    size_t count;
    struct assay_record_kept kept; /* in the records so far */
    struct assay_digest digest;
    struct assay_shard_result result; /* its file is owned */
};

/* Each function that returns an int returns 0, or the exit status after having said what is wrong.
 */

/* "I/N" */
int assay_shard_option(const struct assay_command *command, const char *value,
                       struct assay_shard *shard);

/* Deals the inputs, by their sizes: the largest first, each to the shard that has the least until
 * then. It depends on nothing but the list and the sizes. */
int assay_shard_deal(struct assay_shard *shard, const struct assay_paths *paths);

/* Opens the file in which records wait for the report. */
int assay_shard_open(struct assay_shard *shard);

/* The `added` of a recorder (engine/check.h) whose context is the shard. */
enum assay_error assay_shard_added(void *shard, const struct assay_input_run *run);

/* Once all inputs were added. */
int assay_shard_end(struct assay_shard *shard);

/* Allowed for one that is zero-initialised. */
void assay_shard_close(struct assay_shard *shard);

#endif
