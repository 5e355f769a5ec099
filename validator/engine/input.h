/* One input while it is judged: its own stream and those that it carries. Private to validator/. */
#ifndef ASSAY_VALIDATOR_INPUT_H
#define ASSAY_VALIDATOR_INPUT_H

#include "validator/engine/bundle.h"
#include "validator/engine/tally.h"

struct assay_input_run {
    const struct assay_check_options *options;
    const struct assay_input *given; /* before its manifest was read; set when the run begins */
    const struct assay_input *input; /* as given; once it is opened that of the bundle */
    size_t number;                   /* of the input in the run */
    unsigned threads; /* that are its own: more than 1 where there are more jobs than inputs */
    uint64_t size;    /* stored bytes, 0 when that is not known */
    struct assay_arena arena;
    struct assay_bundle bundle;
    struct assay_witness *witness;       /* of its bytes; null where these are made of others */
    struct assay_tally tally;            /* of the streams that were judged */
    const struct assay_format *format;   /* of its own stream */
    struct assay_source *carrier;        /* its bytes once more, where it carries streams; or
                                            null */
    struct assay_stream_result *streams; /* of the result */
    size_t stream_room;
    struct assay_input_result result;
};

/* Judges the input, whose path is opened. The result says what is wrong with it; the result, what
 * it points to and the tally are valid until the run is closed. ASSAY_NO_MEMORY is the only error.
 */
enum assay_error assay_input_run(struct assay_input_run *run);

/* The same from a source, which becomes the run's; so does that of an execution, or null. */
enum assay_error assay_input_run_source(struct assay_input_run *run, struct assay_source *source,
                                        struct assay_source *execution);

/* Whether other threads may help with the input, to decompress and to digest. */
bool assay_input_threaded(const struct assay_input_run *run);

/* Has what is read of a source witnessed, unless it makes its bytes of another's; *witness is then
 * null. ASSAY_NO_MEMORY is the only error. */
enum assay_error assay_input_observe(const struct assay_input_run *run, struct assay_source *source,
                                     size_t files, struct assay_witness **witness);

/* Sets `error`, with a text where nobody has told of it in words. */
void assay_explain_error(enum assay_error error, struct assay_diag *diag);

/* The result of an input that an interrupted run has not come to. */
void assay_input_not_reached(struct assay_input_run *run);

void assay_input_close(struct assay_input_run *run);

/* The order in which exit statuses win: unreadable, violates, incomplete, conforms. */
enum assay_conclusion assay_most_severe(enum assay_conclusion a, enum assay_conclusion b);

#endif
