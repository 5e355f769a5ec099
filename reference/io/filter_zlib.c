/* zlib: the zlib container (RFC 1950) and gzip (RFC 1952). */
#include <stdio.h>

#define ZLIB_CONST
#include <zlib.h>

#include "io/filter_codec.h"

/* zlib counts what it is given in unsigned int. */
enum { MEMORY_LEVEL = 8, GZIP_WINDOW = MAX_WBITS + 16, MOST_AT_ONCE = 1 << 30 };

enum direction { UNUSED, DECODING, ENCODING };

struct zlib_state {
    z_stream stream;
    enum direction direction;
};

static enum assay_error begun(struct zlib_state *state, int ret, enum direction direction)
{
    if (ret == Z_OK) {
        state->direction = direction;
        return ASSAY_OK;
    }
    return ret == Z_MEM_ERROR ? ASSAY_NO_MEMORY : ASSAY_INTERNAL;
}

static int window_of(enum assay_container container)
{
    return container == ASSAY_CONTAINER_GZIP ? GZIP_WINDOW : MAX_WBITS;
}

static enum assay_error begin_decoding(void *pointer, enum assay_container container)
{
    struct zlib_state *state = pointer;
    const int ret = state->direction == DECODING
                        ? inflateReset(&state->stream)
                        : inflateInit2(&state->stream, window_of(container));
    return begun(state, ret, DECODING);
}

static enum assay_error begin_encoding(void *pointer, enum assay_container container)
{
    struct zlib_state *state = pointer;
    const int ret = state->direction == ENCODING
                        ? deflateReset(&state->stream)
                        : deflateInit2(&state->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                                       window_of(container), MEMORY_LEVEL, Z_DEFAULT_STRATEGY);
    return begun(state, ret, ENCODING);
}

static enum assay_codec_result result_of(int ret, const char *message,
                                         struct assay_codec_fault *fault)
{
    switch (ret) {
    case Z_OK:
    case Z_BUF_ERROR:
        return ASSAY_CODEC_GOES_ON;
    case Z_STREAM_END:
        return ASSAY_CODEC_ENDED;
    case Z_DATA_ERROR:
        assay_codec_fail(fault, ASSAY_CORRUPT, "the compressed data is damaged");
        if (message != NULL) {
            snprintf(fault->detail, sizeof fault->detail, "the compressed data is damaged: %s",
                     message);
        }
        return ASSAY_CODEC_FAILED;
    case Z_NEED_DICT:
        return assay_codec_fail(fault, ASSAY_UNSUPPORTED,
                                "the compressed data needs a preset dictionary");
    case Z_MEM_ERROR:
        return assay_codec_fail(fault, ASSAY_NO_MEMORY, "zlib could not have memory");
    default:
        return assay_codec_fail(fault, ASSAY_INTERNAL, "zlib was used wrongly");
    }
}

static uInt bounded(size_t size)
{
    return (uInt)(size < MOST_AT_ONCE ? size : MOST_AT_ONCE);
}

static enum assay_codec_result step(void *pointer, struct assay_codec_buffers *buffers, bool finish,
                                    struct assay_codec_fault *fault)
{
    struct zlib_state *state = pointer;
    z_stream *stream = &state->stream;
    const uInt in = bounded(buffers->in_left);
    const uInt out = bounded(buffers->out_left);
    stream->next_in = buffers->in;
    stream->avail_in = in;
    stream->next_out = buffers->out;
    stream->avail_out = out;
    const bool last = finish && in == buffers->in_left;
    const int ret = state->direction == DECODING ? inflate(stream, Z_NO_FLUSH)
                                                 : deflate(stream, last ? Z_FINISH : Z_NO_FLUSH);
    buffers->in = stream->next_in;
    buffers->in_left -= in - stream->avail_in;
    buffers->out = stream->next_out;
    buffers->out_left -= out - stream->avail_out;
    return result_of(ret, stream->msg, fault);
}

static void end(void *pointer)
{
    struct zlib_state *state = pointer;
    if (state->direction == DECODING) {
        inflateEnd(&state->stream);
    } else if (state->direction == ENCODING) {
        deflateEnd(&state->stream);
    }
}

const struct assay_codec assay_codec_zlib = {.state_size = sizeof(struct zlib_state),
                                             .begin_decoding = begin_decoding,
                                             .begin_encoding = begin_encoding,
                                             .step = step,
                                             .end = end};
