/* What the kinds of sources share: the window that a reader looks at, and the table of a kind. */
#ifndef ASSAY_COMMON_SOURCE_PRIVATE_H
#define ASSAY_COMMON_SOURCE_PRIVATE_H

#include <stdatomic.h>

#include "common/source.h"
#include "common/stop.h"
#include "common/witness.h"

enum { ASSAY_DETAIL_SIZE = sizeof(((struct assay_source_status *)0)->detail) };

/* The table of a kind of source. */
struct assay_source_kind {
    /* Called when the window is shorter than want. Lengthens it until it is not (it may move), or
     * calls assay_source_end when the input ends before that. */
    void (*fill)(struct assay_source *source, size_t want);
    /* Sets what is known of the stored form; fault and detail are set by the caller. */
    void (*status)(const struct assay_source *source, struct assay_source_status *status);
    /* Wakes whoever waits, after `interrupted` was set; may do only what a signal handler may. Null
     * where nothing ever waits. */
    void (*interrupt)(struct assay_source *source);
    /* Opens another source over the same bytes, from the first on; null where they come only once.
     */
    enum assay_error (*again)(const struct assay_source *source, struct assay_source **other);
    /* Begins to show the bytes to source->witness; null where these are not the stored ones. */
    void (*witness)(struct assay_source *source);
    /* Frees the source and what it owns. */
    void (*close)(struct assay_source *source);
};

/* The first member of each source. */
struct assay_source {
    const uint8_t *at;   /* the window: the bytes that are in memory and not yet consumed */
    const uint8_t *end;  /* one past the window */
    uint64_t end_offset; /* of `end`, in bytes since the source was opened */
    const struct assay_source_kind *kind;
    bool ended;             /* nothing follows the window */
    enum assay_error fault; /* once ended: why; ASSAY_OK at the proper end */
    char detail[ASSAY_DETAIL_SIZE];
    bool *filtered;                /* assay_source_watch; or null */
    struct assay_witness *witness; /* assay_source_witness; or null */
    const struct assay_stop *stop; /* assay_source_stop; or null */
    atomic_bool interrupted;
};

/* A buffer that a source reads into: ASSAY_PEEK_MAX bytes for what is left of the last filling,
 * then the body, which is aligned and at least ASSAY_PEEK_MAX bytes long. */
struct assay_source_buffer {
    uint8_t *memory; /* owned */
    size_t size;     /* head and body */
};

/* Puts the window, empty, at the start of the body; false when memory cannot be had. */
bool assay_source_buffer_open(struct assay_source_buffer *buffer, size_t body,
                              struct assay_source *source);

/* The memory after the window where further bytes go, and its size in *capacity. There is space for
 * a window of `want` bytes and never only for a few: the window then moves. */
uint8_t *assay_source_make_room(struct assay_source *source,
                                const struct assay_source_buffer *buffer, size_t want,
                                size_t *capacity);

/* Adds n bytes, already written after the window, to it. */
void assay_source_lengthen(struct assay_source *source, size_t n);

/* Nothing follows the window. detail may be null. */
void assay_source_end(struct assay_source *source, enum assay_error fault, const char *detail);

bool assay_source_is_interrupted(struct assay_source *source);

/* The detail of a source that ended because it was interrupted, with ASSAY_READ_FAILED. */
#define ASSAY_INTERRUPTED_DETAIL "reading was interrupted"

/* Aligned memory for reading into; free() frees it. Null when it cannot be had. */
void *assay_source_allocate(size_t size);

static inline size_t assay_source_left(const struct assay_source *source)
{
    return (size_t)(source->end - source->at);
}

#endif
