/* One input while it is judged: its own stream and those that it carries. Private to validator/. */
#ifndef ASSAY_VALIDATOR_INPUT_H
#define ASSAY_VALIDATOR_INPUT_H

#include "validator/engine/session.h"

struct assay_input_run {
    const struct assay_check_options *options;
    const struct assay_input *input;
    bool spare;    /* there are more jobs than inputs: this one may use several threads */
    uint64_t size; /* stored bytes, 0 when that is not known */
    struct assay_arena arena;
    struct assay_source *carrier;    /* its bytes once more, where it carries streams; or null */
    struct assay_session **sessions; /* one for each stream of the result, in its order */
    size_t session_count, session_room;
    struct assay_input_result result;
};

/* Judges the input, whose path is opened. The result says what is wrong with it; `result` and what
 * it points to are valid until the run is closed. ASSAY_NO_MEMORY is the only error. */
enum assay_error assay_input_run(struct assay_input_run *run);

/* The same from a source, which becomes the run's; so does that of an execution, or null. */
enum assay_error assay_input_run_source(struct assay_input_run *run, struct assay_source *source,
                                        struct assay_source *execution);

/* Where bytes of a stream are in the input: replaces offsets, in ascending order, if the stream
 * is carried by the input. They stay as they are when the input can no longer be read. */
void assay_input_locate(struct assay_input_run *run, size_t stream, uint64_t *offsets,
                        size_t count);

void assay_input_close(struct assay_input_run *run);

/* The order in which exit statuses win: unreadable, violates, incomplete, conforms. */
enum assay_conclusion assay_gravest(enum assay_conclusion a, enum assay_conclusion b);

#endif
