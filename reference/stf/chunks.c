#include "stf/chunks.h"

#include "io/zstf.h"
#include "stf/stf.h"

static bool set_difference(const struct assay_zstf_difference *difference,
                           enum stf_index_difference what, uint64_t *cells)
{
    if (difference->found) {
        cells[STF_CELL_end_index_difference] = what;
        cells[STF_CELL_end_index_entry] = difference->entry;
        cells[STF_CELL_end_indexed_value] = difference->indexed;
        cells[STF_CELL_end_actual_value] = difference->actual;
    }
    return difference->found;
}

void stf_chunks_end(const struct assay_source *source, uint64_t *cells)
{
    struct assay_zstf_report r;
    assay_zstf_report(source, &r);
    const bool found =
        r.index == ASSAY_ZSTF_INDEX_ELSEWHERE || r.index == ASSAY_ZSTF_INDEX_IN_PLACE;
    cells[STF_CELL_end_index_found] |=
        stf_at(end, index_reached, r.index != ASSAY_ZSTF_INDEX_NOT_REACHED) |
        stf_at(end, index_found, found) | stf_at(end, index_cut, r.index_truncated) |
        stf_at(end, boundary_inside, r.boundary_inside);
    cells[STF_CELL_end_index_announced] = r.announced_index;
    cells[STF_CELL_end_index_at] = r.chunks_end;
    cells[STF_CELL_end_entries_announced] = r.entries;
    cells[STF_CELL_end_entries_found] = r.entries_read;
    cells[STF_CELL_end_frames_unlisted] = r.unlisted;
    cells[STF_CELL_end_boundary_at] = r.boundary_offset;
    cells[STF_CELL_end_index_trailing] = r.trailing_bytes & UINT32_MAX;
    cells[STF_CELL_end_chunk_instructions] = r.chunk_instructions;
    if (!set_difference(&r.offset, STF_INDEX_OFFSET, cells) &&
        !set_difference(&r.size, STF_INDEX_SIZE, cells) &&
        !set_difference(&r.pc, STF_INDEX_PC, cells)) {
        set_difference(&r.empty, STF_INDEX_EMPTY, cells);
    }
}
