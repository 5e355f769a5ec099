/* How events of all formats report the storage of a trace: the container and trailing bytes in the
 * `end` event, and the reason why the stored bytes ended early in a malformed event. */
#ifndef ASSAY_COMMON_STORAGE_H
#define ASSAY_COMMON_STORAGE_H

#include "io/filter.h"
#include "model/model.h"

/* The last faults of a format whose bytes may come through a filter. X(enumerator, name, meaning)
 */
#define ASSAY_STORAGE_FAULTS(X)                                                                    \
    X(CORRUPT_STREAM, "corrupt-stream", "the compressed data contradicts itself")                  \
    X(TRUNCATED_STREAM, "truncated-stream", "the compressed data ends before its stream does")     \
    X(UNSUPPORTED_STREAM, "unsupported-stream",                                                    \
      "the compressed data requires something that this build does not do")                        \
    X(READ_ERROR, "read-error", "the input could not be read further")

/* In their order: a format's own number is that of its CORRUPT_STREAM plus this. */
enum assay_storage_fault {
#define X(id, name, text) ASSAY_STORAGE_##id,
    ASSAY_STORAGE_FAULTS(X)
#undef X
};

/* The first fields of `end`, in its cells 0 to 2. D as in layout.h */
#define ASSAY_STORAGE_FIELDS(D)                                                                    \
    D(end, container, ENUM, 0, 0, 8, "how the records are stored", .names = &assay_containers)     \
    D(end, stream_fault, ENUM, 0, 8, 8, "why decompression stopped",                               \
      .names = &assay_stream_faults)                                                               \
    D(end, streams, UINT, 0, 16, 32, "compressed streams, one after the other, or chunks")         \
    D(end, trailing_bytes, UINT, 1, 0, 64, "after the last compressed stream", .unit = "bytes")    \
    D(end, stored_offset, UINT, 2, 0, 64, "place in the file where reading ended", .unit = "bytes")

/* Names of the containers (filter.h), and of errors. */
extern const struct assay_enumeration assay_containers;
extern const struct assay_enumeration assay_stream_faults;

/* ASSAY_NO_MEMORY if the source ended because it was out of memory, which is no fault of the trace;
 * else ASSAY_OK. */
enum assay_error assay_storage_check(const struct assay_source_status *status,
                                     struct assay_diag *diag);

/* The fault of a trace that corresponds to the fault of its source; not for ASSAY_OK. */
enum assay_storage_fault assay_storage_fault(enum assay_error fault);

/* Writes cells 0 to 2 of the `end` event of a trace in a container, whose source was read to its
 * end. */
void assay_storage_end(enum assay_container container, const struct assay_source_status *status,
                       uint64_t *cells);

#endif
