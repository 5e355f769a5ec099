/* The ASTF encoder: records in, the stored file out. The Header is never compressed; the records
 * after it are stored as its flags say (4.2.1), in the native containers of liblzma and libz (.xz,
 * zlib) unless the caller names another one. */
#include <stdlib.h>
#include <string.h>

#include "astf/astf.h"
#include "io/filter.h"
#include "io/sink.h"

struct assay_encoder {
    struct assay_sink *sink;
    struct assay_compressor *compressor; /* null: not compressed */
    enum assay_container storage;        /* UNKNOWN: as the Header says */
    bool header_seen;
};

static enum assay_error open_encoder(struct assay_sink *sink, const char *storage,
                                     struct assay_encoder **encoder, struct assay_diag *diag)
{
    const enum assay_container container = storage != NULL
                                               ? assay_container_by_name(storage, ASTF_CONTAINERS)
                                               : ASSAY_CONTAINER_UNKNOWN;
    if (storage != NULL && container == ASSAY_CONTAINER_UNKNOWN) {
        return assay_fail(diag, ASSAY_UNKNOWN_NAME, ASSAY_NO_OFFSET,
                          "ASTF has no storage called \"%s\": raw, xz, lzma, zlib, gzip", storage);
    }
    *encoder = calloc(1, sizeof **encoder);
    if (*encoder == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    (*encoder)->sink = sink;
    (*encoder)->storage = container;
    return ASSAY_OK;
}

static enum assay_error put_raw(struct assay_encoder *e, const void *data, size_t size)
{
    if (e->compressor != NULL) {
        return assay_compressor_write(e->compressor, data, size);
    }
    assay_sink_write(e->sink, data, size);
    return e->sink->error;
}

static enum assay_container storage_of(const struct assay_encoder *e, const uint8_t *header)
{
    if (e->storage != ASSAY_CONTAINER_UNKNOWN) {
        return e->storage;
    }
    if (astf_get(header, header, compressed) == 0) {
        return ASSAY_CONTAINER_RAW;
    }
    return astf_get(header, header, use_zlib) != 0 ? ASSAY_CONTAINER_ZLIB : ASSAY_CONTAINER_XZ;
}

static enum assay_error put(struct assay_encoder *e, const struct assay_event *event,
                            struct assay_diag *diag)
{
    const enum assay_error error = put_raw(e, event->bytes, event->bits / 8);
    if (error != ASSAY_OK || event->kind != ASTF_header || e->header_seen) {
        return error;
    }
    e->header_seen = true;
    const enum assay_container storage = storage_of(e, event->bytes);
    if (storage == ASSAY_CONTAINER_RAW) {
        return ASSAY_OK;
    }
    return assay_compressor_open(e->sink, storage, &e->compressor, diag);
}

static enum assay_error close_encoder(struct assay_encoder *e)
{
    enum assay_error error = ASSAY_OK;
    if (e != NULL) {
        if (e->compressor != NULL) {
            error = assay_compressor_end(e->compressor);
        }
        if (error == ASSAY_OK) {
            error = e->sink->error;
        }
        free(e);
    }
    return error;
}

const struct assay_encoder_ops astf_encoder_ops = {
    .open = open_encoder,
    .put = put,
    .put_raw = put_raw,
    .close = close_encoder,
};
