/* Trace packages: contents.ini names the buffers and the metadata about their streams (CoreSight
 * trace decode metadata requirements, sections 6.3 and 6.4). */
#include <stdlib.h>
#include <string.h>

#include "snapshot/memory.h"

/* --- buffers --- */

/* Whether a key is this name with a number: "buffer0". */
static bool is_numbered(const char *key, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(key, name, length) == 0 && key[length] != '\0' &&
           strspn(key + length, "0123456789") == strlen(key + length);
}

/* A number is written in one way only: "buffer00" would be a second name of "buffer0". */
static enum assay_error check_number(const struct cs_snapshot *s, const struct assay_yaml *key,
                                     const char *name)
{
    if (!is_numbered(key->text, name)) {
        return ASSAY_OK;
    }
    const char *number = key->text + strlen(name);
    return number[0] != '0' || number[1] == '\0'
               ? ASSAY_OK
               : assay_yaml_fail(key, s->reader.diag, ASSAY_SYNTAX,
                                 "the number of \"%.40s\" has zeros before it", key->text);
}

/* The metadata about a buffer: of its number, or else of all. */
static enum assay_error find_metadata(struct cs_snapshot *s, const struct assay_yaml *trace,
                                      const char *buffer, const struct assay_yaml **root)
{
    static const char name[] = "metadata";
    const char *number = buffer + strlen("buffer");
    const struct assay_yaml *file = NULL;
    const char *path = NULL;
    for (size_t i = 0; i < trace->count; i++) {
        const char *key = trace->items[2 * i]->text;
        if (is_numbered(key, name) && strcmp(key + strlen(name), number) == 0) {
            file = trace->items[2 * i + 1];
        }
    }
    enum assay_error error = file != NULL ? ASSAY_OK : cs_snapshot_need(s, trace, name, &file);
    error = error != ASSAY_OK ? error : assay_manifest_resolve(&s->reader, file, name, &path);
    return error != ASSAY_OK ? error : cs_snapshot_read(s, path, root);
}

static enum assay_error list(struct cs_snapshot *s)
{
    const struct assay_yaml *trace = NULL;
    enum assay_error error = cs_snapshot_need(s, s->root, "trace", &trace);
    for (size_t i = 0; error == ASSAY_OK && i < trace->count; i++) {
        const struct assay_yaml *key = trace->items[2 * i];
        const struct cs_buffer buffer = {
            .name = key->text, .file = trace->items[2 * i + 1], .about = trace};
        error = check_number(s, key, "metadata");
        error = error != ASSAY_OK ? error : check_number(s, key, "buffer");
        if (error == ASSAY_OK && is_numbered(key->text, "buffer")) {
            error = cs_snapshot_add_buffer(s, key, &buffer);
        }
    }
    return error == ASSAY_OK && s->buffer_count == 0
               ? assay_yaml_fail(trace, s->reader.diag, ASSAY_USAGE,
                                 "the section has no \"buffer0\"")
               : error;
}

/* --- streams --- */

/* The trace id in the name of a section, decimal or 0x. */
static enum assay_error read_id(const struct cs_snapshot *s, const struct assay_yaml *name,
                                uint64_t *id)
{
    struct assay_yaml number = *name;
    number.text += strlen("trace_");
    number.length -= strlen("trace_");
    return assay_yaml_u64(&number, id) && *id > 0 && *id <= ASSAY_CORESIGHT_ID_MAX
               ? ASSAY_OK
               : assay_yaml_fail(name, s->reader.diag, ASSAY_OUT_OF_RANGE,
                                 "\"%s\" is no trace id from 1 to 0x%x", number.text,
                                 ASSAY_CORESIGHT_ID_MAX);
}

static enum assay_error read_stream(struct cs_snapshot *s, const struct assay_yaml *name,
                                    const struct assay_yaml *section,
                                    const struct cs_images *images)
{
    struct assay_manifest_stream *stream = NULL;
    const struct assay_yaml *format = NULL;
    uint64_t id = 0;
    enum assay_error error = read_id(s, name, &id);
    error = error != ASSAY_OK ? error : cs_snapshot_need(s, section, "format", &format);
    error = error != ASSAY_OK ? error : cs_package_check_items(s, section);
    error = error != ASSAY_OK ? error : cs_snapshot_begin_stream(s, name, &stream);
    if (error != ASSAY_OK) {
        return error;
    }
    const struct cs_source source = {.name = name->text,
                                     .type = format->text,
                                     .registers = section,
                                     .dumps = s->root,
                                     .images = images};
    error = cs_snapshot_describe(s, &source, stream);
    if (error != ASSAY_OK) {
        return error;
    }
    if (stream->has_id && stream->id != id) {
        return assay_yaml_fail(name, s->reader.diag, ASSAY_CONTRADICTION,
                               "the register with the trace id says 0x%x", (unsigned)stream->id);
    }
    stream->has_id = true;
    stream->id = id;
    return cs_snapshot_end_stream(s, name, stream);
}

