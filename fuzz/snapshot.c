/* A CoreSight snapshot, or a trace package, of the files that the input holds one after the other,
 * separated by the byte 1, which no INI file has: the first begins with the byte that says which it
 * is. They are written to a folder with the files `a` and `b`. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/files.h"
#include "fuzz/folder.h"
#include "model/model.h"
#include "snapshot/snapshot.h"

/* Each input replaces these; the first is the snapshot's, or the package's. */
static const char *const written[] = {NULL, "cpu.ini", "unit.ini", "trace.ini"};

/* What they name is made once in a run. */
static void make_files(void)
{
    static bool made;
    if (!made) {
        made = true;
        folder_write("a", "0123456789abcdef", 16);
        folder_write("b", "", 0);
    }
}

/* Reads where the memory changes, in windows of moments, in several contexts. */
static void read_changes(const struct assay_image_set *set, const struct assay_timeline *timeline)
{
    struct assay_image_cursor cursor;
    uint8_t bytes[16];
    assay_image_cursor_open(&cursor, set);
    for (size_t i = 0; i < timeline->write_count && i < 64; i++) {
        const struct assay_write *write = &timeline->writes[i];
        const struct assay_space space = {.given = ASSAY_SPACE_CONTEXT,
                                          .context = i % 2 == 0 ? write->space.context : i};
        (void)assay_image_select(&cursor, &space);
        for (uint32_t low = 0; low <= timeline->moments && low < 8; low++) {
            const struct assay_moments moments = {low, low + (uint32_t)i % 3};
            assay_image_select_moments(&cursor, moments);
            assay_image_begin_span(&cursor);
            (void)assay_image_copy(&cursor, write->first - i % 2, bytes, sizeof bytes);
            if (!assay_image_in_span(&cursor, &cursor.span)) {
                abort();
            }
        }
    }
}

static void use_stream(const struct assay_manifest_stream *stream)
{
    const struct assay_format *format =
        stream->format != NULL ? assay_format_by_name(stream->format) : NULL;
    struct assay_image_set *set = NULL;
    struct assay_diag diag;
    if (format != NULL) {
        struct assay_parameter_values values;
        assay_parameters_init(&values, format->parameters);
        (void)assay_manifest_configure(stream, &values, &diag);
    }
    if (assay_image_set_open(NULL, &set) == ASSAY_OK) {
        if (assay_manifest_images(stream, set, &diag) == ASSAY_OK && stream->timeline != NULL) {
            read_changes(set, stream->timeline);
        }
        assay_image_set_free(set);
    }
}

/* Loads a snapshot and, if it has several buffers, each. */
static void load(const char *path, bool all)
{
    const struct assay_manifest_options options = {.formats = assay_formats};
    struct assay_manifest m;
    struct assay_diag diag;
    if (assay_manifest_load(path, &options, &m, &diag) != ASSAY_OK) {
        return;
    }
    for (size_t i = 0; i < m.data_count; i++) {
        /* Nothing outside of the folder can be reached. */
        require(folder_has(m.data[i]));
    }
    if (m.data_count > 0) {
        use_stream(&m.all);
    }
    for (size_t i = 0; i < m.stream_count; i++) {
        use_stream(&m.streams[i]);
    }
    for (size_t i = 0; m.data_count == 0 && i < m.input_count; i++) {
        if (!all) {
            abort(); /* a buffer that is named is one input */
        }
        load(m.inputs[i], false);
    }
    assay_manifest_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bool package = size > 0 && data[0] == 'p';
    const char *const name = package ? CS_PACKAGE_FILE : CS_SNAPSHOT_FILE;
    struct part rest = {(const char *)data + (size > 0), size - (size > 0)};
    char path[FOLDER_PATH_MOST];
    make_files();
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        const struct part part = next_part(&rest);
        folder_write(i == 0 ? name : written[i], part.text, part.size);
    }
    folder_path(name, path);
    load(path, true);
    return 0;
}
