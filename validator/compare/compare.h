/* A decoder, compared over the vectors of a corpus. */
#ifndef ASSAY_COMPARE_COMPARE_H
#define ASSAY_COMPARE_COMPARE_H

#include "validator/compare/corpus.h"
#include "validator/compare/decoder.h"
#include "validator/compare/events.h"

/* Of one vector. All but the first are failures. */
enum assay_compare_outcome {
    ASSAY_AGREES,
    ASSAY_DIFFERS, /* it writes other events, none that can be read, or without end */
    ASSAY_REFUSES, /* what conforms */
    ASSAY_ACCEPTS, /* what a decoder has to refuse */
    ASSAY_CRASH,
    ASSAY_HANG,
    ASSAY_COMPARE_OUTCOMES
};

/* "agrees", "differs" ... */
const char *assay_compare_outcome_name(enum assay_compare_outcome outcome);

struct assay_compared {
    const struct assay_corpus_vector *vector;
    bool run; /* false when the comparison was stopped before its end: it has no outcome */
    enum assay_compare_outcome outcome;
    uint64_t events;    /* that are the same */
    const char *reason; /* of an expected failure; else null */
    /* Of a failure; else null. */
    struct assay_failure {
        char what[320];
        char said[ASSAY_DECODER_SAID];
        struct assay_comparison comparison;
    } * failure;
};

struct assay_comparisons {
    const struct assay_decoder_command *decoder;
    const struct assay_corpus *corpus;
    const char *layer;           /* that is compared; null: all that the decoder gives */
    struct assay_compared *list; /* as many as vectors, in their order */
    unsigned jobs;
    /* Called after each vector, of which so many were run and so many of these failed, by one
     * thread at a time; or null. */
    void (*progress)(void *context, size_t run, size_t failed);
    void *progress_context;
    size_t run, failed; /* results */
};

/* Runs the decoder on each vector, until its stop is requested. `list` begins zero-initialised; it
 * is to be freed in any case. Errors: a file of the corpus is missing or altered, the decoder
 * cannot be run (it exits with 126 or 127), or the system fails. */
enum assay_error assay_compare(struct assay_comparisons *comparisons, struct assay_diag *diag);

void assay_comparisons_free(struct assay_comparisons *comparisons);

#endif