/* What the metadata says of a buffer and its streams. */
struct about {
    const struct assay_yaml *root;
    const struct assay_yaml *section;
    const struct assay_yaml *sources; /* the streams of the buffer, or null: all that there are */
    bool numbered;                    /* each buffer has a section, as debuggers write it */
};

static enum assay_error find_section(const struct cs_snapshot *s, const struct cs_buffer *buffer,
                                     struct about *about)
{
    static const char first[] = "buffer";
    if (assay_yaml_get(about->root, "trace_buffers") != NULL) {
        assay_fail(s->reader.diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                   "this is what a snapshot says of its buffers");
        assay_diag_path(s->reader.diag, about->root->path);
        assay_diag_hint(s->reader.diag, "give the %s beside it", CS_SNAPSHOT_FILE);
        return ASSAY_UNSUPPORTED;
    }
    about->section = assay_yaml_get(about->root, buffer->name);
    about->numbered = about->section != NULL;
    if (about->numbered) {
        about->sources = assay_yaml_get(about->section, "sources");
        return ASSAY_OK;
    }
    const enum assay_error error = cs_snapshot_need(s, about->root, first, &about->section);
    return error != ASSAY_OK || strcmp(about->root->items[0]->text, first) == 0
               ? error
               : assay_yaml_fail(about->root->items[0], s->reader.diag, ASSAY_SYNTAX,
                                 "the first section is [buffer]");
}

/* Each stream that a buffer is said to have has a section. */
static enum assay_error check_listed(const struct cs_snapshot *s, const struct about *about)
{
    const char *at = about->sources != NULL ? about->sources->text : "";
    const char *name = NULL;
    size_t length = 0;
    while (cs_next_name(&at, &name, &length)) {
        size_t i = 0;
        while (i < about->root->count && (about->root->items[2 * i]->length != length ||
                                          memcmp(about->root->items[2 * i]->text, name, length))) {
            i++;
        }
        if (i == about->root->count) {
            return assay_yaml_fail(about->sources, s->reader.diag, ASSAY_UNKNOWN_NAME,
                                   "there is no section [%.*s] about this source", (int)length,
                                   name);
        }
    }
    return ASSAY_OK;
}

/* Reads a section that is not the buffer's own. */
static enum assay_error read_section(struct cs_snapshot *s, const struct about *about, size_t i,
                                     const struct cs_images *images)
{
    const struct assay_yaml *name = about->root->items[2 * i];
    const struct assay_yaml *section = about->root->items[2 * i + 1];
    if (strncmp(name->text, "trace_", strlen("trace_")) == 0) {
        return about->sources == NULL || cs_lists_name(about->sources, name->text)
                   ? read_stream(s, name, section, images)
                   : ASSAY_OK;
    }
    return about->numbered && is_numbered(name->text, "buffer")
               ? check_number(s, name, "buffer")
               : assay_yaml_fail(name, s->reader.diag, ASSAY_UNKNOWN_NAME,
                                 "[%.80s] is no section here: each but the first is of a "
                                 "stream, [trace_ID]",
                                 name->text);
}

/* The metadata is read once more for each buffer. */
static enum assay_error read(struct cs_snapshot *s, const struct cs_buffer *buffer)
{
    static const char *const raw[] = {"raw", "unformatted", "source_data", NULL};
    static const char *const frames[] = {"coresight", NULL};
    struct about about = {.root = NULL};
    const struct assay_yaml *format = NULL;
    struct cs_memory memory;
    enum assay_error error = find_metadata(s, buffer->about, buffer->name, &about.root);
    error = error != ASSAY_OK ? error : find_section(s, buffer, &about);
    error = error != ASSAY_OK ? error : check_listed(s, &about);
    error = error != ASSAY_OK ? error : cs_snapshot_need(s, about.section, "format", &format);
    error =
        error != ASSAY_OK ? error : cs_snapshot_framing(s, format, raw, frames, CS_FORMAT_OF_PORT);
    error = error != ASSAY_OK ? error : cs_memory_read(s, buffer->about, &memory);
    for (size_t i = 0; error == ASSAY_OK && i < about.root->count; i++) {
        error = about.root->items[2 * i + 1] != about.section
                    ? read_section(s, &about, i, &memory.images)
                    : ASSAY_OK;
    }
    error = error != ASSAY_OK ? error : cs_memory_check_streams(s, &memory, about.root);
    return error != ASSAY_OK ? error : cs_memory_make_changes(s, &memory);
}

const struct cs_snapshot_kind cs_snapshot_of_package = {CS_PACKAGE_FILE, list, read};
