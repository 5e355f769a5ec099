#include "io/filter.h"

#include <stdlib.h>
#include <string.h>

#include "io/filter_framing.h"
#include "io/filter_thread.h"

/* Bytes that are decompressed at a time when the filter has no thread. */
enum { BODY = 1 << 18 };

struct filter {
    struct assay_source base;
    struct assay_decoding decoding;
    enum assay_container container;
    uint64_t begin;                    /* of the source below, where it was opened */
    struct assay_ring *ring;           /* null when not threaded */
    bool holds_block;                  /* the window ends in a block of the ring */
    bool last_block;                   /* and that is the last */
    struct assay_source_buffer buffer; /* of the filter without a thread */
    /* What goes with the bytes shown so far: */
    uint64_t streams;
    uint64_t stored_offset;
    uint64_t trailing_bytes;
    uint64_t stored_size;
};

/* The decoding is at rest and the window ends where it ended. */
static void end_filter(struct filter *filter)
{
    filter->trailing_bytes = filter->decoding.trailing_bytes;
    assay_source_end(&filter->base, filter->decoding.fault.error, filter->decoding.fault.detail);
}

static void fill_here(struct assay_source *source, size_t want)
{
    struct filter *filter = (struct filter *)source;
    struct assay_decoding *decoding = &filter->decoding;
    while (assay_source_left(source) < want) {
        if (decoding->place == ASSAY_AFTER_STREAMS) {
            end_filter(filter);
            return;
        }
        size_t capacity;
        uint8_t *out = assay_source_make_room(source, &filter->buffer, want, &capacity);
        const size_t missing = want - assay_source_left(source);
        assay_source_lengthen(source, assay_decoding_read(decoding, out, capacity, missing));
        filter->streams = decoding->streams;
        filter->stored_offset = decoding->stored_offset;
    }
}

/* The window's rest moves to the front of the next block, so that the block itself need not. */
static void fill_from_ring(struct assay_source *source, size_t want)
{
    struct filter *filter = (struct filter *)source;
    while (assay_source_left(source) < want) {
        if (filter->last_block) {
            end_filter(filter);
            return;
        }
        const struct assay_block *block = assay_ring_take(filter->ring);
        if (block == NULL) {
            assay_source_end(source, ASSAY_READ_FAILED, ASSAY_INTERRUPTED_DETAIL);
            return;
        }
        const size_t left = assay_source_left(source);
        if (left > 0) {
            memcpy(block->data - left, source->at, left);
        }
        source->at = block->data - left;
        source->end = block->data;
        assay_source_lengthen(source, block->size);
        filter->streams = block->streams;
        filter->stored_offset = block->stored_offset;
        filter->last_block = block->last;
        if (filter->holds_block) {
            assay_ring_release(filter->ring);
        }
        filter->holds_block = true;
    }
}

static void filter_status(const struct assay_source *source, struct assay_source_status *status)
{
    const struct filter *filter = (const struct filter *)source;
    status->stored_offset = filter->stored_offset;
    status->streams = filter->streams;
    status->trailing_bytes = filter->trailing_bytes;
    status->stored_size = filter->stored_size;
}

static void filter_interrupt(struct assay_source *source)
{
    struct filter *filter = (struct filter *)source;
    assay_source_interrupt(filter->decoding.under);
    if (filter->ring != NULL) {
        assay_ring_wake(filter->ring);
    }
}

/* Without a thread. */
static enum assay_error filter_again(const struct assay_source *source, struct assay_source **other)
{
    const struct filter *filter = (const struct filter *)source;
    struct assay_source *under = NULL;
    const uint8_t *data = NULL;
    size_t have = 0;
    enum assay_error error = assay_source_again(filter->decoding.under, &under);
    if (error != ASSAY_OK) {
        return error;
    }
    while (assay_source_offset(under) < filter->begin &&
           assay_source_peek(under, 1, &data, &have) == ASSAY_OK && have > 0) {
        const uint64_t left = filter->begin - assay_source_offset(under);
        assay_source_consume(under, left < have ? (size_t)left : have);
    }
    return assay_filter_open(under, filter->container, false, other, NULL);
}

