/* The reader of the chunked container: header, frames, index, in their order in the file. */
#include "io/zstf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/bytes.h"
#include "io/filter_decode.h"
#include "io/zstf_private.h"

enum { MAGIC_BYTES = 4, NUMBER_BYTES = 8 };

static const uint8_t magic[MAGIC_BYTES] = {'Z', 'S', 'T', 'F'};

bool assay_zstf_matches(const uint8_t *data, size_t size)
{
    return size >= sizeof magic && memcmp(data, magic, sizeof magic) == 0;
}

/* What is below ended: by its own fault, or else by `error`. */
static void end_with_input(struct assay_codec_fault *fault, const struct assay_source *under,
                           enum assay_error below, enum assay_error error, const char *detail)
{
    if (below == ASSAY_OK) {
        assay_codec_fail(fault, error, detail);
        return;
    }
    struct assay_source_status status;
    assay_source_status(under, &status);
    assay_codec_fail(fault, below, status.detail);
}

static void read_header(struct assay_zstf *zstf, struct assay_source *under)
{
    const uint8_t *data;
    size_t have;
    const enum assay_error below = assay_source_peek(under, ASSAY_ZSTF_HEADER_BYTES, &data, &have);
    const size_t known = have < sizeof magic ? have : sizeof magic;
    zstf->start = assay_source_offset(under);
    if (known > 0 && memcmp(data, magic, known) != 0) {
        assay_codec_fail(&zstf->header_fault, ASSAY_CORRUPT, "no header of a .zstf file is here");
    } else if (have < ASSAY_ZSTF_HEADER_BYTES) {
        end_with_input(&zstf->header_fault, under, below, ASSAY_TRUNCATED,
                       "the input ends inside the header of a .zstf file");
    } else {
        zstf->report.chunk_instructions = assay_load64(data + MAGIC_BYTES);
        zstf->report.announced_index = assay_load64(data + MAGIC_BYTES + NUMBER_BYTES);
        assay_source_consume(under, ASSAY_ZSTF_HEADER_BYTES);
    }
}

/* Whether these bytes, after the last frame, are an index although the header does not say so. */
static bool looks_like_index(const struct assay_zstf *zstf, const uint8_t *data, size_t have)
{
    if (have < NUMBER_BYTES + ASSAY_ZSTF_ENTRY_BYTES) {
        return false;
    }
    const uint64_t count = assay_load64(data);
    return count > 0 && count <= zstf->report.frames &&
           assay_load64(data + NUMBER_BYTES) == ASSAY_ZSTF_HEADER_BYTES &&
           assay_load64(data + 2 * NUMBER_BYTES) == 0;
}

/* Shows `size` bytes of the index and steps over them; null where they are not all there. */
static const uint8_t *take(struct assay_zstf *zstf, struct assay_source *under, size_t size,
                           struct assay_codec_fault *fault)
{
    const uint8_t *data;
    size_t have;
    const enum assay_error below = assay_source_peek(under, size, &data, &have);
    assay_source_consume(under, size);
    if (have >= size) {
        return data;
    }
    zstf->report.index_truncated = true;
    if (below != ASSAY_OK) {
        end_with_input(fault, under, below, below, NULL);
    }
    return NULL;
}

static void read_index(struct assay_zstf *zstf, struct assay_source *under,
                       struct assay_codec_fault *fault)
{
    struct assay_zstf_report *report = &zstf->report;
    report->index = report->announced_index == report->chunks_end ? ASSAY_ZSTF_INDEX_IN_PLACE
                                                                  : ASSAY_ZSTF_INDEX_ELSEWHERE;
    const uint8_t *data = take(zstf, under, NUMBER_BYTES, fault);
    if (data != NULL) {
        report->entries = assay_load64(data);
    }
    for (uint64_t i = 0; data != NULL && i < report->entries; i++) {
        data = take(zstf, under, ASSAY_ZSTF_ENTRY_BYTES, fault);
        if (data != NULL) {
            const struct assay_zstf_entry entry = {.offset = assay_load64(data),
                                                   .pc = assay_load64(data + NUMBER_BYTES),
                                                   .size = assay_load64(data + 2 * NUMBER_BYTES)};
            assay_zstf_add_entry(zstf, &entry);
        }
    }
    assay_zstf_end_entries(zstf);
}

