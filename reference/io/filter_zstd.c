/* libzstd: frames of RFC 8878. */
#include <stdio.h>

#include <zstd.h>
#include <zstd_errors.h>

#include "io/filter_codec.h"

/* 128 MiB, what `zstd -d` takes without an option (`zstd --long`). */
enum { WINDOW_LOG_MAX = 27 };

struct zstd_state {
    ZSTD_DCtx *decoder; /* owned, as is ... */
    ZSTD_CCtx *encoder; /* ... this */
};

static enum assay_error begin_decoding(void *pointer, enum assay_container container)
{
    (void)container;
    struct zstd_state *state = pointer;
    if (state->decoder == NULL) {
        state->decoder = ZSTD_createDCtx();
        if (state->decoder == NULL) {
            return ASSAY_NO_MEMORY;
        }
        const size_t set =
            ZSTD_DCtx_setParameter(state->decoder, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
        if (ZSTD_isError(set)) {
            return ASSAY_INTERNAL;
        }
    }
    ZSTD_DCtx_reset(state->decoder, ZSTD_reset_session_only);
    return ASSAY_OK;
}

static enum assay_error begin_encoding(void *pointer, enum assay_container container)
{
    (void)container;
    struct zstd_state *state = pointer;
    if (state->encoder == NULL) {
        state->encoder = ZSTD_createCCtx();
        if (state->encoder == NULL) {
            return ASSAY_NO_MEMORY;
        }
        if (ZSTD_isError(ZSTD_CCtx_setParameter(state->encoder, ZSTD_c_checksumFlag, 1))) {
            return ASSAY_INTERNAL;
        }
    }
    ZSTD_CCtx_reset(state->encoder, ZSTD_reset_session_only);
    return ASSAY_OK;
}

static enum assay_codec_result failed(size_t ret, struct assay_codec_fault *fault)
{
    switch (ZSTD_getErrorCode(ret)) {
    case ZSTD_error_prefix_unknown:
        return assay_codec_fail(fault, ASSAY_CORRUPT, "no header of this container is here");
    case ZSTD_error_frameParameter_windowTooLarge:
        return assay_codec_fail(fault, ASSAY_LIMIT,
                                "decompression needs a window larger than the limit of 128 MiB");
    case ZSTD_error_dictionary_wrong:
        return assay_codec_fail(fault, ASSAY_UNSUPPORTED, "the compressed data needs a dictionary");
    case ZSTD_error_version_unsupported:
    case ZSTD_error_frameParameter_unsupported:
        return assay_codec_fail(fault, ASSAY_UNSUPPORTED,
                                "the compressed data uses options that libzstd does not know");
    case ZSTD_error_memory_allocation:
        return assay_codec_fail(fault, ASSAY_NO_MEMORY, "libzstd could not have memory");
    case ZSTD_error_parameter_unsupported:
    case ZSTD_error_parameter_outOfBound:
    case ZSTD_error_stage_wrong:
    case ZSTD_error_init_missing:
        return assay_codec_fail(fault, ASSAY_INTERNAL, "libzstd was used wrongly");
    default:
        assay_codec_fail(fault, ASSAY_CORRUPT, "");
        snprintf(fault->detail, sizeof fault->detail, "the compressed data is damaged: %s",
                 ZSTD_getErrorName(ret));
        return ASSAY_CODEC_FAILED;
    }
}

/* Both directions return 0 when the frame is complete and all of it was put out; to decode, that is
 * also where the library stops taking input. When encoding it means that only after the end. */
static enum assay_codec_result step(void *pointer, struct assay_codec_buffers *buffers, bool finish,
                                    struct assay_codec_fault *fault)
{
    struct zstd_state *state = pointer;
    ZSTD_inBuffer in = {.src = buffers->in, .size = buffers->in_left};
    ZSTD_outBuffer out = {.dst = buffers->out, .size = buffers->out_left};
    const bool decoding = state->decoder != NULL;
    const size_t ret = decoding ? ZSTD_decompressStream(state->decoder, &out, &in)
                                : ZSTD_compressStream2(state->encoder, &out, &in,
                                                       finish ? ZSTD_e_end : ZSTD_e_continue);
    if (in.pos > 0) {
        buffers->in += in.pos;
        buffers->in_left -= in.pos;
    }
    buffers->out += out.pos;
    buffers->out_left -= out.pos;
    if (ZSTD_isError(ret)) {
        return failed(ret, fault);
    }
    return ret == 0 && (decoding || finish) ? ASSAY_CODEC_ENDED : ASSAY_CODEC_GOES_ON;
}

static void end(void *pointer)
{
    struct zstd_state *state = pointer;
    ZSTD_freeDCtx(state->decoder);
    ZSTD_freeCCtx(state->encoder);
}

const struct assay_codec assay_codec_zstd = {.state_size = sizeof(struct zstd_state),
                                             .begin_decoding = begin_decoding,
                                             .begin_encoding = begin_encoding,
                                             .step = step,
                                             .end = end};
