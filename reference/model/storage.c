#include "model/storage.h"

#include "model/layout.h"

static const struct assay_enumerator containers[] = {
#define X(id, name, text) {ASSAY_CONTAINER_##id, name, text},
    ASSAY_CONTAINERS(X)
#undef X
};
const struct assay_enumeration assay_containers = {"container", containers,
                                                   ASSAY_COUNT(containers)};

static const struct assay_enumerator stream_faults[] = {
#define X(id, name, text) {ASSAY_##id, name, text},
    ASSAY_ERRORS(X)
#undef X
};
const struct assay_enumeration assay_stream_faults = {"stream_fault", stream_faults,
                                                      ASSAY_COUNT(stream_faults)};

enum assay_error assay_storage_check(const struct assay_source_status *status,
                                     struct assay_diag *diag)
{
    return status->fault == ASSAY_NO_MEMORY
               ? assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "%s", status->detail)
               : ASSAY_OK;
}

enum assay_storage_fault assay_storage_fault(enum assay_error fault)
{
    switch (fault) {
    case ASSAY_CORRUPT:
        return ASSAY_STORAGE_CORRUPT_STREAM;
    case ASSAY_TRUNCATED:
        return ASSAY_STORAGE_TRUNCATED_STREAM;
    case ASSAY_LIMIT:
    case ASSAY_UNSUPPORTED:
        return ASSAY_STORAGE_UNSUPPORTED_STREAM;
    default:
        return ASSAY_STORAGE_READ_ERROR;
    }
}

void assay_storage_end(enum assay_container container, const struct assay_source_status *status,
                       uint64_t *cells)
{
    const uint64_t streams = status->streams < UINT32_MAX ? status->streams : UINT32_MAX;
    cells[0] = (uint64_t)container | (uint64_t)(status->fault & 0xff) << 8 | streams << 16;
    cells[1] = status->trailing_bytes;
    cells[2] = status->stored_offset;
}
