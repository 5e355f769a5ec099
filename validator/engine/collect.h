/* Collecting what inputs gave into the results of a run. Private to validator/. */
#ifndef ASSAY_VALIDATOR_COLLECT_H
#define ASSAY_VALIDATOR_COLLECT_H

#include "validator/engine/input.h"

struct assay_collection;

/* Whether the overview of a stream is kept, of which `kept` says how many are: of streams that
 * violate nothing, and of those that do. Counts it if so. */
bool assay_keeps_overview(const struct assay_stream_result *stream, size_t kept[2]);

/* Null when memory is out. */
struct assay_collection *assay_collection_open(const struct assay_check_options *options);

/* Adds an input's result and its tally; copies all that it keeps. */
enum assay_error assay_collect(struct assay_collection *collection,
                               const struct assay_input_run *run);

/* The results while more are to come: verdicts of rules, and waivers, are not final. */
const struct assay_results *assay_collection_so_far(const struct assay_collection *collection);

const struct assay_results *assay_collection_results(struct assay_collection *collection);

void assay_collection_close(struct assay_collection *collection);

#endif
