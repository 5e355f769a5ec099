/* A session: one stream while it is decoded and judged. Private to validator/. */
#ifndef ASSAY_VALIDATOR_SESSION_H
#define ASSAY_VALIDATOR_SESSION_H

#include "common/arena.h"
#include "validator/engine/check.h"
#include "validator/engine/conditions.h"

struct assay_session {
    const struct assay_check_options *options;
    const struct assay_stream_setup *setup; /* of this stream; its format is known */
    struct assay_arena *arena;              /* for what the result points to */
    struct assay_asked asked;               /* by the rules, of the instructions of runs */
    struct assay_decoder *decoder;
    struct assay_judge **judges; /* one for each catalogue of the format */
    size_t judge_count;
    struct assay_sampler *sampler; /* or null */
    unsigned layers;               /* that are decoded, from the lowest on */
    bool threaded;                 /* other threads may decompress and decode */
    struct assay_ahead *ahead;     /* or null: each block is decoded when the last one was judged */
    /* Called from time to time with the progress of the stream, the offset of the last event; or
     * null. */
    void (*progress)(void *context, uint64_t offset);
    void *progress_context;
    /* Told each finding as it is made; or null. */
    void (*found)(void *context, const struct assay_session *session,
                  const struct assay_catalogue *catalogue, const struct assay_finding *finding);
    void *found_context;
    bool interrupted;     /* the run was, before the stream ended */
    uint64_t last_offset; /* of the last event so far */
    bool filtered;        /* the decoder decompresses: offsets are not those of the source */
    struct assay_stream_result result;
};

/* The result's id, format and conclusion are set by the caller, for a session that is not run.
 * Decodes and judges all that a source gives; source and recorded execution (or null) become the
 * session's, also when it fails. Errors are those of the system, or of an input that cannot be
 * read at all. The session is to be closed in any case; the result stays. */
enum assay_error assay_session_run(struct assay_session *session, struct assay_source *source,
                                   struct assay_execution *execution, struct assay_diag *diag);

/* The parameters of a stream by defaults and configuration, checked together; `values` may be null
 * for a format without. ASSAY_USAGE: there is a configuration although the format has no
 * parameters, images although its decoder reads none, or the format has not this framing.
 * ASSAY_UNSUPPORTED: an image is of another machine than the format's. */
enum assay_error assay_configure(const struct assay_stream_setup *setup,
                                 struct assay_parameter_values *values, struct assay_diag *diag);

/* Also of a session that is zero-initialised. */
void assay_session_close(struct assay_session *session);

#endif
