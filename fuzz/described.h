/* An input of a target of traces: a manifest and the files that it names, so that a trace comes
 * with its configuration, program, facts and recorded execution.
 *
 * The text of the manifest ends at the first byte 1. The next byte is how many files follow, "1",
 * "2" and so on: of each, two bytes of its size, the least significant first, and its bytes. What
 * is left is the file "0", which is the trace. fuzz/seeds.c writes such inputs. */
#ifndef ASSAY_FUZZ_DESCRIBED_H
#define ASSAY_FUZZ_DESCRIBED_H

#include "fuzz/folder.h"
#include "fuzz/reached.h"
#include "validator/engine/bundle.h"

enum { DESCRIBED_FILES = 32, DESCRIBED_MOST = 1 << 13 };

/* With the path of the manifest and the bytes of the trace. */
struct described {
    char path[FOLDER_PATH_MOST];
    const uint8_t *trace;
    size_t size;
    struct assay_bundle bundle;
};

static inline size_t described_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Writes the files. Those that another input had are emptied: no input depends on one before it. */
static inline void described_write(struct described *d, const uint8_t *data, size_t size)
{
    static unsigned written;
    const unsigned count = size > 0 ? data[0] % DESCRIBED_FILES : 0;
    const uint8_t *const end = data + size;
    const unsigned all = count > written ? count : written;
    data += size > 0;
    for (unsigned i = 1; i <= all; i++) {
        char name[8];
        size_t length = 0;
        if (i <= count && end - data >= 2) {
            length = described_least((size_t)(data[0] | data[1] << 8), (size_t)(end - data) - 2);
            data += 2;
        }
        snprintf(name, sizeof name, "%u", i);
        folder_write(name, data, length);
        data += length;
    }
    written = count;
    d->trace = data;
    d->size = (size_t)(end - data);
    folder_write("0", d->trace, d->size);
}

/* Opens an input whose manifest can be read and has one file of data, a trace of the format. It is
 * to be closed in any case. */
static inline bool described_open(struct described *d, const struct assay_format *format,
                                  const uint8_t *data, size_t size)
{
    const uint8_t *const end = size > 0 ? memchr(data, 1, size) : NULL;
    struct assay_diag diag;
    *d = (struct described){.size = 0};
    reached_of(format)->own = true;
    if (end == NULL || size > DESCRIBED_MOST) {
        return false;
    }
    folder_write("input.assay.yaml", data, (size_t)(end - data));
    folder_path("input.assay.yaml", d->path);
    described_write(d, end + 1, size - (size_t)(end + 1 - data));
    const struct assay_input input = {.path = d->path};
    const struct assay_manifest *const m = &d->bundle.manifest;
    return assay_bundle_open(&input, false, &d->bundle, &diag) == ASSAY_OK &&
           d->bundle.input.setup.format == format && m->data_count == 1 &&
           strcmp(m->names[0], "0") == 0;
}

static inline void described_close(struct described *d)
{
    assay_bundle_close(&d->bundle);
}

#endif
