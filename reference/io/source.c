#include "io/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/source_private.h"

/* With less room than this, moving the window costs less than the additional read calls. */
enum { LEAST_ROOM = ASSAY_READ_ROOM, PAGE = 4096 };

static enum assay_error look_further(struct assay_source *source, size_t want, const uint8_t **data,
                                     size_t *have)
{
    enum assay_error error = ASSAY_OK;
    if (want > ASSAY_PEEK_MAX) {
        error = ASSAY_USAGE;
    } else {
        if (!source->ended) {
            source->kind->fill(source, want);
        }
        if (assay_source_left(source) < want) {
            error = source->fault;
        }
    }
    *data = source->at;
    *have = assay_source_left(source);
    return error;
}

enum assay_error assay_source_peek(struct assay_source *source, size_t want, const uint8_t **data,
                                   size_t *have)
{
    const size_t left = assay_source_left(source);
    if (want > left) {
        return look_further(source, want, data, have);
    }
    *data = source->at;
    *have = left;
    return ASSAY_OK;
}

bool assay_source_pauses(struct assay_source *source, size_t want)
{
    return source->kind->pauses != NULL && assay_source_left(source) < want && !source->ended &&
           source->kind->pauses(source, want);
}

void assay_source_consume(struct assay_source *source, size_t n)
{
    const size_t left = assay_source_left(source);
    source->at += n < left ? n : left;
}

uint64_t assay_source_offset(const struct assay_source *source)
{
    return source->end_offset - assay_source_left(source);
}

void assay_source_status(const struct assay_source *source, struct assay_source_status *status)
{
    *status = (struct assay_source_status){.fault = source->fault};
    memcpy(status->detail, source->detail, sizeof status->detail);
    source->kind->status(source, status);
}

enum assay_error assay_source_again(const struct assay_source *source, struct assay_source **other)
{
    *other = NULL;
    return source->kind->again != NULL ? source->kind->again(source, other) : ASSAY_UNSUPPORTED;
}

void assay_source_close(struct assay_source *source)
{
    if (source != NULL) {
        if (source->witness != NULL) {
            assay_witness_wait(source->witness); /* it may still read the source's buffer */
        }
        source->kind->close(source);
    }
}

void assay_source_watch(struct assay_source *source, bool *filtered)
{
    source->filtered = filtered;
}

enum assay_error assay_source_witness(struct assay_source *source, struct assay_witness *witness)
{
    if (source->kind->witness == NULL) {
        return ASSAY_UNSUPPORTED;
    }
    source->witness = witness;
    source->kind->witness(source);
    return ASSAY_OK;
}

void assay_source_stop(struct assay_source *source, const struct assay_stop *stop)
{
    source->stop = stop;
}

void assay_source_interrupt(struct assay_source *source)
{
    atomic_store(&source->interrupted, true);
    if (source->kind->interrupt != NULL) {
        source->kind->interrupt(source);
    }
}

bool assay_source_is_interrupted(struct assay_source *source)
{
    return atomic_load(&source->interrupted) || assay_stop_requested(source->stop);
}

void assay_source_end(struct assay_source *source, enum assay_error fault, const char *detail)
{
    source->ended = true;
    source->fault = fault;
    snprintf(source->detail, sizeof source->detail, "%s", detail != NULL ? detail : "");
}

void *assay_source_allocate(size_t size)
{
    return aligned_alloc(PAGE, (size + PAGE - 1) / PAGE * PAGE);
}

bool assay_source_buffer_open(struct assay_source_buffer *buffer, size_t body,
                              struct assay_source *source)
{
    buffer->size = ASSAY_PEEK_MAX + body;
    buffer->memory = assay_source_allocate(buffer->size);
    if (buffer->memory == NULL) {
        return false;
    }
    source->at = source->end = buffer->memory + ASSAY_PEEK_MAX;
    return true;
}

uint8_t *assay_source_make_room(struct assay_source *source,
                                const struct assay_source_buffer *buffer, size_t want,
                                size_t *capacity)
{
    const size_t left = assay_source_left(source);
    const size_t used = (size_t)(source->end - buffer->memory);
    const size_t behind = buffer->size - used;
    if (left > 0 && behind >= LEAST_ROOM && behind >= want - left) {
        *capacity = behind;
        return buffer->memory + used;
    }
    /* What is left goes in front of the body, not to its start: then the next read fills whole
     * pages, which the system copies fastest. */
    uint8_t *body = buffer->memory + ASSAY_PEEK_MAX;
    memmove(body - left, source->at, left);
    source->at = body - left;
    source->end = body;
    *capacity = buffer->size - ASSAY_PEEK_MAX;
    return body;
}

void assay_source_lengthen(struct assay_source *source, size_t n)
{
    source->end += n;
    source->end_offset += n;
}

struct memory_source {
    struct assay_source base;
    size_t size;
};

static void memory_fill(struct assay_source *source, size_t want)
{
    (void)want;
    assay_source_end(source, ASSAY_OK, NULL);
}

static void memory_status(const struct assay_source *source, struct assay_source_status *status)
{
    status->stored_offset = assay_source_offset(source);
    status->stored_size = ((const struct memory_source *)source)->size;
}

static enum assay_error memory_again(const struct assay_source *source, struct assay_source **other)
{
    const size_t size = ((const struct memory_source *)source)->size;
    return assay_source_memory(source->end - size, size, other);
}

/* At once, since the bytes are the caller's. */
static void memory_witness(struct assay_source *source)
{
    const size_t size = ((const struct memory_source *)source)->size;
    assay_witness_begin(source->witness, -1, -1);
    assay_witness_add(source->witness, source->end - size, size);
    assay_witness_at_end(source->witness);
    assay_witness_wait(source->witness);
}

static void memory_close(struct assay_source *source)
{
    free(source);
}

enum assay_error assay_source_memory(const void *data, size_t size, struct assay_source **source)
{
    static const struct assay_source_kind kind = {.fill = memory_fill,
                                                  .status = memory_status,
                                                  .again = memory_again,
                                                  .witness = memory_witness,
                                                  .close = memory_close};
    static const uint8_t nothing[1];

    *source = NULL;
    struct memory_source *memory = calloc(1, sizeof *memory);
    if (memory == NULL) {
        return ASSAY_NO_MEMORY;
    }
    memory->base.kind = &kind;
    memory->base.at = size > 0 ? data : nothing;
    memory->base.end = memory->base.at + size;
    memory->base.end_offset = size;
    memory->size = size;
    *source = &memory->base;
    return ASSAY_OK;
}
