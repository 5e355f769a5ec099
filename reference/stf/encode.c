/* The STF encoder: records in, the stored file out. The text leaves compression to whoever stores
 * the file; the caller names a container, or there is none. */
#include <stdlib.h>
#include <string.h>

#include "common/filter.h"
#include "common/sink.h"
#include "stf/model.h"
#include "stf/zstf.h"

struct assay_encoder {
    struct assay_sink *sink;
    struct assay_compressor *compressor; /* null when there are chunks */
    struct stf_zstf_writer *chunks;
    struct stf_model *model; /* with chunks: their index tells addresses of instructions */
};

static enum assay_error open_chunks(struct assay_encoder *e, struct assay_diag *diag)
{
    e->model = calloc(1, sizeof *e->model);
    if (e->model == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    const enum assay_error error = stf_model_open(e->model, NULL, diag);
    return error != ASSAY_OK
               ? error
               : stf_zstf_writer_open(e->sink, STF_ZSTF_CHUNK_INSTRUCTIONS, &e->chunks, diag);
}

static bool find_container(const char *storage, enum assay_container *container)
{
    static const enum assay_container known[] = {ASSAY_CONTAINER_RAW, ASSAY_CONTAINER_GZIP,
                                                 ASSAY_CONTAINER_XZ, ASSAY_CONTAINER_ZSTD};
    *container = ASSAY_CONTAINER_RAW;
    for (size_t i = 0; storage != NULL && i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(assay_container_name(known[i]), storage) == 0) {
            *container = known[i];
            return true;
        }
    }
    return storage == NULL;
}

static enum assay_error close_encoder(struct assay_encoder *e)
{
    enum assay_error error = ASSAY_OK;
    if (e != NULL) {
        error = e->model != NULL ? stf_zstf_writer_close(e->chunks)
                                 : assay_compressor_end(e->compressor);
        error = error != ASSAY_OK ? error : e->sink->error;
        if (e->model != NULL) {
            stf_model_close(e->model);
        }
        free(e->model);
        free(e);
    }
    return error;
}

static enum assay_error open_encoder(struct assay_sink *sink, const char *storage,
                                     struct assay_encoder **encoder, struct assay_diag *diag)
{
    enum assay_container container;
    const bool chunked = storage != NULL && strcmp(storage, "zstf") == 0;
    if (!find_container(storage, &container) && !chunked) {
        return assay_fail(diag, ASSAY_UNKNOWN_NAME, ASSAY_NO_OFFSET,
                          "STF has no storage called \"%s\": raw, gzip, xz, zstd, zstf", storage);
    }
    *encoder = calloc(1, sizeof **encoder);
    if (*encoder == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    (*encoder)->sink = sink;
    const enum assay_error error =
        chunked ? open_chunks(*encoder, diag)
                : assay_compressor_open(sink, container, &(*encoder)->compressor, diag);
    if (error != ASSAY_OK) {
        close_encoder(*encoder);
        *encoder = NULL;
    }
    return error;
}

static enum assay_error put_raw(struct assay_encoder *e, const void *data, size_t size)
{
    return e->chunks != NULL ? stf_zstf_writer_write(e->chunks, data, size)
                             : assay_compressor_write(e->compressor, data, size);
}

/* `bytes` of an event are readable up to a multiple of 8; the model reads on. */
static enum assay_error count_instruction(struct assay_encoder *e, const struct assay_event *event,
                                          size_t size)
{
    enum { MOST = 4096, BEHIND = 16 };
    uint64_t words[STF_WORDS];
    uint8_t data[MOST + BEHIND];
    const size_t shown = size < MOST ? size : MOST;
    memcpy(data, event->bytes, shown);
    memset(data + shown, 0, BEHIND);
    stf_model_record(e->model, (enum stf_kind)event->kind, data, shown, words);
    return event->kind == STF_inst_32 || event->kind == STF_inst_16
               ? stf_zstf_writer_end_instruction(e->chunks,
                                                 e->model->next_known ? e->model->next_pc : 0)
               : ASSAY_OK;
}

static enum assay_error put(struct assay_encoder *e, const struct assay_event *event)
{
    if (event->kind < ASSAY_KIND_FIRST) {
        return ASSAY_OK;
    }
    const uint8_t descriptor = stf_descriptor_of(event->kind);
    const size_t size = event->bits / 8 - sizeof descriptor;
    enum assay_error error = put_raw(e, &descriptor, sizeof descriptor);
    error = error != ASSAY_OK ? error : put_raw(e, event->bytes, size);
    return error != ASSAY_OK || e->chunks == NULL ? error : count_instruction(e, event, size);
}

const struct assay_encoder_ops stf_encoder_ops = {
    .open = open_encoder,
    .put = put,
    .put_raw = put_raw,
    .close = close_encoder,
};
