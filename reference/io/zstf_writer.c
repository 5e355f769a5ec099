/* The writer of the chunked container. A chunk is begun by its first byte, so that there is none
 * without content. */
#include <stdlib.h>

#include "common/bytes.h"
#include "io/filter.h"
#include "io/zstf_private.h"

struct assay_zstf_writer {
    struct assay_sink *sink;
    uint64_t start; /* of the container in the sink */
    uint64_t chunk_instructions;
    uint64_t instructions;               /* in the present chunk */
    uint64_t next_pc;                    /* of the next chunk */
    struct assay_compressor *compressor; /* null between chunks */
    struct assay_zstf_entry *entries;    /* owned */
    size_t count;
    size_t capacity;
    enum assay_error error;
};

static void put_number(struct assay_zstf_writer *writer, uint64_t number)
{
    uint8_t bytes[8];
    assay_store64(bytes, number);
    assay_sink_write(writer->sink, bytes, sizeof bytes);
}

static uint64_t place(const struct assay_zstf_writer *writer)
{
    return writer->sink->total - writer->start;
}

enum assay_error assay_zstf_writer_open(struct assay_sink *sink, uint64_t chunk_instructions,
                                        struct assay_zstf_writer **result, struct assay_diag *diag)
{
    *result = NULL;
    if (!assay_sink_can_patch(sink)) {
        return assay_fail(diag, ASSAY_NOT_WRITABLE, ASSAY_NO_OFFSET,
                          "a .zstf trace goes to a regular file only, not to a pipe or after other "
                          "data: its header is completed at the end");
    }
    struct assay_zstf_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    writer->sink = sink;
    writer->start = sink->total;
    writer->chunk_instructions =
        chunk_instructions != 0 ? chunk_instructions : ASSAY_ZSTF_CHUNK_INSTRUCTIONS;
    assay_sink_text(sink, "ZSTF");
    put_number(writer, writer->chunk_instructions);
    put_number(writer, 0);
    *result = writer;
    return ASSAY_OK;
}

static enum assay_error begin_chunk(struct assay_zstf_writer *writer)
{
    if (writer->count == writer->capacity) {
        const size_t capacity = writer->capacity != 0 ? writer->capacity * 2 : 64;
        struct assay_zstf_entry *entries =
            capacity <= SIZE_MAX / sizeof *entries
                ? realloc(writer->entries, capacity * sizeof *entries)
                : NULL;
        if (entries == NULL) {
            return ASSAY_NO_MEMORY;
        }
        writer->entries = entries;
        writer->capacity = capacity;
    }
    writer->entries[writer->count++] =
        (struct assay_zstf_entry){.offset = place(writer), .pc = writer->next_pc};
    return assay_compressor_open(writer->sink, ASSAY_CONTAINER_ZSTD, &writer->compressor, NULL);
}

static enum assay_error end_chunk(struct assay_zstf_writer *writer)
{
    struct assay_compressor *compressor = writer->compressor;
    writer->compressor = NULL;
    return assay_compressor_end(compressor);
}

enum assay_error assay_zstf_writer_write(struct assay_zstf_writer *writer, const void *data,
                                         size_t size)
{
    if (size > 0 && writer->error == ASSAY_OK && writer->compressor == NULL) {
        writer->error = begin_chunk(writer);
    }
    if (size > 0 && writer->error == ASSAY_OK) {
        writer->entries[writer->count - 1].size += size;
        writer->error = assay_compressor_write(writer->compressor, data, size);
    }
    return writer->error;
}

enum assay_error assay_zstf_writer_end_instruction(struct assay_zstf_writer *writer,
                                                   uint64_t next_pc)
{
    if (++writer->instructions == writer->chunk_instructions) {
        writer->instructions = 0;
        writer->next_pc = next_pc;
        const enum assay_error error = end_chunk(writer);
        if (writer->error == ASSAY_OK) {
            writer->error = error;
        }
    }
    return writer->error;
}

static void write_index(struct assay_zstf_writer *writer)
{
    enum { HEADER_INDEX = ASSAY_ZSTF_HEADER_BYTES - 8 };
    uint8_t index[8];
    assay_store64(index, place(writer));
    put_number(writer, writer->count);
    for (size_t i = 0; i < writer->count; i++) {
        put_number(writer, writer->entries[i].offset);
        put_number(writer, writer->entries[i].pc);
        put_number(writer, writer->entries[i].size);
    }
    assay_sink_patch(writer->sink, writer->start + HEADER_INDEX, index, sizeof index);
}

enum assay_error assay_zstf_writer_close(struct assay_zstf_writer *writer)
{
    if (writer == NULL) {
        return ASSAY_OK;
    }
    enum assay_error error = end_chunk(writer);
    if (writer->error != ASSAY_OK) {
        error = writer->error;
    }
    if (error == ASSAY_OK) {
        write_index(writer);
        error = writer->sink->error;
    }
    free(writer->entries);
    free(writer);
    return error;
}
