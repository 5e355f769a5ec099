/* liblzma: .xz and .lzma. */
#include <lzma.h>

#include "io/filter_codec.h"

enum { PRESET = 6 };

/* The largest dictionary that encoders make is of 1.5 GiB; `xz -d` has no limit. Memory is touched
 * only as far as a dictionary is filled. */
static const uint64_t decoder_memory = ((uint64_t)1536 + 16) << 20;

static enum assay_error begun(lzma_ret ret)
{
    switch (ret) {
    case LZMA_OK:
        return ASSAY_OK;
    case LZMA_MEM_ERROR:
        return ASSAY_NO_MEMORY;
    case LZMA_OPTIONS_ERROR:
        return ASSAY_UNSUPPORTED;
    default:
        return ASSAY_INTERNAL;
    }
}

/* A state of zeros is LZMA_STREAM_INIT, and one that was used keeps its memory for the next. */
static enum assay_error begin_decoding(void *state, enum assay_container container)
{
    lzma_stream *stream = state;
    return begun(container == ASSAY_CONTAINER_XZ
                     ? lzma_stream_decoder(stream, decoder_memory, LZMA_TELL_UNSUPPORTED_CHECK)
                     : lzma_alone_decoder(stream, decoder_memory));
}

static enum assay_error begin_encoding(void *state, enum assay_container container)
{
    lzma_stream *stream = state;
    if (container == ASSAY_CONTAINER_XZ) {
        return begun(lzma_easy_encoder(stream, PRESET, LZMA_CHECK_CRC64));
    }
    lzma_options_lzma options;
    if (lzma_lzma_preset(&options, PRESET)) {
        return ASSAY_UNSUPPORTED;
    }
    return begun(lzma_alone_encoder(stream, &options));
}

static enum assay_codec_result result_of(lzma_ret ret, struct assay_codec_fault *fault)
{
    switch (ret) {
    case LZMA_OK:
    case LZMA_BUF_ERROR:
        return ASSAY_CODEC_GOES_ON;
    case LZMA_STREAM_END:
        return ASSAY_CODEC_ENDED;
    case LZMA_DATA_ERROR:
        return assay_codec_fail(fault, ASSAY_CORRUPT, "the compressed data is damaged");
    case LZMA_FORMAT_ERROR:
        return assay_codec_fail(fault, ASSAY_CORRUPT, "no header of this container is here");
    case LZMA_MEMLIMIT_ERROR:
        return assay_codec_fail(
            fault, ASSAY_LIMIT,
            "decompression needs a dictionary larger than the limit of 1.5 GiB");
    case LZMA_OPTIONS_ERROR:
        return assay_codec_fail(fault, ASSAY_UNSUPPORTED,
                                "the compressed data uses options that liblzma does not know");
    case LZMA_UNSUPPORTED_CHECK:
        return assay_codec_fail(fault, ASSAY_UNSUPPORTED,
                                "the integrity check is of a type that liblzma does not know");
    case LZMA_MEM_ERROR:
        return assay_codec_fail(fault, ASSAY_NO_MEMORY, "liblzma could not have memory");
    default:
        return assay_codec_fail(fault, ASSAY_INTERNAL, "liblzma was used wrongly");
    }
}

static enum assay_codec_result step(void *state, struct assay_codec_buffers *buffers, bool finish,
                                    struct assay_codec_fault *fault)
{
    lzma_stream *stream = state;
    stream->next_in = buffers->in;
    stream->avail_in = buffers->in_left;
    stream->next_out = buffers->out;
    stream->avail_out = buffers->out_left;
    const lzma_ret ret = lzma_code(stream, finish ? LZMA_FINISH : LZMA_RUN);
    buffers->in = stream->next_in;
    buffers->in_left = stream->avail_in;
    buffers->out = stream->next_out;
    buffers->out_left = stream->avail_out;
    return result_of(ret, fault);
}

static void end(void *state)
{
    lzma_end(state);
}

const struct assay_codec assay_codec_liblzma = {.state_size = sizeof(lzma_stream),
                                                .begin_decoding = begin_decoding,
                                                .begin_encoding = begin_encoding,
                                                .step = step,
                                                .end = end};
