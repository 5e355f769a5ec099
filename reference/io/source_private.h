/* Shared by all kinds of sources: the window that readers see, and the table of functions of a
 * kind. */
#ifndef ASSAY_COMMON_SOURCE_PRIVATE_H
#define ASSAY_COMMON_SOURCE_PRIVATE_H

#include <stdatomic.h>

#include "common/stop.h"
#include "io/source.h"
#include "io/witness.h"

enum { ASSAY_DETAIL_SIZE = sizeof(((struct assay_source_status *)0)->detail) };

/* The table of a kind of source. */
struct assay_source_kind {
    /* Called when the window is shorter than want. Lengthens it until it is not (it may move), or
     * calls assay_source_end when the input ends before that. */
    void (*fill)(struct assay_source *source, size_t want);
    /* assay_source_pauses, when the window is shorter than want and may become longer; null if it
     * never does. */
    bool (*pauses)(struct assay_source *source, size_t want);
    /* Sets the members about the stored form; the caller sets fault and detail. */
    void (*status)(const struct assay_source *source, struct assay_source_status *status);
    /* Wakes all waiting threads, after `interrupted` was set; async-signal-safe. Null if nothing
     * ever waits. */
    void (*interrupt)(struct assay_source *source);
    /* Opens another source over the same bytes, from the first one on; null if they can be read
     * only once.
     */
    enum assay_error (*again)(const struct assay_source *source, struct assay_source **other);
    /* Begins to pass the bytes to source->witness; null if these are not the stored bytes. */
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

/* The buffer of a source: ASSAY_PEEK_MAX bytes for unread data of the previous read, then the body,
 * which is aligned and at least ASSAY_PEEK_MAX bytes long. */
struct assay_source_buffer {
    uint8_t *memory; /* owned */
    size_t size;     /* head and body */
};

/* Allocates the buffer; the window is empty and at the start of the body. False when out of memory.
 * */
bool assay_source_buffer_open(struct assay_source_buffer *buffer, size_t body,
                              struct assay_source *source);

/* The memory after the window for further bytes, and its size in *capacity. There is space for a
 * window of `want` bytes; the window is moved when little space is left. */
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

/* Returns aligned memory to read into, to be freed by free(); null when out of memory. */
void *assay_source_allocate(size_t size);

static inline size_t assay_source_left(const struct assay_source *source)
{
    return (size_t)(source->end - source->at);
}

#endif
