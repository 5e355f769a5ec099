/* The encoder: events as they are, and the bytes of streams by the formatter (mux.h). */
#include <stdlib.h>
#include <string.h>

#include "coresight/mux.h"

struct assay_encoder {
    struct cs_mux mux;
};

static enum assay_error open_encoder(struct assay_sink *sink, const char *storage,
                                     struct assay_encoder **encoder, struct assay_diag *diag)
{
    if (storage != NULL && strcmp(storage, "raw") != 0) {
        return assay_fail(diag, ASSAY_UNKNOWN_NAME, ASSAY_NO_OFFSET,
                          "frames of CoreSight are stored raw only");
    }
    *encoder = calloc(1, sizeof **encoder);
    if (*encoder == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    cs_mux_begin(&(*encoder)->mux, sink, NULL);
    return ASSAY_OK;
}

/* Writes bytes after the frame that has begun, which is completed. */
static enum assay_error put_raw(struct assay_encoder *e, const void *data, size_t size)
{
    cs_mux_flush(&e->mux);
    assay_sink_write(e->mux.sink, data, size);
    return e->mux.sink->error;
}

static enum assay_error put(struct assay_encoder *e, const struct assay_event *event,
                            struct assay_diag *diag)
{
    (void)diag;
    const bool has_bytes = event->kind < CS_UNITS_END && event->kind != CS_end;
    return has_bytes ? put_raw(e, event->bytes, event->bits / 8) : ASSAY_OK;
}

static enum assay_error put_stream(struct assay_encoder *e, uint32_t id, const void *data,
                                   size_t size, struct assay_diag *diag)
{
    if (!cs_is_source(id)) {
        return assay_fail(diag, ASSAY_OUT_OF_RANGE, ASSAY_NO_OFFSET,
                          "the id of a source is 0x01 to 0x6f");
    }
    cs_mux_put(&e->mux, (uint8_t)id, data, size);
    return e->mux.sink->error;
}

static enum assay_error close_encoder(struct assay_encoder *e)
{
    enum assay_error error = ASSAY_OK;
    if (e != NULL) {
        cs_mux_flush(&e->mux);
        error = e->mux.sink->error;
        free(e);
    }
    return error;
}

const struct assay_encoder_ops cs_encoder_ops = {.open = open_encoder,
                                                 .put = put,
                                                 .put_raw = put_raw,
                                                 .put_stream = put_stream,
                                                 .close = close_encoder};
