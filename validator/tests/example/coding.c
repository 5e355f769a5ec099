/* Packed fields to cells and back: by the plans that are made of the table, except for the packet
 * commit, whose count is in ULEB128. Such a coding is no matter of widths, so that the format has
 * functions of its own for the packed fields of the kind. */
#include "common/cursor.h"
#include "example/example.h"

enum { COUNT_BYTES = 3, HEAD_BYTES = 2 };

static enum assay_error unpack_commit(const uint8_t *bytes, size_t size, uint64_t *cells)
{
    struct assay_bytes count = assay_bytes_of(bytes + HEAD_BYTES, size - HEAD_BYTES);
    if (!assay_bytes_uleb128(&count, COUNT_BYTES, &cells[EXAMPLE_CELL_commit_count])) {
        return ASSAY_TRUNCATED;
    }
    cells[EXAMPLE_CELL_commit_size] = count.at;
    cells[ASSAY_CELL_PRESENCE] =
        1u << EXAMPLE_NUMBER_commit_count | 1u << EXAMPLE_NUMBER_commit_size;
    cells[ASSAY_CELL_EXCESS] = 8 * assay_bytes_left(&count);
    return ASSAY_OK;
}

enum assay_error example_unpack(const struct example_plans *plans, const struct assay_event *event,
                                uint64_t *cells)
{
    return event->kind == EXAMPLE_commit
               ? unpack_commit(event->bytes, event->bits / 8, cells)
               : assay_unpack_event(&plans->plan[event->kind], event, cells);
}

enum assay_error example_pack(const struct example_plans *plans, const struct assay_event *event,
                              uint8_t bytes[EXAMPLE_PACKED_MOST], size_t *size,
                              struct assay_diag *diag)
{
    const struct assay_packing *plan = &plans->plan[event->kind];
    struct assay_packed_length length;
    memcpy(bytes, event->bytes, plan->first_bit / 8);
    if (event->kind == EXAMPLE_commit) {
        *size = HEAD_BYTES + assay_store_uleb128(bytes + HEAD_BYTES,
                                                 event->cells[EXAMPLE_CELL_commit_count],
                                                 (unsigned)event->cells[EXAMPLE_CELL_commit_size]);
        return ASSAY_OK;
    }
    const enum assay_error error = assay_pack(plan, event->cells, plan->kind->sign_compressed,
                                              bytes, EXAMPLE_PACKED_MOST, &length, diag);
    *size = error == ASSAY_OK ? length.bytes : 0;
    return error;
}
