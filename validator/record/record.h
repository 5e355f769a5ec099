/* Records: all that judging an input gave, as JSON. From the records of its inputs a run's results
 * are put together as they would be had they been judged in it: by `assay merge`, of the reports of
 * shards; and by `assay check --cache`, which keeps them from one run to the next.
 *
 * A record is for a program of the same version with the same catalogues, in the same order: rules
 * are named by their numbers. Nothing of it is trusted. */
#ifndef ASSAY_VALIDATOR_RECORD_H
#define ASSAY_VALIDATOR_RECORD_H

#include <jansson.h>

#include "validator/engine/input.h"

/* What a record says is changed only together with this. */
#define ASSAY_RECORD_SCHEMA "assay-record/2"

/* How much the records of a run have of what its results hold only so much of. */
struct assay_record_kept {
    size_t findings;     /* at most ASSAY_MOST_FINDINGS */
    size_t overviews[2]; /* as assay_keeps_overview counts them */
};

/* The record of a run of an input, which has ended. `number` is the input's in the whole run. The
 * first of its findings, by rule, and of its overviews are in it, as long as there is room beside
 * what is kept already, to which they are added; how many findings are left out is in it, too. Null
 * when memory is out. */
json_t *assay_record_of(const struct assay_input_run *run, size_t number,
                        struct assay_record_kept *kept);

/* Fills the result and the tally of a run, of which only options and arena are set, from a record;
 * assay_input_close frees them. ASSAY_CORRUPT, the member that is missing or wrong in diag; or
 * ASSAY_NO_MEMORY. */
enum assay_error assay_record_read(const json_t *record, struct assay_input_run *run,
                                   struct assay_diag *diag);

#endif
