/* The index checked against the frames. The end of a chunk is given twice: by the offset of the
 * next entry and by the size of this one. A chunk is often a single frame but need not be, so that
 * both are needed to decide which entry is wrong, and to resynchronise after it. */
#include <stdlib.h>

#include "io/zstf_private.h"

/* Makes room for one more element of `size` bytes in an array that holds at most `most`; null when
 * it is full or memory is out.
 */
static void *grow(void *array, size_t *capacity, size_t count, size_t most, size_t size)
{
    if (count < *capacity) {
        return array;
    }
    const size_t wanted = *capacity != 0 ? *capacity * 2 : 64;
    if (wanted > most) {
        return NULL;
    }
    void *grown = realloc(array, wanted * size);
    if (grown != NULL) {
        *capacity = wanted;
    }
    return grown;
}

static void keep_frame(struct assay_zstf *zstf, uint64_t at, uint64_t stream_offset)
{
    struct assay_zstf_frame *frames =
        grow(zstf->frames, &zstf->capacity, zstf->kept, ASSAY_ZSTF_KEPT_MAX, sizeof *frames);
    if (frames == NULL) {
        zstf->dropped = true;
        return;
    }
    zstf->frames = frames;
    frames[zstf->kept++] = (struct assay_zstf_frame){.at = at, .stream_offset = stream_offset};
}

void assay_zstf_add_frame(struct assay_zstf *zstf, uint64_t at, uint64_t stream_offset)
{
    zstf->report.frames++;
    if (!zstf->dropped) {
        keep_frame(zstf, at, stream_offset);
    }
}

/* A sentinel ends the list of frames, so that each has a next one. With too many
 * frames it is the last one stored. */
void assay_zstf_end_frames(struct assay_zstf *zstf, uint64_t at, uint64_t stream_offset)
{
    zstf->report.chunks_end = at;
    zstf->report.chunks = zstf->report.frames;
    if (!zstf->dropped) {
        keep_frame(zstf, at, stream_offset);
    }
    if (zstf->kept > 0) {
        zstf->kept--;
    }
}

enum order { BY_PLACE, BY_STREAM_OFFSET };

static uint64_t key(const struct assay_zstf_frame *frame, enum order order)
{
    return order == BY_PLACE ? frame->at : frame->stream_offset;
}

/* The first frame from `from` on, what ends them included, that is at `value`; beyond all if none.
 */
