/* A source whose bytes a function produces from those of another source. */
#include <stdlib.h>
#include <string.h>

#include "io/source_private.h"

struct over {
    struct assay_source base;
    struct assay_source_buffer buffer;
    struct assay_source *under;
    const struct assay_source_reader *reader;
    void *context;
};

/* The error of the reader, or else the fault of the source below. */
static void end(struct over *o, enum assay_error error)
{
    struct assay_source_status status;
    assay_source_status(o->under, &status);
    error = error != ASSAY_OK ? error : status.fault;
    assay_source_end(&o->base, error, error == status.fault ? status.detail : NULL);
}

static void fill(struct assay_source *source, size_t want)
{
    struct over *o = (struct over *)source;
    while (!source->ended && assay_source_left(source) < want) {
        size_t room = 0;
        size_t size = 0;
        if (assay_source_is_interrupted(source)) {
            assay_source_end(source, ASSAY_READ_FAILED, ASSAY_INTERRUPTED_DETAIL);
            return;
        }
        uint8_t *out = assay_source_make_room(source, &o->buffer, want, &room);
        const enum assay_error error = o->reader->read(o->context, o->under, out, room, &size);
        assay_source_lengthen(source, size);
        if (error != ASSAY_OK || size == 0) {
            end(o, error);
        }
    }
}

static void status_of(const struct assay_source *source, struct assay_source_status *status)
{
    const enum assay_error fault = status->fault;
    char detail[ASSAY_DETAIL_SIZE];
    memcpy(detail, status->detail, sizeof detail);
    assay_source_status(((const struct over *)source)->under, status);
    status->fault = fault;
    memcpy(status->detail, detail, sizeof detail);
}

static void interrupt(struct assay_source *source)
{
    assay_source_interrupt(((struct over *)source)->under);
}

static void close_over(struct assay_source *source)
{
    struct over *o = (struct over *)source;
    if (o->reader->close != NULL) {
        o->reader->close(o->context);
    }
    assay_source_close(o->under);
    free(o->buffer.memory);
    free(o);
}

enum assay_error assay_source_over(struct assay_source *under,
                                   const struct assay_source_reader *reader, void *context,
                                   struct assay_source **source)
{
    static const struct assay_source_kind kind = {
        .fill = fill, .status = status_of, .interrupt = interrupt, .close = close_over};
    struct over *o = calloc(1, sizeof *o);
    *source = NULL;
    if (o == NULL || !assay_source_buffer_open(&o->buffer, 2 * ASSAY_PEEK_MAX, &o->base)) {
        free(o);
        if (reader->close != NULL) {
            reader->close(context);
        }
        assay_source_close(under);
        return ASSAY_NO_MEMORY;
    }
    o->base.kind = &kind;
    o->under = under;
    o->reader = reader;
    o->context = context;
    *source = &o->base;
    return ASSAY_OK;
}
