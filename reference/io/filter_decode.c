#include "io/filter_decode.h"

#include <stdlib.h>
#include <string.h>

enum {
    XZ_PADDING_UNIT = 4,
    PADDING_AT_ONCE = 1 << 16, /* skipped before looking whether to stop */
    INPUT_AT_ONCE = 1 << 20,   /* the same for what a step is given */
    TRAILING_MAX = 1 << 20,    /* trailing bytes are counted up to about here */
};

enum assay_error assay_decoding_open(struct assay_decoding *decoding, struct assay_source *under,
                                     const struct assay_container_kind *kind,
                                     const struct assay_container_framing *framing,
                                     const atomic_bool *stop)
{
    *decoding = (struct assay_decoding){.under = under,
                                        .container = kind->streams,
                                        .codec = kind->codec,
                                        .framing = *framing,
                                        .stop = stop};
    decoding->state = calloc(1, decoding->codec->state_size);
    if (decoding->state == NULL) {
        assay_decoding_close(decoding);
        return ASSAY_NO_MEMORY;
    }
    return ASSAY_OK;
}

void assay_decoding_close(struct assay_decoding *decoding)
{
    if (decoding->state != NULL) {
        decoding->codec->end(decoding->state);
        free(decoding->state);
    }
    assay_source_close(decoding->under);
    if (decoding->framing.close != NULL) {
        decoding->framing.close(decoding->framing.context);
    }
}

static void note_offset(struct assay_decoding *decoding)
{
    struct assay_source_status below;
    assay_source_status(decoding->under, &below);
    decoding->stored_offset = below.stored_offset;
}

static void end_streams(struct assay_decoding *decoding, enum assay_error error, const char *detail)
{
    note_offset(decoding);
    decoding->place = ASSAY_AFTER_STREAMS;
    if (error != ASSAY_OK) {
        assay_codec_fail(&decoding->fault, error, detail);
    }
}

/* The end because the source below ended: by its own fault, or else by `error`. */
static void end_with_input(struct assay_decoding *decoding, enum assay_error below,
                           enum assay_error error, const char *detail)
{
    if (below == ASSAY_OK) {
        end_streams(decoding, error, detail);
        return;
    }
    struct assay_source_status status;
    assay_source_status(decoding->under, &status);
    end_streams(decoding, below, status.detail);
}

/* Counts what follows the last stream, so that the input's end and its faults are met. */
static void count_trailing(struct assay_decoding *decoding)
{
    end_streams(decoding, ASSAY_OK, NULL);
    while (decoding->trailing_bytes < TRAILING_MAX && !atomic_load(decoding->stop)) {
        const uint8_t *data;
        size_t have;
        const enum assay_error below = assay_source_peek(decoding->under, 1, &data, &have);
        struct assay_source_status status;
        assay_source_status(decoding->under, &status);
        if (have == 0) {
            if (below != ASSAY_OK) {
                assay_codec_fail(&decoding->fault, below, status.detail);
            }
            decoding->trailing_bytes += status.trailing_bytes;
            return;
        }
        assay_source_consume(decoding->under, have);
        decoding->trailing_bytes += have;
    }
}

/* Stream padding of the .xz format, section 2.2: zeros, in multiples of four bytes. Says whether
 * some was there. */
static bool skip_padding(struct assay_decoding *decoding, const uint8_t *data, size_t have)
{
    static const uint8_t zeros[XZ_PADDING_UNIT];
    size_t n = 0;
    while (n < PADDING_AT_ONCE && have - n >= sizeof zeros &&
           memcmp(data + n, zeros, sizeof zeros) == 0) {
        n += sizeof zeros;
    }
    assay_source_consume(decoding->under, n);
    return n > 0;
}

/* libzstd may have been built to read frames of its early versions, too, which have other magics
 * and no limit of memory. */
static bool is_older_zstd(const struct assay_decoding *decoding, const uint8_t *data, size_t have)
{
    enum { MAGIC_BYTES = 4 };
    return decoding->container == ASSAY_CONTAINER_ZSTD && have >= MAGIC_BYTES &&
           !assay_container_matches(ASSAY_CONTAINER_ZSTD, data, have);
}

