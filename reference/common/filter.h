/* Decompression filters: a source over a source. They know no trace format. */
#ifndef ASSAY_COMMON_FILTER_H
#define ASSAY_COMMON_FILTER_H

#include "common/sink.h"
#include "common/source.h"

/* X(enumerator, name, description) */
#define ASSAY_CONTAINERS(X)                                                                        \
    X(RAW, "raw", "plain bytes")                                                                   \
    X(XZ, "xz", ".xz container of liblzma")                                                        \
    X(LZMA, "lzma", ".lzma (LZMA alone) container of liblzma")                                     \
    X(ZLIB, "zlib", "zlib container (RFC 1950)")                                                   \
    X(GZIP, "gzip", "gzip container (RFC 1952)")                                                   \
    X(UNKNOWN, "unknown", "none of the known containers")

enum assay_container {
#define X(id, name, text) ASSAY_CONTAINER_##id,
    ASSAY_CONTAINERS(X)
#undef X
        ASSAY_CONTAINER_COUNT
};

const char *assay_container_name(enum assay_container container);

/* The container at the source's present place, by signature alone; nothing is consumed. .lzma has
 * no magic: it is told by a properties byte below 225, a plausible dictionary size and an
 * uncompressed size that is either unknown or below 2^56. */
enum assay_container assay_container_probe(struct assay_source *source);

/* A source of the decompressed bytes of `under` from its present place on; takes ownership of it,
 * also when it fails. Further streams of the same container that follow at once (for xz: after
 * padding) are decoded as a continuation; other bytes after the last stream are counted as
 * trailing. With threaded, decompression runs on its own thread, at most four blocks of
 * ASSAY_PEEK_MAX bytes ahead. Decoder memory is limited to 128 MiB (a stream that asks for more is
 * ASSAY_LIMIT). */
enum assay_error assay_filter_open(struct assay_source *under, enum assay_container container,
                                   bool threaded, struct assay_source **source,
                                   struct assay_diag *diag);

/* A sink-like compressor: bytes written to it reach `under` compressed as one stream. Ending it
 * completes the stream; `under` stays the caller's. RAW copies. */
struct assay_compressor;
enum assay_error assay_compressor_open(struct assay_sink *under, enum assay_container container,
                                       struct assay_compressor **compressor,
                                       struct assay_diag *diag);
enum assay_error assay_compressor_write(struct assay_compressor *compressor, const void *data,
                                        size_t size);
enum assay_error assay_compressor_end(struct assay_compressor *compressor);

#endif
