/* Snapshots of today: snapshot.ini, files of devices, and one about buffers. */
#include <string.h>

#include "snapshot/snapshot_private.h"

/* --- devices --- */

static const struct cs_device *device_of(const struct cs_snapshot *s, const char *name)
{
    size_t i = 0;
    while (i < s->device_count && strcmp(s->devices[i].name, name) != 0) {
        i++;
    }
    return i < s->device_count ? &s->devices[i] : NULL;
}

/* The device that a node names; null, and an error, where there is none. */
static const struct cs_device *find_device(const struct cs_snapshot *s,
                                           const struct assay_yaml *node, const char *name)
{
    const struct cs_device *device = device_of(s, name);
    if (device != NULL) {
        return device;
    }
    struct assay_near near = assay_near_begin(name);
    for (size_t i = 0; i < s->device_count; i++) {
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
    error = error != ASSAY_OK ? error : cs_snapshot_read(s, path, &device->root);
    error = error != ASSAY_OK ? error : cs_snapshot_need(s, device->root, "device", &section);
    error = error != ASSAY_OK ? error : cs_snapshot_need(s, section, "name", &name);
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

static enum assay_error read_devices(struct cs_snapshot *s)
{
    const struct assay_yaml *list = NULL;
    enum assay_error error = cs_snapshot_need(s, s->root, "device_list", &list);
    if (error != ASSAY_OK) {
        return error;
    }
    if (list->count > CS_SNAPSHOT_MAX_DEVICES) {
        return assay_yaml_fail(list, s->reader.diag, ASSAY_LIMIT, "there are more than %d devices",
                               CS_SNAPSHOT_MAX_DEVICES);
    }
    s->devices = assay_arena_take(s->reader.arena, (list->count + 1) * sizeof *s->devices);
    if (s->devices == NULL) {
        return cs_snapshot_no_memory(s);
    }
    for (size_t i = 0; i < list->count && error == ASSAY_OK; i++) {
        error = read_device(s, list->items[2 * i + 1]);
    }
    return error;
}

/* --- names in a list --- */

bool cs_next_name(const char **at, const char **name, size_t *length)
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

bool cs_lists_name(const struct assay_yaml *node, const char *wanted)
{
    const char *at = node->text;
    const char *name = NULL;
    size_t length = 0;
    while (cs_next_name(&at, &name, &length)) {
        if (length == strlen(wanted) && memcmp(name, wanted, length) == 0) {
            return true;
        }
    }
    return false;
}

/* --- buffers --- */

static enum assay_error read_buffer(struct cs_snapshot *s, const struct assay_yaml *names,
                                    const char *section)
{
    struct cs_buffer buffer = {.about = assay_yaml_get(s->trace, section)};
    if (buffer.about == NULL) {
        return assay_yaml_fail(names, s->reader.diag, ASSAY_UNKNOWN_NAME,
                               "there is no section [%s] about this buffer", section);
    }
    const struct assay_yaml *name = assay_yaml_get(buffer.about, "name");
    buffer.name = name != NULL && name->length > 0 ? name->text : section;
    const enum assay_error error = cs_snapshot_need(s, buffer.about, "file", &buffer.file);
    return error != ASSAY_OK ? error
                             : cs_snapshot_add_buffer(s, name != NULL ? name : names, &buffer);
}

/* The buffers that [trace_buffers] names. */
static enum assay_error read_buffers(struct cs_snapshot *s)
{
    const struct assay_yaml *section = NULL;
    const struct assay_yaml *names = NULL;
    enum assay_error error = cs_snapshot_need(s, s->trace, "trace_buffers", &section);
    error = error != ASSAY_OK ? error : cs_snapshot_need(s, section, "buffers", &names);
    const char *at = error == ASSAY_OK ? names->text : "";
    const char *name = NULL;
    size_t length = 0;
    while (error == ASSAY_OK && cs_next_name(&at, &name, &length)) {
        const char *copy = assay_arena_text(s->reader.arena, name, length);
        error = copy == NULL  ? cs_snapshot_no_memory(s)
                : length == 0 ? assay_yaml_fail(names, s->reader.diag, ASSAY_SYNTAX,
                                                "a name in the list of buffers is empty")
                              : read_buffer(s, names, copy);
    }
    return error;
}

static bool is_buffer(const struct cs_snapshot *s, const char *name, size_t length)
{
    size_t i = 0;
    while (i < s->buffer_count && (strlen(s->buffers[i].name) != length ||
                                   memcmp(s->buffers[i].name, name, length) != 0)) {
        i++;
    }
    return i < s->buffer_count;
}

/* Whether every source is traced to buffers that there are. */
static enum assay_error check_sources(const struct cs_snapshot *s)
{
    const struct assay_yaml *sources = assay_yaml_get(s->trace, "source_buffers");
    for (size_t i = 0; sources != NULL && i < sources->count; i++) {
        const struct assay_yaml *buffers = sources->items[2 * i + 1];
        const char *at = buffers->text;
        const char *name = NULL;
        size_t length = 0;
        while (cs_next_name(&at, &name, &length)) {
            if (!is_buffer(s, name, length)) {
                return assay_yaml_fail(buffers, s->reader.diag, ASSAY_UNKNOWN_NAME,
                                       "there is no buffer \"%.*s\"", (int)length, name);
            }
        }
    }
    return ASSAY_OK;
}

/* --- the sources of a buffer --- */

/* The core that a source traces: null for one of none, such as of software. */
static enum assay_error find_core(const struct cs_snapshot *s, const char *source,
                                  const struct cs_device **core)
{
    const struct assay_yaml *pairs = assay_yaml_get(s->trace, "core_trace_sources");
    *core = NULL;
    for (size_t i = 0; pairs != NULL && i < pairs->count; i++) {
        const struct assay_yaml *name = pairs->items[2 * i];
        if (strcmp(pairs->items[2 * i + 1]->text, source) != 0) {
            continue;
        }
        if (*core != NULL) {
            return assay_yaml_fail(name, s->reader.diag, ASSAY_CONTRADICTION,
                                   "the source \"%s\" belongs to two cores", source);
        }
        *core = find_device(s, name, name->text);
        if (*core == NULL) {
            return ASSAY_UNKNOWN_NAME;
        }
    }
    return ASSAY_OK;
}

static enum assay_error read_source(struct cs_snapshot *s, const struct assay_yaml *name,
                                    const struct cs_device *device)
{
    const struct cs_device *core = NULL;
    struct assay_manifest_stream *stream = NULL;
    enum assay_error error = find_core(s, device->name, &core);
    error = error != ASSAY_OK ? error : cs_snapshot_begin_stream(s, name, &stream);
    if (error != ASSAY_OK) {
        return error;
    }
    const struct cs_source source = {.name = device->name,
                                     .type = device->type,
                                     .registers = assay_yaml_get(device->root, "regs"),
                                     .dumps = core != NULL ? core->root : NULL};
    error = cs_snapshot_describe(s, &source, stream);
    return error != ASSAY_OK ? error : cs_snapshot_end_stream(s, name, stream);
}

/* Reads the sources of a buffer. Debuggers name all that there are and describe those that they
 * know: one that is no device is left out, but not the only one. */
static enum assay_error read_sources(struct cs_snapshot *s, const struct cs_buffer *buffer)
{
    const struct assay_yaml *sources = assay_yaml_get(s->trace, "source_buffers");
    const struct assay_yaml *undescribed = NULL;
    enum assay_error error = ASSAY_OK;
    bool any = false;
    for (size_t i = 0; sources != NULL && i < sources->count && error == ASSAY_OK; i++) {
        const struct assay_yaml *name = sources->items[2 * i];
        const struct cs_device *device = device_of(s, name->text);
        if (!cs_lists_name(sources->items[2 * i + 1], buffer->name)) {
            continue;
        }
        if (device != NULL) {
            error = read_source(s, name, device);
            any = true;
        } else if (undescribed == NULL) {
            undescribed = name;
        }
    }
    return any || undescribed == NULL || find_device(s, undescribed, undescribed->text) != NULL
               ? error
               : ASSAY_UNKNOWN_NAME;
}

static enum assay_error read(struct cs_snapshot *s, const struct cs_buffer *buffer)
{
    static const char *const raw[] = {"source_data", NULL};
    static const char *const frames[] = {"coresight", NULL};
    const struct assay_yaml *format = NULL;
    enum assay_error error = cs_snapshot_need(s, buffer->about, "format", &format);
    error =
        error != ASSAY_OK ? error : cs_snapshot_framing(s, format, raw, frames, CS_FORMAT_OF_PORT);
    return error != ASSAY_OK ? error : read_sources(s, buffer);
}

/* --- the snapshot --- */

static enum assay_error check_version(const struct cs_snapshot *s)
{
    const struct assay_yaml *version =
        assay_yaml_get(assay_yaml_get(s->root, "snapshot"), "version");
    return version == NULL || assay_yaml_is(version, "1") || assay_yaml_is(version, "1.0")
               ? ASSAY_OK
               : assay_yaml_fail(version, s->reader.diag, ASSAY_UNSUPPORTED,
                                 "only version 1.0 of snapshots is known here");
}

static enum assay_error read_trace(struct cs_snapshot *s)
{
    const struct assay_yaml *section = NULL;
    const struct assay_yaml *metadata = NULL;
    const char *path = NULL;
    enum assay_error error = cs_snapshot_need(s, s->root, "trace", &section);
    error = error != ASSAY_OK ? error : cs_snapshot_need(s, section, "metadata", &metadata);
    if (error == ASSAY_OK) {
        error = assay_manifest_resolve(&s->reader, metadata, "metadata", &path);
    }
    return error != ASSAY_OK ? error : cs_snapshot_read(s, path, &s->trace);
}

static enum assay_error list(struct cs_snapshot *s)
{
    enum assay_error error = check_version(s);
    error = error != ASSAY_OK ? error : read_devices(s);
    error = error != ASSAY_OK ? error : read_trace(s);
    error = error != ASSAY_OK ? error : read_buffers(s);
    return error != ASSAY_OK ? error : check_sources(s);
}

const struct cs_snapshot_kind cs_snapshot_of_devices = {CS_SNAPSHOT_FILE, list, read};
