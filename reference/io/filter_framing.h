/* Containers: the signature of each, and how its streams are read. Where frames of the container
 * enclose them, it says where a stream begins and reads what is between them, and the filter does
 * the rest. */
#ifndef ASSAY_COMMON_FILTER_FRAMING_H
#define ASSAY_COMMON_FILTER_FRAMING_H

#include "io/filter_codec.h"

struct assay_container_framing {
    /* Called wherever a stream can begin, on the filter's thread if it has one. `under` is at
     * that offset; `made` counts the decompressed bytes so far. True: a stream begins here. False:
     * none follows; what is left of `under` then is counted as trailing, unless a fault was set. */
    bool (*stream_follows)(void *context, struct assay_source *under, uint64_t made,
                           struct assay_codec_fault *fault);
    /* Called once, when the filter is closed or could not be opened; its thread has ended by then.
     * */
    void (*close)(void *context);
    void *context;
};

/* The framing of a source that assay_filter_open returned for a container with a framing. */
const struct assay_container_framing *assay_filter_framing(const struct assay_source *source);

/* A container: its signature, and how its bytes are decompressed. */
struct assay_container_kind {
    const char *name;
    bool (*matches)(const uint8_t *data, size_t size); /* its signature; null: it has none */
    const struct assay_codec *codec;                   /* decodes its streams; null: it has none */
    enum assay_container streams; /* the container of these streams: which the codec is told, and
                                     whose signature they have */
    /* Where frames of the container enclose the streams: reads the beginning of `under`, which
     * stays the caller's. Null: streams follow one another. */
    enum assay_error (*frame)(struct assay_source *under, struct assay_container_framing *framing);
};

/* The description of a container; that of UNKNOWN for a value outside the enumeration. */
const struct assay_container_kind *assay_container_kind(enum assay_container container);

#endif
