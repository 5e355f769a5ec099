/* The interface to the compression libraries: one table of functions for each, the only thing that
 * filters and compressors use of them.
 */
#ifndef ASSAY_COMMON_FILTER_CODEC_H
#define ASSAY_COMMON_FILTER_CODEC_H

#include "io/filter.h"
#include "io/source_private.h"

/* The buffers of a step, which advances the pointers and reduces the sizes. */
struct assay_codec_buffers {
    const uint8_t *in;
    size_t in_left;
    uint8_t *out;
    size_t out_left;
};

struct assay_codec_fault {
    enum assay_error error;
    char detail[ASSAY_DETAIL_SIZE];
};

enum assay_codec_result {
    ASSAY_CODEC_GOES_ON, /* or made no progress: the caller sees that in the sizes */
    ASSAY_CODEC_ENDED,   /* the stream is complete, its check was right */
    ASSAY_CODEC_FAILED, /* the data is corrupt; the output so far is valid as far as the library can
                           tell */
};

struct assay_codec {
    size_t state_size; /* of a state; it starts as zeros */
    /* Begin a stream; the state may have been used for one in the same direction before. */
    enum assay_error (*begin_decoding)(void *state, enum assay_container container);
    enum assay_error (*begin_encoding)(void *state, enum assay_container container);
    /* finish (encoding only): no further input follows that in the buffers. */
    enum assay_codec_result (*step)(void *state, struct assay_codec_buffers *buffers, bool finish,
                                    struct assay_codec_fault *fault);
    /* Frees what the state owns; also for a state that never began. */
    void (*end)(void *state);
};

extern const struct assay_codec assay_codec_liblzma;
extern const struct assay_codec assay_codec_zlib;
extern const struct assay_codec assay_codec_zstd;

enum assay_codec_result assay_codec_fail(struct assay_codec_fault *fault, enum assay_error error,
                                         const char *detail);

#endif
