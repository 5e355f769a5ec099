/* A chunked container, read with a thread and without: both must say the same. */
#include "io/zstf.h"
#include "io/filter.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/target.h"

struct outcome {
    struct assay_zstf_report report;
    struct assay_source_status status;
    uint64_t length;
    uint64_t sum; /* of the bytes */
};

static struct outcome read_all(const uint8_t *input, size_t size, bool threaded)
{
    enum { LENGTH_MAX = 1 << 20 };
    struct outcome outcome = {0};
    struct assay_source *under = NULL;
    struct assay_source *source = NULL;
    const uint8_t *data;
    size_t have;
    if (assay_source_memory(input, size, &under) != ASSAY_OK ||
        assay_filter_open(under, ASSAY_CONTAINER_ZSTF, threaded, &source, NULL) != ASSAY_OK) {
        abort();
    }
    do {
        (void)assay_source_peek(source, 1, &data, &have);
        for (size_t i = 0; i < have; i++) {
            outcome.sum = outcome.sum * 31 + data[i];
        }
        assay_source_consume(source, have);
    } while (have > 0 && assay_source_offset(source) < LENGTH_MAX);
    for (uint64_t i = 1; i < 8; i++) {
        assay_zstf_note_pc(source, i * 100, i);
    }
    /* What a bomb would continue with is left out. */
    if (have == 0) {
        outcome.length = assay_source_offset(source);
        assay_source_status(source, &outcome.status);
        assay_zstf_report(source, &outcome.report);
    } else {
        outcome.sum = 0;
    }
    assay_source_close(source);
    return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct outcome a = read_all(data, size, false);
    const struct outcome b = read_all(data, size, true);
    if (a.length != b.length || a.sum != b.sum || a.status.fault != b.status.fault ||
        strcmp(a.status.detail, b.status.detail) != 0 || a.report.index != b.report.index ||
        a.report.chunks != b.report.chunks || a.report.unlisted != b.report.unlisted ||
        a.report.entries_checked != b.report.entries_checked ||
        a.report.unlisted > a.report.frames || a.report.entries_checked > a.report.entries_read) {
        abort();
    }
    return 0;
}
