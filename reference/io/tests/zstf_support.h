/* What the tests of the chunked container share: containers made by the writer and by hand. */
#ifndef ASSAY_COMMON_TESTS_ZSTF_SUPPORT_H
#define ASSAY_COMMON_TESTS_ZSTF_SUPPORT_H

#include "common/bytes.h"
#include "io/tests/filter_support.h"
#include "io/zstf.h"

enum { HEADER = ASSAY_ZSTF_HEADER_BYTES, ENTRY = ASSAY_ZSTF_ENTRY_BYTES };

/* A trace of so many instructions of changing length, and the container that the writer makes. */
struct made {
    struct blob original;
    struct blob packed;
    uint64_t instructions;
    uint64_t chunk_instructions;
};

static inline uint64_t pc_of(uint64_t instruction)
{
    return UINT64_C(0x80000000) + 4 * instruction;
}

static inline size_t length_of(uint64_t instruction)
{
    return 3 + (size_t)(instruction * 2654435761u >> 7) % 40;
}

/* Where the record of the instruction begins; a few bytes are in front of the first. */
static inline uint64_t start_of(uint64_t instruction)
{
    uint64_t at = instruction > 0 ? 50 : 0;
    for (uint64_t i = 0; i < instruction; i++) {
        at += length_of(i);
    }
    return at;
}

static inline void write_trace(struct assay_zstf_writer *writer, const struct made *made)
{
    size_t at = 0;
    for (uint64_t i = 0; i < made->instructions; i++) {
        const size_t size = length_of(i) + (i == 0 ? 50 : 0);
        (void)assay_zstf_writer_write(writer, made->original.data + at, size - 2);
        (void)assay_zstf_writer_write(writer, made->original.data + at + size - 2, 2);
        (void)assay_zstf_writer_end_instruction(writer, pc_of(i + 1));
        at += size;
    }
}

static inline struct made make(uint64_t instructions, uint64_t chunk_instructions)
{
    struct made made = {.original = sample(start_of(instructions)),
                        .instructions = instructions,
                        .chunk_instructions = chunk_instructions};
    struct assay_sink sink;
    struct assay_zstf_writer *writer;
    assay_sink_memory(&sink, 0);
    assert_int_equal(assay_zstf_writer_open(&sink, chunk_instructions, &writer, NULL), ASSAY_OK);
    write_trace(writer, &made);
    assert_int_equal(assay_zstf_writer_close(writer), ASSAY_OK);
    made.packed = blob_of(sink.data, sink.size);
    assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_OK);
    return made;
}

static inline void free_made(struct made *made)
{
    free(made->original.data);
    free(made->packed.data);
}

static inline uint64_t number_at(struct blob blob, uint64_t at)
{
    assert_true(at + 8 <= blob.size);
    return assay_load64(blob.data + at);
}

static inline void set_number(struct blob blob, uint64_t at, uint64_t value)
{
    assert_true(at + 8 <= blob.size);
    assay_store64(blob.data + at, value);
}

static inline uint64_t index_of(struct blob packed)
{
    return number_at(packed, 12);
}

/* The places of the numbers of an entry. */
static inline uint64_t entry_at(struct blob packed, uint64_t entry)
{
    return index_of(packed) + 8 + entry * ENTRY;
}

struct outcome {
    struct assay_zstf_report report;
    struct assay_source_status status;
    uint64_t length; /* bytes that were shown */
};

/* Reads all; the bytes must be the original's first ones. Notes the program counters of all chunks
 * as a reader that counts instructions would. */
static inline struct outcome read_from(struct assay_source *under, const struct made *made,
                                       bool threaded)
{
    struct outcome outcome;
    struct assay_source *source;
    assert_int_equal(assay_filter_open(under, ASSAY_CONTAINER_ZSTF, threaded, &source, NULL),
                     ASSAY_OK);
    const enum assay_error error = read_against(source, made->original);
    outcome.length = assay_source_offset(source);
    const uint64_t step = assay_zstf_chunk_instructions(source);
    for (uint64_t i = step; step > 0 && i < made->instructions; i += step) {
        if (start_of(i) < outcome.length) {
            assay_zstf_note_pc(source, start_of(i), pc_of(i));
        }
    }
    assay_source_status(source, &outcome.status);
    assert_int_equal(outcome.status.fault, error);
    assay_zstf_report(source, &outcome.report);
    assay_source_close(source);
    return outcome;
}

static inline struct outcome read_packed(const struct made *made, size_t size, bool threaded)
{
    struct assay_source *under;
    assert_int_equal(assay_source_memory(made->packed.data, size, &under), ASSAY_OK);
    return read_from(under, made, threaded);
}

/* Nothing differs between index and chunks. */
static inline void assert_agrees(const struct assay_zstf_report *report)
{
    assert_int_equal(report->index, ASSAY_ZSTF_INDEX_IN_PLACE);
    assert_int_equal(report->announced_index, report->chunks_end);
    assert_int_equal(report->entries, report->chunks);
    assert_int_equal(report->entries_read, report->entries);
    assert_int_equal(report->entries_checked, report->entries);
    assert_int_equal(report->pcs_checked, report->entries);
    assert_int_equal(report->unlisted, 0);
    assert_int_equal(report->trailing_bytes, 0);
    assert_false(report->index_truncated);
    assert_false(report->offset.found);
    assert_false(report->size.found);
    assert_false(report->pc.found);
    assert_false(report->empty.found);
    assert_false(report->boundary_inside);
}

static inline void assert_whole(const struct outcome *outcome, const struct made *made)
{
    assert_int_equal(outcome->status.fault, ASSAY_OK);
    assert_int_equal(outcome->length, made->original.size);
    assert_int_equal(outcome->report.chunk_instructions, made->chunk_instructions);
}

static inline void append_number(struct blob *blob, uint64_t number)
{
    uint8_t bytes[8];
    assay_store64(bytes, number);
    append(blob, bytes, sizeof bytes);
}

/* A container by hand: `count` chunks, each of `frames` frames of `size` bytes. */
static inline struct made make_by_hand(size_t count, size_t frames, size_t size)
{
    struct made made = {.original = sample(count * frames * size), .chunk_instructions = 1};
    struct blob index = blob_of("", 0);
    append_number(&index, count);
    made.packed = blob_of("ZSTF", 4);
    append_number(&made.packed, 1);
    append_number(&made.packed, 0);
    for (size_t f = 0; f < count * frames; f++) {
        const struct blob part = {.data = made.original.data + f * size, .size = size};
        const struct blob frame = compress_with(ASSAY_CONTAINER_ZSTD, part);
        if (f % frames == 0) {
            append_number(&index, made.packed.size);
            append_number(&index, 0);
            append_number(&index, frames * size);
        }
        append(&made.packed, frame.data, frame.size);
        free(frame.data);
    }
    set_number(made.packed, 12, made.packed.size);
    append(&made.packed, index.data, index.size);
    free(index.data);
    return made;
}

#endif
