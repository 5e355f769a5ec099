#include <stdlib.h>

#include "io/filter_framing.h"
#include "io/zstf.h"

enum { OUTPUT = 1 << 16 };

struct assay_compressor {
    struct assay_sink *under;
    const struct assay_codec *codec;  /* null: copy */
    void *state;                      /* of the codec; owned */
    struct assay_zstf_writer *chunks; /* of zstf, used instead of a codec; owned */
    enum assay_error error;
    uint8_t output[OUTPUT];
};

static void free_compressor(struct assay_compressor *compressor)
{
    if (compressor->state != NULL) {
        compressor->codec->end(compressor->state);
        free(compressor->state);
    }
    free(compressor);
}

static enum assay_error begin(struct assay_compressor *compressor, enum assay_container container,
                              struct assay_diag *diag)
{
    if (container == ASSAY_CONTAINER_ZSTF) {
        return assay_zstf_writer_open(compressor->under, 0, &compressor->chunks, diag);
    }
    compressor->codec = assay_container_kind(container)->codec;
    if (compressor->codec == NULL) {
        return container == ASSAY_CONTAINER_RAW ? ASSAY_OK : ASSAY_UNKNOWN_FORMAT;
    }
    compressor->state = calloc(1, compressor->codec->state_size);
    if (compressor->state == NULL) {
        return ASSAY_NO_MEMORY;
    }
    return compressor->codec->begin_encoding(compressor->state, container);
}

enum assay_error assay_compressor_open(struct assay_sink *under, enum assay_container container,
                                       struct assay_compressor **result, struct assay_diag *diag)
{
    *result = NULL;
    struct assay_compressor *compressor = calloc(1, sizeof *compressor);
    enum assay_error error = ASSAY_NO_MEMORY;
    if (compressor != NULL) {
        compressor->under = under;
        error = begin(compressor, container, diag);
        if (error == ASSAY_OK) {
            *result = compressor;
            return ASSAY_OK;
        }
        free_compressor(compressor);
    }
    return container == ASSAY_CONTAINER_ZSTF && error == ASSAY_NOT_WRITABLE
               ? error
               : assay_fail(diag, error, ASSAY_NO_OFFSET, "compression could not be set up: %s",
                            assay_error_text(error));
}

/* Feeds the codec until it has taken all and, with finish, until the stream is complete. */
static enum assay_error run(struct assay_compressor *compressor, const void *data, size_t size,
                            bool finish)
{
    struct assay_codec_buffers buffers = {.in = data, .in_left = size};
    enum assay_codec_result result = ASSAY_CODEC_GOES_ON;
    while (result == ASSAY_CODEC_GOES_ON && (buffers.in_left > 0 || finish)) {
        struct assay_codec_fault fault;
        buffers.out = compressor->output;
        buffers.out_left = OUTPUT;
        result = compressor->codec->step(compressor->state, &buffers, finish, &fault);
        if (result == ASSAY_CODEC_FAILED) {
            return fault.error;
        }
        assay_sink_write(compressor->under, compressor->output, OUTPUT - buffers.out_left);
        if (compressor->under->error != ASSAY_OK) {
            return compressor->under->error;
        }
    }
    return ASSAY_OK;
}

enum assay_error assay_compressor_write(struct assay_compressor *compressor, const void *data,
                                        size_t size)
{
    if (compressor->error == ASSAY_OK) {
        if (compressor->chunks != NULL) {
            compressor->error = assay_zstf_writer_write(compressor->chunks, data, size);
        } else if (compressor->codec != NULL) {
            compressor->error = run(compressor, data, size, false);
        } else {
            assay_sink_write(compressor->under, data, size);
            compressor->error = compressor->under->error;
        }
    }
    return compressor->error;
}

enum assay_error assay_compressor_end_instruction(struct assay_compressor *compressor,
                                                  uint64_t next_pc)
{
    if (compressor->error == ASSAY_OK && compressor->chunks != NULL) {
        compressor->error = assay_zstf_writer_end_instruction(compressor->chunks, next_pc);
    }
    return compressor->error;
}

enum assay_error assay_compressor_end(struct assay_compressor *compressor)
{
    if (compressor == NULL) {
        return ASSAY_OK;
    }
    const enum assay_error chunks = assay_zstf_writer_close(compressor->chunks);
    if (compressor->error == ASSAY_OK) {
        compressor->error = chunks;
    }
    if (compressor->error == ASSAY_OK && compressor->codec != NULL) {
        compressor->error = run(compressor, NULL, 0, true);
    }
    const enum assay_error error =
        compressor->error != ASSAY_OK ? compressor->error : compressor->under->error;
    free_compressor(compressor);
    return error;
}
