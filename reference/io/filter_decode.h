/* The decoding side of a filter: reads stored bytes from the source below and returns decompressed
 * ones. It is used by one thread at a time. */
#ifndef ASSAY_COMMON_FILTER_DECODE_H
#define ASSAY_COMMON_FILTER_DECODE_H

#include "io/filter_framing.h"

enum assay_decoding_place { ASSAY_BETWEEN_STREAMS, ASSAY_IN_STREAM, ASSAY_AFTER_STREAMS };

struct assay_decoding {
    struct assay_source *under;     /* owned */
    enum assay_container container; /* of the streams */
    const struct assay_codec *codec;
    void *state;                            /* of the codec; owned */
    struct assay_container_framing framing; /* its functions are null when signatures decide */
    const atomic_bool *stop;                /* borrowed: reading ends soon after it is set */
    enum assay_decoding_place place;
    uint64_t streams;
    uint64_t made;          /* decompressed bytes */
    uint64_t stored_offset; /* of the lowest source */
    /* Once after the streams: */
    uint64_t trailing_bytes;
    struct assay_codec_fault fault;
};

/* Takes ownership of under, also when it fails. The framing is copied; all of it null: none. */
enum assay_error assay_decoding_open(struct assay_decoding *decoding, struct assay_source *under,
                                     const struct assay_container_kind *kind,
                                     const struct assay_container_framing *framing,
                                     const atomic_bool *stop);

/* Writes at most `capacity` bytes to `out` and returns their number. Stops early only when no
 * stream follows or at a fault (the cursor says which), or when at least `enough` bytes were
 * written and the next ones would have to be waited for. */
size_t assay_decoding_read(struct assay_decoding *decoding, uint8_t *out, size_t capacity,
                           size_t enough);

void assay_decoding_close(struct assay_decoding *decoding);

/* Whether these bytes begin a stream of the container. */
bool assay_container_matches(enum assay_container container, const uint8_t *data, size_t size);

/* The greatest number of bytes that assay_container_matches reads. */
enum { ASSAY_SIGNATURE_MAX = 14 };

#endif
