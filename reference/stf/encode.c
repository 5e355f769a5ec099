/* The STF encoder: records in, the stored file out. The text leaves compression to whoever stores
 * the file; the caller names a container, or there is none. */
#include <stdlib.h>
#include <string.h>

#include "io/filter.h"
#include "io/sink.h"
#include "stf/model.h"

enum {
    STORAGES = ASSAY_CONTAINER_BIT(RAW) | ASSAY_CONTAINER_BIT(GZIP) | ASSAY_CONTAINER_BIT(XZ) |
               ASSAY_CONTAINER_BIT(LZMA) | ASSAY_CONTAINER_BIT(ZSTD) | ASSAY_CONTAINER_BIT(ZSTF)
};

struct assay_encoder {
    struct assay_compressor *compressor;
    struct stf_model *model; /* with chunks: their index tells addresses of instructions */
};

static enum assay_error close_encoder(struct assay_encoder *e)
{
    enum assay_error error = ASSAY_OK;
    if (e != NULL) {
        error = assay_compressor_end(e->compressor);
        if (e->model != NULL) {
            stf_model_close(e->model);
        }
        free(e->model);
        free(e);
    }
    return error;
}

static bool open_model(struct assay_encoder *e)
{
    e->model = calloc(1, sizeof *e->model);
    if (e->model != NULL) {
        stf_model_open(e->model, NULL);
    }
    return e->model != NULL;
}

static enum assay_error open_encoder(struct assay_sink *sink, const char *storage,
                                     struct assay_encoder **encoder, struct assay_diag *diag)
{
    const enum assay_container container =
        storage != NULL ? assay_container_by_name(storage, STORAGES) : ASSAY_CONTAINER_RAW;
    if (container == ASSAY_CONTAINER_UNKNOWN) {
        return assay_fail(diag, ASSAY_UNKNOWN_NAME, ASSAY_NO_OFFSET,
                          "STF has no storage called \"%s\": raw, gzip, xz, lzma, zstd, zstf",
                          storage);
    }
    *encoder = calloc(1, sizeof **encoder);
    if (*encoder == NULL || (container == ASSAY_CONTAINER_ZSTF && !open_model(*encoder))) {
        free(*encoder);
        *encoder = NULL;
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    const enum assay_error error =
        assay_compressor_open(sink, container, &(*encoder)->compressor, diag);
    if (error != ASSAY_OK) {
        close_encoder(*encoder);
        *encoder = NULL;
    }
    return error;
}

static enum assay_error put_raw(struct assay_encoder *e, const void *data, size_t size)
{
    return assay_compressor_write(e->compressor, data, size);
}

/* `bytes` of an event are readable up to a multiple of 8; the model reads on. */
static enum assay_error count_instruction(struct assay_encoder *e, const struct assay_event *event,
                                          size_t size)
{
    enum { MOST = 4096, BEHIND = 16 };
    uint64_t cells[STF_CELLS];
    uint8_t data[MOST + BEHIND];
    const size_t shown = size < MOST ? size : MOST;
    memcpy(data, event->bytes, shown);
    memset(data + shown, 0, BEHIND);
    stf_model_record(e->model, (enum stf_kind)event->kind, data, shown, cells);
    return event->kind == STF_inst_32 || event->kind == STF_inst_16
               ? assay_compressor_end_instruction(e->compressor,
                                                  e->model->next_known ? e->model->next_pc : 0)
               : ASSAY_OK;
}

static enum assay_error put(struct assay_encoder *e, const struct assay_event *event,
                            struct assay_diag *diag)
{
    (void)diag;
    if (event->kind < ASSAY_KIND_FIRST) {
        return ASSAY_OK;
    }
    const uint8_t descriptor = stf_descriptor_of(event->kind);
    const size_t size = event->bits / 8 - sizeof descriptor;
    enum assay_error error = put_raw(e, &descriptor, sizeof descriptor);
    error = error != ASSAY_OK ? error : put_raw(e, event->bytes, size);
    return error != ASSAY_OK || e->model == NULL ? error : count_instruction(e, event, size);
}

const struct assay_encoder_ops stf_encoder_ops = {
    .open = open_encoder,
    .put = put,
    .put_raw = put_raw,
    .close = close_encoder,
};