static bool framing_says_stream(struct assay_decoding *decoding)
{
    struct assay_codec_fault fault = {0};
    if (decoding->framing.stream_follows(decoding->framing.context, decoding->under, decoding->made,
                                         &fault)) {
        return true;
    }
    if (fault.error != ASSAY_OK) {
        end_streams(decoding, fault.error, fault.detail);
    } else {
        count_trailing(decoding);
    }
    return false;
}

/* The first stream has to be there, and the codec judges its header. After it, only what looks like
 * a stream is one. Where none follows, decoding is finished; after padding this is to be
 * called once more. */
static bool stream_follows(struct assay_decoding *decoding)
{
    const uint8_t *data;
    size_t have;
    const enum assay_error below =
        assay_source_peek(decoding->under, ASSAY_SIGNATURE_MAX, &data, &have);
    if (decoding->streams == 0) {
        if (have == 0) {
            end_with_input(decoding, below, ASSAY_TRUNCATED, "there is no compressed stream");
            return false;
        }
        if (is_older_zstd(decoding, data, have)) {
            end_streams(decoding, ASSAY_CORRUPT, "no header of this container is here");
            return false;
        }
    } else {
        if (decoding->container == ASSAY_CONTAINER_XZ && skip_padding(decoding, data, have)) {
            return false;
        }
        if (!assay_container_matches(decoding->container, data, have)) {
            count_trailing(decoding);
            return false;
        }
    }
    return true;
}

static void begin_stream(struct assay_decoding *decoding)
{
    const enum assay_error error =
        decoding->codec->begin_decoding(decoding->state, decoding->container);
    if (error != ASSAY_OK) {
        end_streams(decoding, error, "the decompressor could not be set up");
        return;
    }
    decoding->streams++;
    decoding->place = ASSAY_IN_STREAM;
}

/* One step of the codec; returns the number of bytes put to out. */
static size_t step(struct assay_decoding *decoding, uint8_t *out, size_t capacity)
{
    const uint8_t *data;
    size_t have;
    const enum assay_error below = assay_source_peek(decoding->under, 1, &data, &have);
    const size_t given = have < INPUT_AT_ONCE ? have : INPUT_AT_ONCE;
    struct assay_codec_buffers buffers = {
        .in = data, .in_left = given, .out = out, .out_left = capacity};
    const enum assay_codec_result result =
        decoding->codec->step(decoding->state, &buffers, false, &decoding->fault);
    const size_t used = given - buffers.in_left;
    const size_t made = capacity - buffers.out_left;
    assay_source_consume(decoding->under, used);

    if (result == ASSAY_CODEC_ENDED) {
        decoding->place = ASSAY_BETWEEN_STREAMS;
    } else if (result == ASSAY_CODEC_FAILED) {
        end_streams(decoding, ASSAY_OK, NULL);
    } else if (used == 0 && made == 0) {
        if (have == 0) {
            end_with_input(decoding, below, ASSAY_TRUNCATED,
                           "the input ends inside a compressed stream");
        } else {
            end_streams(decoding, ASSAY_CORRUPT, "the decompressor does not get on");
        }
    }
    return made;
}

static bool would_wait(struct assay_decoding *decoding)
{
    const uint8_t *data;
    size_t have;
    (void)assay_source_peek(decoding->under, 0, &data, &have);
    return have == 0;
}

size_t assay_decoding_read(struct assay_decoding *decoding, uint8_t *out, size_t capacity,
                           size_t enough)
{
    size_t made = 0;
    while (decoding->place != ASSAY_AFTER_STREAMS && made < capacity) {
        if (atomic_load(decoding->stop)) {
            end_streams(decoding, ASSAY_READ_FAILED, ASSAY_INTERRUPTED_DETAIL);
        } else if (made >= enough && would_wait(decoding)) {
            break;
        } else if (decoding->place == ASSAY_BETWEEN_STREAMS) {
            if (decoding->framing.stream_follows != NULL ? framing_says_stream(decoding)
                                                         : stream_follows(decoding)) {
                begin_stream(decoding);
            }
        } else {
            const size_t n = step(decoding, out + made, capacity - made);
            made += n;
            decoding->made += n;
        }
    }
    if (decoding->place != ASSAY_AFTER_STREAMS) {
        note_offset(decoding);
    }
    return made;
}
