/* Decompression filters: a source over a source. They know no trace format. */
#ifndef ASSAY_COMMON_FILTER_H
#define ASSAY_COMMON_FILTER_H

#include "io/sink.h"
#include "io/source.h"

/* X(enumerator, name, description) */
#define ASSAY_CONTAINERS(X)                                                                        \
    X(RAW, "raw", "plain bytes")                                                                   \
    X(XZ, "xz", ".xz container of liblzma")                                                        \
    X(LZMA, "lzma", ".lzma (LZMA alone) container of liblzma")                                     \
    X(ZLIB, "zlib", "zlib container (RFC 1950)")                                                   \
    X(GZIP, "gzip", "gzip container (RFC 1952)")                                                   \
    X(ZSTD, "zstd", "zstd frames (RFC 8878)")                                                      \
    X(ZSTF, "zstf", "chunks of zstd with an index")                                                \
    X(UNKNOWN, "unknown", "none of the known containers")

enum assay_container {
#define X(id, name, text) ASSAY_CONTAINER_##id,
    ASSAY_CONTAINERS(X)
#undef X
        ASSAY_CONTAINER_COUNT
};

const char *assay_container_name(enum assay_container container);

/* The container of this name in a set: ASSAY_CONTAINER_BIT(XZ) | ...; UNKNOWN if it has none. */
#define ASSAY_CONTAINER_BIT(id) (1u << ASSAY_CONTAINER_##id)
enum assay_container assay_container_by_name(const char *name, unsigned set);

/* The container at the source's current offset, by signature alone; nothing is consumed. UNKNOWN
 * if there is none (never RAW: whether uncompressed bytes are a trace is not known here). .lzma has
 * no magic: it is recognised by a properties byte below 225, a dictionary size of 2^n or 2^n +
 * 2^(n-1) bytes from 4 KiB on (or all ones), an uncompressed size that is either unknown or below
 * 2^56, and a first coded byte, where there is one, of 0. zstd is recognised by the magic of a
 * frame, also of a skippable one. */
enum assay_container assay_container_probe(struct assay_source *source);

/* A source of the decompressed bytes of `under` from its current offset on; takes ownership of it,
 * also when it fails. RAW gives `under` itself. Further streams of the same container that follow
 * immediately (for xz: after padding in multiples of four bytes) are decoded as a continuation;
 * other bytes after the last stream are counted as trailing. Each zstd frame is a stream, skippable
 * ones too. No stream at all is ASSAY_TRUNCATED. With threaded, decompression runs on its own
 * thread, in blocks that are handed on when full. The dictionary of xz and lzma is limited to 1.5
 * GiB, the window of a zstd frame to 128 MiB (a stream that requires more is ASSAY_LIMIT), the
 * memory of the blocks to 2 MiB, whatever the decompressed size. What a source of chunks reports
 * besides its bytes: zstf.h. */
enum assay_error assay_filter_open(struct assay_source *under, enum assay_container container,
                                   bool threaded, struct assay_source **source,
                                   struct assay_diag *diag);

/* A sink-like compressor: bytes written to it reach `under` compressed as one stream, with the
 * libraries' usual settings (xz: preset 6, CRC64; lzma: preset 6; zlib and gzip: level 6; zstd:
 * level 3, with the checksum; zstf: in chunks of ASSAY_ZSTF_CHUNK_INSTRUCTIONS, to a sink that can
 * be patched). RAW copies. An error is remembered; further writes do nothing.
 * assay_compressor_end completes the stream, frees the compressor (null is allowed) and gives the
 * first error; `under` stays the caller's and is not flushed. */
struct assay_compressor;
enum assay_error assay_compressor_open(struct assay_sink *under, enum assay_container container,
                                       struct assay_compressor **compressor,
                                       struct assay_diag *diag);
enum assay_error assay_compressor_write(struct assay_compressor *compressor, const void *data,
                                        size_t size);
/* For zstf only, for its index: to be called after the record of each instruction with the address
 * of the next one. */
enum assay_error assay_compressor_end_instruction(struct assay_compressor *compressor,
                                                  uint64_t next_pc);
enum assay_error assay_compressor_end(struct assay_compressor *compressor);

#endif
