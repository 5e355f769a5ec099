/* One stream of an input while it is judged: the input's own, or one that a capture carries.
 * Streams of an input can be judged on several threads; their results are added one at a time, in
 * their order. Private to validator/. */
#ifndef ASSAY_VALIDATOR_STREAM_RUN_H
#define ASSAY_VALIDATOR_STREAM_RUN_H

#include "validator/engine/input.h"
#include "validator/engine/places.h"

struct assay_stream_run {
    struct assay_input_run *input;
    struct assay_stream_setup setup;
    struct assay_session session;
    struct assay_arena arena;        /* for what the result points to; the input's in the end */
    struct assay_places places;      /* of its findings, where it is carried */
    struct assay_witness *recording; /* of the recorded execution that is read; or null */
    const char *recording_path;
    bool refused;           /* it was not begun */
    enum assay_error error; /* why it was not judged to its end */
    struct assay_diag diag; /* the same in words */
};

/* Begins a stream with a setup, which is copied. */
void assay_stream_begin(struct assay_stream_run *stream, struct assay_input_run *input,
                        const struct assay_stream_setup *setup);

/* Decodes and judges a source; it and `execution` become the stream's. Where `execution` is null
 * the recorded execution of the setup is opened, if there is one. Changes nothing of the input. */
void assay_stream_judge(struct assay_stream_run *stream, struct assay_source *source,
                        struct assay_source *execution);

/* The same for a stream that the input carries, whose bytes are read once more. */
void assay_stream_judge_carried(struct assay_stream_run *stream);

/* Adds the result to that of the input: what was judged, or why a carried stream was not. Errors
 * are those of the whole input, of which the result of the input says more: ASSAY_NO_MEMORY, and
 * what is wrong with files that were given for all of it, or with its own stream. */
enum assay_error assay_stream_add(struct assay_stream_run *stream);

/* Adds a stream that is not judged, for a reason that is of no stream's bytes; where it is `idle`
 * there was nothing to judge, and the verdict of the others holds. */
enum assay_error assay_stream_add_unjudged(struct assay_input_run *input,
                                           const struct assay_stream_setup *setup,
                                           const struct assay_diag *why, bool idle);

/* Its result stays with the input. One at a time, too: what was read besides the trace is noted
 * with the input. */
void assay_stream_close(struct assay_stream_run *stream);

#endif
