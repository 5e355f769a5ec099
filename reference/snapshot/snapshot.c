#include "snapshot/snapshot.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "io/path.h"
#include "model/describe.h"
#include "snapshot/ini.h"
#include "snapshot/snapshot_private.h"

/* Sections of pairs, in which names occur again. */
static const char *const lists[] = {"core_trace_sources", "source_buffers", NULL};

static const struct cs_snapshot_kind *const kinds[] = {&cs_snapshot_of_devices,
                                                       &cs_snapshot_of_package};

/* --- paths --- */

/* How long the path of a file of this name is, before the name of a buffer; 0 when it is another
 * one's. */
static size_t path_length(const char *path, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = strstr(path, name); at != NULL; at = strstr(at + 1, name)) {
        const size_t end = (size_t)(at - path) + length;
        if ((at == path || at[-1] == '/') && assay_path_ends(path, end)) {
            return end;
        }
    }
    return 0;
}

static const struct cs_snapshot_kind *kind_of(const char *path, size_t *length)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        *length = path_length(path, kinds[i]->file);
        if (*length > 0) {
            return kinds[i];
        }
    }
    return NULL;
}

bool cs_is_snapshot(const char *path)
{
    size_t length = 0;
    return kind_of(path, &length) != NULL;
}

bool cs_repeats_snapshot(const char *path)
{
    char snapshot[PATH_MAX];
    struct stat status;
    const size_t length = path_length(path, CS_PACKAGE_FILE);
    const int head = (int)(length > 0 ? length - strlen(CS_PACKAGE_FILE) : 0);
    const int size = snprintf(snapshot, sizeof snapshot, "%.*s%s", head, path, CS_SNAPSHOT_FILE);
    return length > 0 && path[length] == '\0' && size > 0 && (size_t)size < sizeof snapshot &&
           stat(snapshot, &status) == 0;
}

/* --- files --- */