static size_t find(const struct assay_zstf *zstf, size_t from, uint64_t value, enum order order)
{
    size_t low = from;
    size_t high = zstf->kept + 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (key(&zstf->frames[middle], order) < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low <= zstf->kept && key(&zstf->frames[low], order) == value ? low : SIZE_MAX;
}

static void differ(struct assay_zstf_difference *first, uint64_t entry, uint64_t indexed,
                   uint64_t actual)
{
    if (!first->found) {
        *first = (struct assay_zstf_difference){true, entry, indexed, actual};
    }
}

static uint64_t size_of(const struct assay_zstf *zstf, size_t from, size_t to)
{
    return zstf->frames[to].stream_offset - zstf->frames[from].stream_offset;
}

/* Where the chunk would end by its size; beyond all if no frame ends there. A sum that wraps is
 * below all that is looked at. */
static size_t end_by_size(const struct assay_zstf *zstf)
{
    return find(zstf, zstf->chunk + 1, zstf->frames[zstf->chunk].stream_offset + zstf->entry.size,
                BY_STREAM_OFFSET);
}

/* The chunk's frames end at `by_offset`, as what follows says. If by its size it ends sooner,
 * after a whole frame, then the frames between are in no chunk. */
static void check_size(struct assay_zstf *zstf, uint64_t number, size_t by_offset, size_t by_size)
{
    struct assay_zstf_report *report = &zstf->report;
    const uint64_t size = size_of(zstf, zstf->chunk, by_offset);
    if (size == zstf->entry.size) {
        return;
    }
    if (by_size >= by_offset) {
        differ(&report->size, number, zstf->entry.size, size);
        return;
    }
    if (report->unlisted == 0) {
        report->first_unlisted = zstf->frames[by_size].at;
    }
    report->unlisted += by_offset - by_size;
}

/* The chunk of the last entry ends, with the next one at `next` in the file or with the chunks; the
 * frame where that is. */
static size_t end_chunk(struct assay_zstf *zstf, uint64_t next)
{
    struct assay_zstf_report *report = &zstf->report;
    const uint64_t number = report->entries_checked - 1;
    const size_t chunk = zstf->chunk;
    if (chunk == zstf->kept) {
        if (zstf->entry.size != 0) {
            differ(&report->size, number, zstf->entry.size, 0);
        }
        return chunk;
    }
    const size_t by_offset = find(zstf, chunk, next, BY_PLACE);
    const size_t by_size = end_by_size(zstf);
    if (by_offset == chunk && (zstf->entry.size == 0 || by_size == SIZE_MAX)) {
        differ(&report->empty, number, zstf->entry.offset, zstf->frames[chunk].at);
        if (zstf->entry.size != 0) {
            differ(&report->size, number, zstf->entry.size, 0);
        }
        return chunk;
    }
    zstf->listed++;
    if (by_offset != SIZE_MAX && by_offset != chunk) {
        check_size(zstf, number, by_offset, by_size);
        return by_offset;
    }
    if (by_size != SIZE_MAX) {
        return by_size;
    }
    differ(&report->size, number, zstf->entry.size, size_of(zstf, chunk, chunk + 1));
    return chunk + 1;
}

/* Entries after the frames that were stored cannot be checked. */
static bool is_beyond(const struct assay_zstf *zstf)
{
    return zstf->dropped && (zstf->kept == 0 || zstf->chunk == zstf->kept);
}

void assay_zstf_add_entry(struct assay_zstf *zstf, const struct assay_zstf_entry *entry)
{
    struct assay_zstf_report *report = &zstf->report;
    report->entries_read++;
    if (is_beyond(zstf) || (zstf->dropped && entry->offset > zstf->frames[zstf->kept].at)) {
        return;
    }
    if (report->entries_checked > 0) {
        zstf->chunk = end_chunk(zstf, entry->offset);
    }
    const uint64_t number = report->entries_checked++;
    struct assay_zstf_frame *frame = &zstf->frames[zstf->chunk];
    if (entry->offset != frame->at) {
        differ(&report->offset, number, entry->offset, frame->at);
    }
    if (zstf->chunk == zstf->kept && !zstf->dropped) {
        differ(&report->empty, number, entry->offset, frame->at);
    } else {
        frame->entry = number + 1;
        frame->pc = entry->pc;
    }
    if (number == 0) {
        report->pcs_checked++;
        if (entry->pc != 0) {
            differ(&report->pc, 0, entry->pc, 0);
        }
    }
    zstf->entry = *entry;
}

void assay_zstf_end_entries(struct assay_zstf *zstf)
{
    struct assay_zstf_report *report = &zstf->report;
    if (zstf->dropped) {
        report->chunks = report->entries_read;
        return;
    }
    if (report->entries_checked > 0) {
        zstf->chunk = end_chunk(zstf, report->chunks_end);
    }
    if (zstf->chunk < zstf->kept) {
        if (report->unlisted == 0) {
            report->first_unlisted = zstf->frames[zstf->chunk].at;
        }
        report->unlisted += zstf->kept - zstf->chunk;
    }
    report->chunks = zstf->listed + report->unlisted;
}

void assay_zstf_add_note(struct assay_zstf *zstf, uint64_t stream_offset, uint64_t pc)
{
    const size_t n = zstf->note_count;
    if (stream_offset <= (n > 0 ? zstf->notes[n - 1].stream_offset : 0)) {
        return;
    }
    struct assay_zstf_note *notes =
        grow(zstf->notes, &zstf->note_capacity, n, ASSAY_ZSTF_KEPT_MAX, sizeof *notes);
    if (notes != NULL) {
        zstf->notes = notes;
        notes[zstf->note_count++] = (struct assay_zstf_note){stream_offset, pc};
    }
}

/* Frames that hold nothing begin where the next one does; one of them may begin the chunk. */
static const struct assay_zstf_frame *chunk_at(const struct assay_zstf *zstf,
                                               uint64_t stream_offset)
{
    const size_t first = find(zstf, 0, stream_offset, BY_STREAM_OFFSET);
    if (first == SIZE_MAX) {
        return NULL;
    }
    const struct assay_zstf_frame *chunk = &zstf->frames[first];
    for (size_t i = first; i < zstf->kept && zstf->frames[i].stream_offset == stream_offset; i++) {
        if (zstf->frames[i].entry != 0) {
            chunk = &zstf->frames[i];
        }
    }
    return chunk;
}

void assay_zstf_check_notes(const struct assay_zstf *zstf, struct assay_zstf_report *report)
{
    for (size_t i = 0; i < zstf->note_count && zstf->frames != NULL; i++) {
        const struct assay_zstf_note *note = &zstf->notes[i];
        if (note->stream_offset > zstf->frames[zstf->kept].stream_offset) {
            return;
        }
        const struct assay_zstf_frame *chunk = chunk_at(zstf, note->stream_offset);
        if (chunk == NULL) {
            if (!report->boundary_inside) {
                report->boundary_inside = true;
                report->boundary_offset = note->stream_offset;
            }
        } else if (chunk->entry != 0) {
            report->pcs_checked++;
            if (chunk->pc != note->pc) {
                differ(&report->pc, chunk->entry - 1, chunk->pc, note->pc);
            }
        }
    }
}
