#include "coresight/snapshot.h"

#include <string.h>

#include "common/model.h"
#include "coresight/ini.h"
#include "coresight/snapshot_private.h"

/* Sections of pairs, in which names occur again. */
static const char *const lists[] = {"core_trace_sources", "source_buffers", NULL};

/* --- paths --- */

/* How long the path of the file is, before the name of a buffer; 0 when it is no snapshot's. */
static size_t path_length(const char *path)
{
    const size_t length = sizeof CS_SNAPSHOT_FILE - 1;
    for (const char *at = strstr(path, CS_SNAPSHOT_FILE); at != NULL;
         at = strstr(at + 1, CS_SNAPSHOT_FILE)) {
        if ((at == path || at[-1] == '/') && (at[length] == '\0' || at[length] == '#')) {
            return (size_t)(at - path) + length;
        }
    }
    return 0;
}

bool cs_is_snapshot(const char *path)
{
    return path_length(path) > 0;
}

/* --- files --- */

static enum assay_error no_memory(const struct cs_snapshot *s)
{
    return assay_fail(s->reader.diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

/* Reads a file of the snapshot, which becomes the manifest's. */
static enum assay_error load(struct cs_snapshot *s, const char *path,
                             const struct assay_yaml **root)
{
    struct assay_manifest *m = s->manifest;
    struct assay_yaml_file file;
    enum assay_error error = cs_ini_load(path, lists, &file, s->reader.diag);
    if (error != ASSAY_OK) {
        return error;
    }
    *root = file.root;
    error = assay_manifest_keep(s->memory, &file, s->reader.diag);
    for (size_t i = 0; i < m->file_count && error == ASSAY_OK; i++) {
        if (strcmp(m->files[i], path) == 0) {
            return ASSAY_OK;
        }
    }
    const char **list = assay_arena_grow(s->reader.arena, (void *)(uintptr_t)m->files,
                                         m->file_count, &s->file_room, sizeof *list);
    if (error != ASSAY_OK || list == NULL) {
        return no_memory(s);
    }
    list[m->file_count++] = file.path;
    m->files = list;
    return ASSAY_OK;
}

/* A section or key that has to be there: `map` is the section, or the file's root. */
static enum assay_error need(const struct cs_snapshot *s, const struct assay_yaml *map,
                             const char *key, const struct assay_yaml **value)
{
    *value = assay_yaml_get(map, key);
    if (*value != NULL && ((*value)->type == ASSAY_YAML_MAP || (*value)->length > 0)) {
        return ASSAY_OK;
    }
    if (map->text == NULL && map->line == 0) {
        assay_fail(s->reader.diag, ASSAY_USAGE, ASSAY_NO_OFFSET, "there is no section [%s]", key);
        assay_diag_path(s->reader.diag, map->path);
        return ASSAY_USAGE;
    }
    return assay_yaml_fail(*value != NULL ? *value : map, s->reader.diag, ASSAY_USAGE,
                           "the section has no \"%s\"", key);
}

/* --- devices --- */

const struct cs_device *cs_snapshot_device(const struct cs_snapshot *s,
                                           const struct assay_yaml *node, const char *name)
{
    struct assay_near near = assay_near_begin(name);
    for (size_t i = 0; i < s->device_count; i++) {
        if (strcmp(s->devices[i].name, name) == 0) {
            return &s->devices[i];
        }
        assay_near_try(&near, s->devices[i].name);
    }
    assay_yaml_fail(node, s->reader.diag, ASSAY_UNKNOWN_NAME,
                    "no device of the list has the name \"%s\"", name);
    if (near.best != NULL) {
        assay_diag_hint(s->reader.diag, "did you mean \"%s\"?", near.best);
    }
    return NULL;
}

static enum assay_error read_device(struct cs_snapshot *s, const struct assay_yaml *node)
{
    struct cs_device *device = &s->devices[s->device_count];
    const struct assay_yaml *section = NULL;
    const struct assay_yaml *name = NULL;
    const char *path = NULL;
    enum assay_error error = assay_manifest_resolve(&s->reader, node, "a device's file", &path);
    error = error != ASSAY_OK ? error : load(s, path, &device->root);
    error = error != ASSAY_OK ? error : need(s, device->root, "device", &section);
    error = error != ASSAY_OK ? error : need(s, section, "name", &name);
    if (error != ASSAY_OK) {
        return error;
    }
    const struct assay_yaml *type = assay_yaml_get(section, "type");
    device->name = name->text;
    device->type = type != NULL ? type->text : "";
    for (size_t i = 0; i < s->device_count; i++) {
        if (strcmp(s->devices[i].name, device->name) == 0) {
            assay_yaml_fail(name, s->reader.diag, ASSAY_DUPLICATE,
                            "two devices have the name \"%s\"", device->name);
            assay_diag_hint(s->reader.diag, "the other one is in %s", s->devices[i].root->path);
            return ASSAY_DUPLICATE;
        }
    }
    s->device_count++;
    return ASSAY_OK;
}

static enum assay_error read_devices(struct cs_snapshot *s, const struct assay_yaml *root)
{
    const struct assay_yaml *list = NULL;
    enum assay_error error = need(s, root, "device_list", &list);
    if (error != ASSAY_OK) {
        return error;
    }
    if (list->count > CS_SNAPSHOT_MAX_DEVICES) {
        return assay_yaml_fail(list, s->reader.diag, ASSAY_LIMIT, "there are more than %d devices",
                               CS_SNAPSHOT_MAX_DEVICES);
    }
    s->devices = assay_arena_take(s->reader.arena, (list->count + 1) * sizeof *s->devices);
    if (s->devices == NULL) {
        return no_memory(s);
    }
    for (size_t i = 0; i < list->count && error == ASSAY_OK; i++) {
        error = read_device(s, list->items[2 * i + 1]);
    }
    return error;
}

/* --- names in a list --- */

/* The next name of a list with commas, without blanks around it; false at the end. A comma may
 * follow the last one. */
static bool next_name(const char **at, const char **name, size_t *length)
{
    *name = *at + strspn(*at, " \t");
    if (**name == '\0') {
        return false;
    }
    const char *end = *name + strcspn(*name, ",");
    *length = (size_t)(end - *name);
    while (*length > 0 && ((*name)[*length - 1] == ' ' || (*name)[*length - 1] == '\t')) {
        --*length;
    }
    *at = *end == ',' ? end + 1 : end;
    return true;
}

static bool lists_name(const struct assay_yaml *node, const char *wanted)
{
    const char *at = node->text;
    const char *name = NULL;
    size_t length = 0;
    while (next_name(&at, &name, &length)) {
        if (length == strlen(wanted) && memcmp(name, wanted, length) == 0) {
            return true;
        }
    }
    return false;
}

/* --- buffers --- */

struct buffer {
    const char *name;
    const struct assay_yaml *section;
};

static enum assay_error add_buffer(const struct cs_snapshot *s, const struct assay_yaml *node,
                                   const char *section, struct buffer *list, size_t *count)
{
    struct buffer *buffer = &list[*count];
    const struct assay_yaml *file = NULL;
    buffer->section = assay_yaml_get(s->trace, section);
    if (buffer->section == NULL) {
        return assay_yaml_fail(node, s->reader.diag, ASSAY_UNKNOWN_NAME,
                               "there is no section [%s] about this buffer", section);
    }
    const struct assay_yaml *name = assay_yaml_get(buffer->section, "name");
    buffer->name = name != NULL && name->length > 0 ? name->text : section;
    for (size_t i = 0; i < *count; i++) {
        if (strcmp(list[i].name, buffer->name) == 0) {
            return assay_yaml_fail(name != NULL ? name : node, s->reader.diag, ASSAY_DUPLICATE,
                                   "two buffers have the name \"%s\"", buffer->name);
        }
    }
    ++*count;
    return need(s, buffer->section, "file", &file);
}

/* The buffers that [trace_buffers] names: `list` has room for the most that there can be. */
static enum assay_error read_buffers(const struct cs_snapshot *s, struct buffer *list,
                                     size_t *count)
{
    const struct assay_yaml *section = NULL;
    const struct assay_yaml *names = NULL;
    enum assay_error error = need(s, s->trace, "trace_buffers", &section);
    error = error != ASSAY_OK ? error : need(s, section, "buffers", &names);
    const char *at = error == ASSAY_OK ? names->text : "";
    const char *name = NULL;
    size_t length = 0;
    while (error == ASSAY_OK && next_name(&at, &name, &length)) {
        if (*count == CS_SNAPSHOT_MAX_BUFFERS) {
            return assay_yaml_fail(names, s->reader.diag, ASSAY_LIMIT,
                                   "there are more than %d buffers", CS_SNAPSHOT_MAX_BUFFERS);
        }
        const char *copy = assay_arena_text(s->reader.arena, name, length);
        error = copy == NULL  ? no_memory(s)
                : length == 0 ? assay_yaml_fail(names, s->reader.diag, ASSAY_SYNTAX,
                                                "a name in the list of buffers is empty")
                              : add_buffer(s, names, copy, list, count);
    }
    return error;
}

static bool is_buffer(const struct buffer *list, size_t count, const char *name, size_t length)
{
    size_t i = 0;
    while (i < count &&
           (strlen(list[i].name) != length || memcmp(list[i].name, name, length) != 0)) {
        i++;
    }
    return i < count;
}

/* Whether every source is one of the devices, and is traced to buffers that there are. */
static enum assay_error check_sources(const struct cs_snapshot *s, const struct buffer *list,
                                      size_t count)
{
    const struct assay_yaml *sources = assay_yaml_get(s->trace, "source_buffers");
    for (size_t i = 0; sources != NULL && i < sources->count; i++) {
        const struct assay_yaml *source = sources->items[2 * i];
        const struct assay_yaml *buffers = sources->items[2 * i + 1];
        const char *at = buffers->text;
        const char *name = NULL;
        size_t length = 0;
        if (cs_snapshot_device(s, source, source->text) == NULL) {
            return ASSAY_UNKNOWN_NAME;
        }
        while (next_name(&at, &name, &length)) {
            if (!is_buffer(list, count, name, length)) {
                return assay_yaml_fail(buffers, s->reader.diag, ASSAY_UNKNOWN_NAME,
                                       "there is no buffer \"%.*s\"", (int)length, name);
            }
        }
    }
    return ASSAY_OK;
}

/* The names of the inputs that the buffers are. */
static enum assay_error name_inputs(const struct cs_snapshot *s, const char *path, size_t length,
                                    const struct buffer *list, size_t count)
{
    const char **names = assay_arena_take(s->reader.arena, count * sizeof *names);
    for (size_t i = 0; names != NULL && i < count; i++) {
        const size_t size = length + 1 + strlen(list[i].name);
        char *name = assay_arena_take(s->reader.arena, size + 1);
        if (name == NULL) {
            return no_memory(s);
        }
        memcpy(name, path, length);
        name[length] = '#';
        memcpy(name + length + 1, list[i].name, strlen(list[i].name));
        names[i] = name;
    }
    s->manifest->inputs = names;
    s->manifest->input_count = count;
    return names != NULL ? ASSAY_OK : no_memory(s);
}

/* --- the streams of a buffer --- */

static enum assay_error read_data(struct cs_snapshot *s, const struct assay_yaml *section)
{
    const struct assay_yaml *file = assay_yaml_get(section, "file");
    const char **data = assay_arena_take(s->reader.arena, 2 * sizeof *data);
    if (data == NULL) {
        return no_memory(s);
    }
    s->manifest->data = data;
    s->manifest->names = data + 1;
    s->manifest->data_count = 1;
    data[1] = file->text;
    return assay_manifest_resolve(&s->reader, file, "a buffer's file", &data[0]);
}

static enum assay_error read_framing(const struct cs_snapshot *s, const struct assay_yaml *section)
{
    static const char *const names[] = {"source_data", "coresight", "dstream_coresight", NULL};
    const struct assay_yaml *format = assay_yaml_get(section, "format");
    size_t i = 0;
    if (format == NULL) {
        return assay_yaml_fail(section, s->reader.diag, ASSAY_USAGE,
                               "the section has no \"format\"");
    }
    while (names[i] != NULL && strcmp(names[i], format->text) != 0) {
        i++;
    }
    if (names[i] == NULL) {
        assay_yaml_fail(format, s->reader.diag, ASSAY_UNKNOWN_NAME,
                        "there is no format of buffers \"%s\"", format->text);
        assay_diag_hint(s->reader.diag, "there are: %s, %s, %s", names[0], names[1], names[2]);
        return ASSAY_UNKNOWN_NAME;
    }
    s->manifest->all.framing = i == 0 ? ASSAY_FRAMING_RAW : ASSAY_FRAMING_CORESIGHT;
    return ASSAY_OK;
}

/* Refuses a second source with the id of an earlier one. */
static enum assay_error check_id(const struct cs_snapshot *s, const struct assay_yaml *name,
                                 const struct assay_manifest_stream *stream)
{
    const struct assay_manifest *m = s->manifest;
    for (size_t i = 0; i < m->stream_count; i++) {
        if (m->streams[i].id == stream->id) {
            return assay_yaml_fail(name, s->reader.diag, ASSAY_CONTRADICTION,
                                   "another source of the buffer has the trace id 0x%x, too",
                                   (unsigned)stream->id);
        }
    }
    return ASSAY_OK;
}

/* A source of the buffer: in frames one of several streams, else the input itself. */
static enum assay_error add_source(struct cs_snapshot *s, const struct assay_yaml *name)
{
    struct assay_manifest *m = s->manifest;
    const bool framed = m->all.framing != ASSAY_FRAMING_RAW;
    struct assay_manifest_stream *stream = framed ? &m->streams[m->stream_count] : &m->all;
    if (m->stream_count == (framed ? CS_SNAPSHOT_MAX_SOURCES : 1)) {
        return assay_yaml_fail(name, s->reader.diag, ASSAY_LIMIT,
                               framed ? "the buffer has more than %d sources"
                                      : "a buffer of source data has more than %d source",
                               framed ? CS_SNAPSHOT_MAX_SOURCES : 1);
    }
    const enum assay_framing framing = m->all.framing;
    *stream = (struct assay_manifest_stream){.framing = framed ? ASSAY_FRAMING_RAW : framing};
    enum assay_error error = cs_snapshot_stream(s, name, stream);
    if (error == ASSAY_OK && framed && !stream->has_id) {
        /* Of a source that is not judged it need not be known. */
        return stream->unjudged != NULL ? ASSAY_OK
                                        : assay_yaml_fail(name, s->reader.diag, ASSAY_USAGE,
                                                          "the source has no TRCTRACEIDR, by which "
                                                          "its stream would be known");
    }
    error = error == ASSAY_OK && framed ? check_id(s, name, stream) : error;
    m->stream_count++;
    return error;
}

static enum assay_error read_sources(struct cs_snapshot *s, const struct buffer *buffer)
{
    struct assay_manifest *m = s->manifest;
    const struct assay_yaml *sources = assay_yaml_get(s->trace, "source_buffers");
    enum assay_error error = ASSAY_OK;
    m->streams = assay_arena_take(s->reader.arena, CS_SNAPSHOT_MAX_SOURCES * sizeof *m->streams);
    if (m->streams == NULL) {
        return no_memory(s);
    }
    for (size_t i = 0; sources != NULL && i < sources->count && error == ASSAY_OK; i++) {
        if (lists_name(sources->items[2 * i + 1], buffer->name)) {
            error = add_source(s, sources->items[2 * i]);
        }
    }
    if (error == ASSAY_OK && m->all.framing == ASSAY_FRAMING_RAW) {
        error = m->stream_count > 0
                    ? ASSAY_OK
                    : assay_yaml_fail(buffer->section, s->reader.diag, ASSAY_USAGE,
                                      "[source_buffers] names no source of this buffer");
        m->stream_count = 0;
    }
    return error;
}

static enum assay_error read_buffer(struct cs_snapshot *s, const struct buffer *buffer)
{
    enum assay_error error = read_data(s, buffer->section);
    error = error != ASSAY_OK ? error : read_framing(s, buffer->section);
    return error != ASSAY_OK ? error : read_sources(s, buffer);
}

/* --- the snapshot --- */

static enum assay_error check_version(const struct cs_snapshot *s, const struct assay_yaml *root)
{
    const struct assay_yaml *version = assay_yaml_get(assay_yaml_get(root, "snapshot"), "version");
    return version == NULL || assay_yaml_is(version, "1") || assay_yaml_is(version, "1.0")
               ? ASSAY_OK
               : assay_yaml_fail(version, s->reader.diag, ASSAY_UNSUPPORTED,
                                 "only version 1.0 of snapshots is known here");
}

static enum assay_error read_trace(struct cs_snapshot *s, const struct assay_yaml *root)
{
    const struct assay_yaml *section = NULL;
    const struct assay_yaml *metadata = NULL;
    const char *path = NULL;
    enum assay_error error = need(s, root, "trace", &section);
    error = error != ASSAY_OK ? error : need(s, section, "metadata", &metadata);
    if (error == ASSAY_OK) {
        error = assay_manifest_resolve(&s->reader, metadata, "metadata", &path);
    }
    return error != ASSAY_OK ? error : load(s, path, &s->trace);
}

/* Reads the buffer that is chosen, or the only one. */
static enum assay_error read_chosen(struct cs_snapshot *s, const char *path, size_t length)
{
    struct buffer *list =
        assay_arena_take(s->reader.arena, (CS_SNAPSHOT_MAX_BUFFERS + 1) * sizeof *list);
    size_t count = 0;
    size_t chosen = 0;
    if (list == NULL) {
        return no_memory(s);
    }
    enum assay_error error = read_buffers(s, list, &count);
    error = error != ASSAY_OK ? error : check_sources(s, list, count);
    if (error == ASSAY_OK && count > 1) {
        error = name_inputs(s, path, length, list, count);
    }
    if (error != ASSAY_OK || (path[length] == '\0' && count > 1)) {
        return error;
    }
    while (path[length] == '#' && chosen < count &&
           strcmp(list[chosen].name, path + length + 1) != 0) {
        chosen++;
    }
    if (chosen == count) {
        return assay_fail(s->reader.diag, ASSAY_NOT_FOUND, ASSAY_NO_OFFSET,
                          "the snapshot has no buffer \"%s\"", path + length + 1);
    }
    return read_buffer(s, &list[chosen]);
}

static enum assay_error read_snapshot(struct cs_snapshot *s, const char *path, size_t length)
{
    const struct assay_yaml *root = NULL;
    const char *file = assay_arena_text(s->reader.arena, path, length);
    s->manifest->path = assay_arena_text(s->reader.arena, path, strlen(path));
    if (file == NULL || s->manifest->path == NULL) {
        return no_memory(s);
    }
    enum assay_error error = load(s, file, &root);
    error = error != ASSAY_OK ? error : assay_manifest_root(&s->reader, file);
    error = error != ASSAY_OK ? error : check_version(s, root);
    error = error != ASSAY_OK ? error : read_devices(s, root);
    error = error != ASSAY_OK ? error : read_trace(s, root);
    return error != ASSAY_OK ? error : read_chosen(s, path, length);
}

enum assay_error cs_snapshot_load(const char *path, const struct assay_manifest_options *options,
                                  struct assay_manifest *manifest, struct assay_diag *diag)
{
    static const struct assay_manifest_options strict;
    struct cs_snapshot s = {.memory = assay_manifest_begin(manifest), .manifest = manifest};
    struct assay_diag wrong = {.offset = ASSAY_NO_OFFSET};
    if (s.memory == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    s.reader = (struct assay_manifest_reader){
        .arena = &s.memory->arena, .options = options != NULL ? options : &strict, .diag = &wrong};
    const enum assay_error error = read_snapshot(&s, path, path_length(path));
    if (error == ASSAY_OK) {
        return ASSAY_OK;
    }
    if (wrong.path[0] == '\0') {
        assay_diag_path(&wrong, path);
    }
    if (diag != NULL) {
        *diag = wrong;
    }
    assay_manifest_free(manifest);
    return error;
}