/* What follows the frames is not the index. */
static void end_without_index(struct assay_zstf *zstf, const struct assay_source *under,
                              enum assay_error below, size_t have, struct assay_codec_fault *fault)
{
    struct assay_zstf_report *report = &zstf->report;
    if (have >= MAGIC_BYTES) {
        assay_codec_fail(fault, ASSAY_CORRUPT, "");
        snprintf(
            fault->detail, sizeof fault->detail,
            "neither a zstd frame nor the index is at byte %llu, where one of them is expected",
            (unsigned long long)report->chunks_end);
    } else if (below != ASSAY_OK || have > 0) {
        end_with_input(fault, under, below, ASSAY_TRUNCATED, "the input ends inside a chunk");
    } else if (report->announced_index > report->chunks_end) {
        assay_codec_fail(fault, ASSAY_TRUNCATED, "");
        snprintf(fault->detail, sizeof fault->detail,
                 "the input ends at byte %llu, before its index, which the header places at %llu",
                 (unsigned long long)report->chunks_end,
                 (unsigned long long)report->announced_index);
    } else {
        report->index =
            report->announced_index == 0 ? ASSAY_ZSTF_INDEX_NONE : ASSAY_ZSTF_INDEX_MISSING;
    }
}

/* A magic is a frame even where the header announces the index: to be one, it would have to count
 * some hundred million chunks. */
static bool frame_follows(void *context, struct assay_source *under, uint64_t made,
                          struct assay_codec_fault *fault)
{
    struct assay_zstf *zstf = context;
    if (zstf->header_fault.error != ASSAY_OK) {
        *fault = zstf->header_fault;
        return false;
    }
    const uint8_t *data;
    size_t have;
    enum assay_error below = assay_source_peek(under, MAGIC_BYTES, &data, &have);
    const uint64_t at = assay_source_offset(under) - zstf->start;
    if (assay_container_matches(ASSAY_CONTAINER_ZSTD, data, have)) {
        assay_zstf_add_frame(zstf, at, made);
        return true;
    }
    assay_zstf_end_frames(zstf, at, made);
    below = assay_source_peek(under, NUMBER_BYTES + ASSAY_ZSTF_ENTRY_BYTES, &data, &have);
    if (zstf->report.announced_index == at || looks_like_index(zstf, data, have)) {
        read_index(zstf, under, fault);
    } else {
        end_without_index(zstf, under, below, have, fault);
    }
    return false;
}

static void free_zstf(void *context)
{
    struct assay_zstf *zstf = context;
    free(zstf->frames);
    free(zstf->notes);
    free(zstf);
}

enum assay_error assay_zstf_frame(struct assay_source *under,
                                  struct assay_container_framing *framing)
{
    struct assay_zstf *zstf = calloc(1, sizeof *zstf);
    if (zstf == NULL) {
        return ASSAY_NO_MEMORY;
    }
    read_header(zstf, under);
    *framing = (struct assay_container_framing){
        .stream_follows = frame_follows, .close = free_zstf, .context = zstf};
    return ASSAY_OK;
}

static struct assay_zstf *zstf_of(const struct assay_source *source)
{
    return assay_filter_framing(source)->context;
}

uint64_t assay_zstf_chunk_instructions(const struct assay_source *source)
{
    return zstf_of(source)->report.chunk_instructions;
}

void assay_zstf_note_pc(struct assay_source *source, uint64_t stream_offset, uint64_t pc)
{
    assay_zstf_add_note(zstf_of(source), stream_offset, pc);
}

/* After an interruption the thread may still be at work. */
void assay_zstf_report(const struct assay_source *source, struct assay_zstf_report *report)
{
    const struct assay_zstf *zstf = zstf_of(source);
    if (!source->ended || atomic_load(&source->interrupted)) {
        *report = (struct assay_zstf_report){.chunk_instructions = zstf->report.chunk_instructions,
                                             .announced_index = zstf->report.announced_index};
        return;
    }
    struct assay_source_status status;
    assay_source_status(source, &status);
    *report = zstf->report;
    report->trailing_bytes = status.trailing_bytes;
    if (report->chunks_end != 0) {
        assay_zstf_check_notes(zstf, report);
    } else {
        report->chunks = report->frames;
    }
}