enum assay_error cs_snapshot_no_memory(const struct cs_snapshot *s)
{
    return assay_fail(s->reader.diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

const char *cs_snapshot_shown(const struct cs_snapshot *s, const char *path)
{
    const struct cs_shown *shown = s->shown;
    const size_t length = shown != NULL ? strlen(shown->folder) : 0;
    if (shown == NULL || strncmp(path, shown->folder, length) != 0) {
        return path;
    }
    const size_t head = strlen(shown->archive);
    const size_t tail = strlen(path + length);
    char *text = assay_arena_take(s->reader.arena, head + tail + 1);
    if (text != NULL) {
        memcpy(text, shown->archive, head);
        memcpy(text + head, path + length, tail);
    }
    return text;
}

enum assay_error cs_snapshot_note_file(struct cs_snapshot *s, const char *path)
{
    struct assay_manifest *m = s->manifest;
    const char *file = s->shown != NULL ? s->shown->archive : path;
    const char *copy = assay_arena_text(s->reader.arena, file, strlen(file));
    for (size_t i = 0; i < m->file_count; i++) {
        if (strcmp(m->files[i], file) == 0) {
            return ASSAY_OK;
        }
    }
    const char **list = assay_arena_grow(s->reader.arena, (void *)(uintptr_t)m->files,
                                         m->file_count, &s->file_room, sizeof *list);
    if (list == NULL || copy == NULL) {
        return cs_snapshot_no_memory(s);
    }
    list[m->file_count++] = copy;
    m->files = list;
    return ASSAY_OK;
}

enum assay_error cs_snapshot_read(struct cs_snapshot *s, const char *path,
                                  const struct assay_yaml **root)
{
    struct assay_yaml_file file;
    const char *shown = cs_snapshot_shown(s, path);
    if (shown == NULL) {
        return cs_snapshot_no_memory(s);
    }
    enum assay_error error = cs_ini_load(path, shown, lists, &file, s->reader.diag);
    if (error != ASSAY_OK) {
        return error;
    }
    *root = file.root;
    error = assay_manifest_keep(s->memory, &file, s->reader.diag);
    return error != ASSAY_OK ? error : cs_snapshot_note_file(s, path);
}

enum assay_error cs_snapshot_need(const struct cs_snapshot *s, const struct assay_yaml *map,
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

/* --- buffers --- */

enum assay_error cs_snapshot_add_buffer(struct cs_snapshot *s, const struct assay_yaml *node,
                                        const struct cs_buffer *buffer)
{
    if (s->buffer_count == CS_SNAPSHOT_MAX_BUFFERS) {
        return assay_yaml_fail(node, s->reader.diag, ASSAY_LIMIT, "there are more than %d buffers",
                               CS_SNAPSHOT_MAX_BUFFERS);
    }
    for (size_t i = 0; i < s->buffer_count; i++) {
        if (strcmp(s->buffers[i].name, buffer->name) == 0) {
            return assay_yaml_fail(node, s->reader.diag, ASSAY_DUPLICATE,
                                   "two buffers have the name \"%s\"", buffer->name);
        }
    }
    s->buffers[s->buffer_count++] = *buffer;
    return ASSAY_OK;
}

/* Whether a buffer's file has no bytes. Of one that cannot be read, reading it will tell why. */
static bool is_empty(const struct cs_snapshot *s, const struct cs_buffer *buffer)
{
    struct assay_manifest_reader reader = s->reader;
    const char *path = NULL;
    struct stat st;
    reader.diag = NULL;
    return assay_manifest_resolve(&reader, buffer->file, "a buffer's file", &path) == ASSAY_OK &&
           stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0;
}

/* The names of the inputs that the buffers are. */
static enum assay_error name_inputs(const struct cs_snapshot *s, const char *path, size_t length)
{
    path = s->shown != NULL ? s->shown->archive : path;
    length = s->shown != NULL ? strlen(path) : length;
    const char **names = assay_arena_take(s->reader.arena, s->buffer_count * sizeof *names);
    bool *empty = assay_arena_take(s->reader.arena, s->buffer_count * sizeof *empty);
    if (names == NULL || empty == NULL) {
        return cs_snapshot_no_memory(s);
    }
    for (size_t i = 0; i < s->buffer_count; i++) {
        const size_t size = strlen(s->buffers[i].name);
        char *name = assay_arena_take(s->reader.arena, length + 1 + size + 1);
        if (name == NULL) {
            return cs_snapshot_no_memory(s);
        }
        memcpy(name, path, length);
        name[length] = '#';
        memcpy(name + length + 1, s->buffers[i].name, size);
        names[i] = name;
        empty[i] = is_empty(s, &s->buffers[i]);
    }
    s->manifest->inputs = names;
    s->manifest->inputs_empty = empty;
    s->manifest->input_count = s->buffer_count;
    return ASSAY_OK;
}

static enum assay_error read_data(struct cs_snapshot *s, const struct assay_yaml *file)
{
    const char **data = assay_arena_take(s->reader.arena, 2 * sizeof *data);
    if (data == NULL) {
        return cs_snapshot_no_memory(s);
    }
    s->manifest->data = data;
    s->manifest->names = data + 1;
    s->manifest->data_count = 1;
    data[1] = file->text;
    return assay_manifest_resolve(&s->reader, file, "a buffer's file", &data[0]);
}

/* --- the streams of a buffer --- */

enum assay_error cs_snapshot_framing(struct cs_snapshot *s, const struct assay_yaml *format,
                                     const char *const *raw, const char *const *frames,
                                     const char *port)
{
    struct assay_manifest *m = s->manifest;
    size_t n = 0;
    while (raw[n] != NULL && strcmp(raw[n], format->text) != 0) {
        n++;
    }
    if (raw[n] != NULL) {
        m->all.framing = ASSAY_FRAMING_RAW;
        return ASSAY_OK;
    }
    const bool of_port = strcmp(port, format->text) == 0;
    n = 0;
    while (frames[n] != NULL && strcmp(frames[n], format->text) != 0) {
        n++;
    }
    if (frames[n] == NULL && !of_port) {
        assay_yaml_fail(format, s->reader.diag, ASSAY_UNKNOWN_NAME,
                        "there is no format of buffers \"%s\"", format->text);
        assay_diag_hint(s->reader.diag, "there are: %s, %s, %s", raw[0], frames[0], port);
        return ASSAY_UNKNOWN_NAME;
    }
    m->all.framing = of_port ? ASSAY_FRAMING_TRACE_PORT : ASSAY_FRAMING_CORESIGHT;
    m->streams = assay_arena_take(s->reader.arena, CS_SNAPSHOT_MAX_SOURCES * sizeof *m->streams);
    return m->streams != NULL ? ASSAY_OK : cs_snapshot_no_memory(s);
}

enum assay_error cs_snapshot_begin_stream(struct cs_snapshot *s, const struct assay_yaml *node,
                                          struct assay_manifest_stream **stream)
{
    struct assay_manifest *m = s->manifest;
    const bool framed = m->all.framing != ASSAY_FRAMING_RAW;
    const size_t most = framed ? CS_SNAPSHOT_MAX_SOURCES : 1;
    if (m->stream_count == most) {
        return assay_yaml_fail(node, s->reader.diag, ASSAY_LIMIT,
                               framed ? "the buffer has more than %zu sources"
                                      : "a buffer without frames has more than %zu source",
                               most);
    }
    *stream = framed ? &m->streams[m->stream_count] : &m->all;
    **stream = (struct assay_manifest_stream){.framing = ASSAY_FRAMING_RAW,
                                              .may_be_idle = framed,
                                              .line = node->line,
                                              .column = node->column};
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

enum assay_error cs_snapshot_end_stream(struct cs_snapshot *s, const struct assay_yaml *node,
                                        const struct assay_manifest_stream *stream)
{
    struct assay_manifest *m = s->manifest;
    const bool framed = m->all.framing != ASSAY_FRAMING_RAW;
    if (framed && !stream->has_id) {
        /* Of a source that is not judged it need not be known. */
        return stream->unjudged != NULL ? ASSAY_OK
                                        : assay_yaml_fail(node, s->reader.diag, ASSAY_USAGE,
                                                          "the source has no TRCTRACEIDR, by which "
                                                          "its stream would be known");
    }
    if (framed && (stream->id == 0 || stream->id > ASSAY_CORESIGHT_ID_MAX)) {
        return ASSAY_OK; /* a trace unit that was not programmed has no stream */
    }
    const enum assay_error error = framed ? check_id(s, node, stream) : ASSAY_OK;
    m->stream_count++;
    return error;
}

/* --- the snapshot --- */

/* Reads a buffer. Without frames its only stream is the input itself, which may be of no known
 * source, as those in frames may be. */
static enum assay_error read_buffer(struct cs_snapshot *s, const struct cs_snapshot_kind *kind,
                                    const struct cs_buffer *buffer)
{
    struct assay_manifest *m = s->manifest;
    enum assay_error error = read_data(s, buffer->file);
    error = error != ASSAY_OK ? error : kind->read(s, buffer);
    if (error != ASSAY_OK || m->all.framing != ASSAY_FRAMING_RAW) {
        return error;
    }
    if (m->stream_count == 0) {
        m->all.unjudged = "nothing says which source was traced to this buffer";
    }
    m->stream_count = 0;
    return ASSAY_OK;
}

static enum assay_error find_no_buffer(const struct cs_snapshot *s, const char *name)
{
    char names[160] = "";
    for (size_t i = 0; i < s->buffer_count && strlen(names) + 1 < sizeof names; i++) {
        assay_append(names, sizeof names, "%s%s", i > 0 ? ", " : "", s->buffers[i].name);
    }
    assay_fail(s->reader.diag, ASSAY_NOT_FOUND, ASSAY_NO_OFFSET,
               name != NULL ? "there is no buffer \"%s\"" : "there is no buffer%s",
               name != NULL ? name : "");
    if (s->buffer_count > 0) {
        assay_diag_hint(s->reader.diag, "there are: %s", names);
    }
    return ASSAY_NOT_FOUND;
}

/* Reads the buffer that is chosen, or the only one. */
static enum assay_error read_chosen(struct cs_snapshot *s, const struct cs_snapshot_kind *kind,
                                    const char *path, size_t length)
{
    const bool named = path[length] == '#';
    size_t chosen = 0;
    const enum assay_error error = s->buffer_count > 1 ? name_inputs(s, path, length) : ASSAY_OK;
    if (error != ASSAY_OK || (!named && s->buffer_count > 1)) {
        return error;
    }
    while (named && chosen < s->buffer_count &&
           strcmp(s->buffers[chosen].name, path + length + 1) != 0) {
        chosen++;
    }
    if (chosen == s->buffer_count) {
        return find_no_buffer(s, named ? path + length + 1 : NULL);
    }
    return read_buffer(s, kind, &s->buffers[chosen]);
}

static enum assay_error read_snapshot(struct cs_snapshot *s, const char *path)
{
    size_t length = 0;
    const struct cs_snapshot_kind *kind = kind_of(path, &length);
    const char *file = assay_arena_text(s->reader.arena, path, length);
    const char *shown = s->shown != NULL ? s->shown->path : path;
    s->manifest->path = assay_arena_text(s->reader.arena, shown, strlen(shown));
    s->buffers = assay_arena_take(s->reader.arena, CS_SNAPSHOT_MAX_BUFFERS * sizeof *s->buffers);
    if (file == NULL || s->manifest->path == NULL || s->buffers == NULL) {
        return cs_snapshot_no_memory(s);
    }
    enum assay_error error = cs_snapshot_read(s, file, &s->root);
    error = error != ASSAY_OK ? error : assay_manifest_root(&s->reader, file);
    error = error != ASSAY_OK ? error : kind->list(s);
    return error != ASSAY_OK ? error : read_chosen(s, kind, path, length);
}

enum assay_error cs_snapshot_load_shown(const char *path, const struct cs_shown *shown,
                                        const struct assay_manifest_options *options,
                                        struct assay_manifest *manifest, struct assay_diag *diag)
{
    static const struct assay_manifest_options strict;
    struct cs_snapshot s = {
        .shown = shown, .memory = assay_manifest_begin(manifest), .manifest = manifest};
    struct assay_diag wrong = {.offset = ASSAY_NO_OFFSET};
    if (s.memory == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    s.reader = (struct assay_manifest_reader){
        .arena = &s.memory->arena, .options = options != NULL ? options : &strict, .diag = &wrong};
    const enum assay_error error = read_snapshot(&s, path);
    if (error == ASSAY_OK) {
        return ASSAY_OK;
    }
    if (wrong.path[0] == '\0') {
        assay_diag_path(&wrong, shown != NULL ? shown->path : path);
    }
    if (diag != NULL) {
        *diag = wrong;
    }
    assay_manifest_free(manifest);
    return error;
}

enum assay_error cs_snapshot_load(const char *path, const struct assay_manifest_options *options,
                                  struct assay_manifest *manifest, struct assay_diag *diag)
{
    return cs_snapshot_load_shown(path, NULL, options, manifest, diag);
}