static void filter_close(struct assay_source *source)
{
    struct filter *filter = (struct filter *)source;
    assay_source_interrupt(source); /* its thread may be waiting for a pipe */
    assay_ring_close(filter->ring);
    assay_decoding_close(&filter->decoding);
    free(filter->buffer.memory);
    free(filter);
}

static enum assay_error start_filter(struct filter *filter, bool threaded)
{
    if (threaded) {
        return assay_ring_open(&filter->decoding, &filter->ring);
    }
    return assay_source_buffer_open(&filter->buffer, BODY, &filter->base) ? ASSAY_OK
                                                                          : ASSAY_NO_MEMORY;
}

/* Takes ownership of under, also when it fails. */
static enum assay_error open_filter(struct assay_source *under, enum assay_container container,
                                    uint64_t begin, const struct assay_container_kind *kind,
                                    bool threaded, const struct assay_container_framing *framing,
                                    struct assay_source **source)
{
    static const struct assay_source_kind here = {.fill = fill_here,
                                                  .status = filter_status,
                                                  .interrupt = filter_interrupt,
                                                  .again = filter_again,
                                                  .close = filter_close};
    static const struct assay_source_kind ring = {.fill = fill_from_ring,
                                                  .status = filter_status,
                                                  .interrupt = filter_interrupt,
                                                  .again = filter_again,
                                                  .close = filter_close};
    static const uint8_t nothing[1];
    struct filter *filter = calloc(1, sizeof *filter);
    if (filter == NULL) {
        assay_source_close(under);
        if (framing->close != NULL) {
            framing->close(framing->context);
        }
        return ASSAY_NO_MEMORY;
    }
    filter->base.kind = threaded ? &ring : &here;
    filter->base.at = filter->base.end = nothing;
    filter->container = container;
    filter->begin = begin;
    struct assay_source_status below;
    assay_source_status(under, &below);
    filter->stored_size = below.stored_size;
    filter->stored_offset = below.stored_offset;
    enum assay_error error =
        assay_decoding_open(&filter->decoding, under, kind, framing, &filter->base.interrupted);
    if (error != ASSAY_OK) {
        free(filter);
        return error;
    }
    error = start_filter(filter, threaded);
    if (error != ASSAY_OK) {
        filter_close(&filter->base);
        return error;
    }
    *source = &filter->base;
    return ASSAY_OK;
}

enum assay_error assay_filter_open(struct assay_source *under, enum assay_container container,
                                   bool threaded, struct assay_source **source,
                                   struct assay_diag *diag)
{
    const struct assay_container_kind *kind = assay_container_kind(container);
    struct assay_container_framing framing = {0};
    *source = NULL;
    if (container == ASSAY_CONTAINER_RAW) {
        *source = under;
        return ASSAY_OK;
    }
    if (under->filtered != NULL) {
        *under->filtered = true;
    }
    if (kind->codec == NULL) {
        assay_source_close(under);
        return assay_fail(diag, ASSAY_UNKNOWN_FORMAT, ASSAY_NO_OFFSET,
                          "the compression is none that is known here");
    }
    const uint64_t begin = assay_source_offset(under); /* before what describes frames is read */
    enum assay_error error = kind->frame != NULL ? kind->frame(under, &framing) : ASSAY_OK;
    if (error != ASSAY_OK) {
        assay_source_close(under);
    } else {
        error = open_filter(under, container, begin, kind, threaded, &framing, source);
    }
    return error == ASSAY_OK
               ? ASSAY_OK
               : assay_fail(diag, error, ASSAY_NO_OFFSET, "decompression could not be set up: %s",
                            assay_error_text(error));
}

const struct assay_container_framing *assay_filter_framing(const struct assay_source *source)
{
    return &((const struct filter *)source)->decoding.framing;
}
