#include "manifest/manifest.h"

#include <string.h>

#include "manifest/manifest_reader.h"
#include "model/describe.h"
#include "model/facts.h"
#include "model/model.h"
#include "snapshot/archive.h"
#include "snapshot/snapshot.h"

bool assay_is_manifest(const char *path)
{
    static const char extension[] = ".assay.yaml";
    const size_t length = strlen(path);
    const size_t tail = sizeof extension - 1;
    return cs_is_snapshot(path) || cs_is_archive(path) ||
           (length > tail && strcmp(path + length - tail, extension) == 0);
}

static enum assay_error no_memory(const struct assay_manifest_reader *r)
{
    return assay_fail(r->diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

/* --- format and profile --- */

static enum assay_error read_text(const struct assay_manifest_reader *r,
                                  const struct assay_yaml *node, const char *what,
                                  const char **text)
{
    if (node->type != ASSAY_YAML_SCALAR || node->length == 0 ||
        strlen(node->text) != node->length) {
        return assay_yaml_fail(node, r->diag, ASSAY_WRONG_TYPE, "%s is a name", what);
    }
    *text = node->text;
    return ASSAY_OK;
}

enum { NAMES_MAX = 64 };

static enum assay_error unknown(const struct assay_manifest_reader *r,
                                const struct assay_yaml *node, const char *what,
                                const char *const *names)
{
    assay_yaml_fail(node, r->diag, ASSAY_UNKNOWN_NAME, "there is no %s \"%s\"", what, node->text);
    const char *near = assay_nearest(node->text, names);
    if (near != NULL) {
        assay_diag_hint(r->diag, "did you mean \"%s\"?", near);
        return ASSAY_UNKNOWN_NAME;
    }
    char known[sizeof r->diag->hint - 16] = "";
    for (size_t i = 0; names[i] != NULL; i++) {
        assay_append(known, sizeof known, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    assay_diag_hint(r->diag, "there are: %s", known);
    return ASSAY_UNKNOWN_NAME;
}

static const struct assay_format *find_format(const struct assay_manifest_reader *r,
                                              const char *name)
{
    const struct assay_format *const *f = r->options->formats;
    while (f != NULL && *f != NULL && strcmp((*f)->name, name) != 0) {
        f++;
    }
    return f != NULL ? *f : NULL;
}

static enum assay_error read_format(const struct assay_manifest_reader *r,
                                    const struct assay_yaml *node,
                                    struct assay_manifest_stream *stream)
{
    const enum assay_error error = read_text(r, node, "format", &stream->format);
    if (error != ASSAY_OK || r->options->formats == NULL ||
        find_format(r, stream->format) != NULL) {
        return error;
    }
    const char *names[NAMES_MAX + 1] = {NULL};
    for (size_t i = 0; i < NAMES_MAX && r->options->formats[i] != NULL; i++) {
        names[i] = r->options->formats[i]->name;
    }
    return unknown(r, node, "format", names);
}

static enum assay_error read_profile(const struct assay_manifest_reader *r,
                                     const struct assay_yaml *node,
                                     struct assay_manifest_stream *stream)
{
    const enum assay_error error = read_text(r, node, "profile", &stream->profile);
    if (error != ASSAY_OK || r->options->formats == NULL) {
        return error;
    }
    if (stream->format == NULL) {
        return assay_yaml_fail(node, r->diag, ASSAY_USAGE, "a profile needs the format it is of");
    }
    const struct assay_format *format = find_format(r, stream->format);
    if (format == NULL || assay_profile_by_name(format, stream->profile) >= 0) {
        return ASSAY_OK; /* an unknown format was reported before */
    }
    const char *names[NAMES_MAX + 1] = {NULL};
    for (size_t i = 0; i < NAMES_MAX && i < format->profile_count; i++) {
        names[i] = format->profiles[i].name;
    }
    return unknown(r, node, "profile", names);
}

/* --- what a stream and the top of a manifest have in common --- */

static enum assay_error read_table(const struct assay_manifest_reader *r,
                                   const struct assay_yaml *node, const char *what,
                                   struct assay_manifest_table *table)
{
    *table = (struct assay_manifest_table){0};
    if (node->type == ASSAY_YAML_MAP) {
        table->map = node;
        return ASSAY_OK;
    }
    if (node->type != ASSAY_YAML_SCALAR) {
        return assay_yaml_fail(node, r->diag, ASSAY_WRONG_TYPE,
                               "%s is a mapping or the name of a file", what);
    }
    return assay_manifest_resolve(r, node, what, &table->file);
}

static enum assay_error read_framing(const struct assay_manifest_reader *r,
                                     const struct assay_yaml *map, enum assay_framing *framing)
{
    const struct assay_yaml *node = assay_yaml_get(map, "framing");
    const char *name = NULL;
    if (node == NULL) {
        return ASSAY_OK;
    }
    const enum assay_error error = read_text(r, node, "framing", &name);
    if (error != ASSAY_OK) {
        return error;
    }
    *framing = assay_framing_by_name(name);
    return *framing < ASSAY_FRAMING_COUNT ? ASSAY_OK
                                          : unknown(r, node, "framing", assay_framing_names);
}

static enum assay_error read_thread(const struct assay_manifest_reader *r,
                                    const struct assay_yaml *map,
                                    struct assay_manifest_stream *stream)
{
    const struct assay_yaml *node = assay_yaml_get(map, "thread");
    uint64_t number = 0;
    if (node == NULL) {
        return ASSAY_OK;
    }
    if (!assay_yaml_u64(node, &number) || number >= UINT32_MAX) {
        return assay_yaml_fail(
            node, r->diag, ASSAY_WRONG_TYPE,
            "thread is the number of a thread in the recorded execution, from 0");
    }
    stream->has_thread = true;
    stream->thread = (uint32_t)number;
    return ASSAY_OK;
}

static enum assay_error read_stream(struct assay_manifest_reader *r, const struct assay_yaml *map,
                                    struct assay_manifest_stream *stream)
{
    enum assay_error error = ASSAY_OK;
    const struct assay_yaml *node = assay_yaml_get(map, "format");
    stream->line = map->line;
    stream->column = map->column;
    if (node != NULL) {
        const char *before = stream->format;
        error = read_format(r, node, stream);
        if (error == ASSAY_OK && before != NULL && strcmp(before, stream->format) != 0) {
            stream->profile = NULL; /* these were the other format's */
            stream->config = (struct assay_manifest_table){0};
        }
    }
    node = assay_yaml_get(map, "profile");
    if (error == ASSAY_OK && node != NULL) {
        error = read_profile(r, node, stream);
    }
    node = assay_yaml_get(map, "config");
    if (error == ASSAY_OK && node != NULL) {
        error = read_table(r, node, "config", &stream->config);
    }
    node = assay_yaml_get(map, "facts");
    if (error == ASSAY_OK && node != NULL) {
        error = read_table(r, node, "facts", &stream->facts);
    }
    node = assay_yaml_get(map, "images");
    if (error == ASSAY_OK && node != NULL) {
        error = assay_manifest_read_images(r, node, stream);
    }
    node = assay_yaml_get(map, "execution");
    if (error == ASSAY_OK && node != NULL) {
        error = assay_manifest_resolve(r, node, "execution", &stream->execution);
    }
    return error != ASSAY_OK ? error : read_thread(r, map, stream);
}

/* --- the list of streams --- */

static enum assay_error read_id(const struct assay_manifest_reader *r,
                                const struct assay_manifest *m, const struct assay_yaml *map,
                                struct assay_manifest_stream *stream)
{
    const struct assay_yaml *node = assay_yaml_get(map, "id");
    if (node == NULL) {
        return assay_yaml_fail(map, r->diag, ASSAY_USAGE, "a stream needs its id");
    }
    if (!assay_yaml_u64(node, &stream->id)) {
        return assay_yaml_fail(node, r->diag, ASSAY_WRONG_TYPE, "the id of a stream is a number");
    }
    const bool frames =
        m->all.framing == ASSAY_FRAMING_CORESIGHT || m->all.framing == ASSAY_FRAMING_TRACE_PORT;
    if (frames && (stream->id == 0 || stream->id > ASSAY_CORESIGHT_ID_MAX)) {
        return assay_yaml_fail(node, r->diag, ASSAY_OUT_OF_RANGE,
                               "the trace id of a stream is from 0x1 to 0x%x",
                               ASSAY_CORESIGHT_ID_MAX);
    }
    for (size_t i = 0; i < m->stream_count; i++) {
        if (m->streams[i].id == stream->id) {
            assay_yaml_fail(node, r->diag, ASSAY_DUPLICATE, "two streams have this id");
            assay_diag_hint(r->diag, "the first one is at line %u", m->streams[i].line);
            return ASSAY_DUPLICATE;
        }
    }
    stream->has_id = true;
    return ASSAY_OK;
}

static enum assay_error read_streams(struct assay_manifest_reader *r, const struct assay_yaml *node,
                                     struct assay_manifest *m)
{
    static const char *const keys[] = {"id",     "format", "profile",   "framing", "config",
                                       "images", "facts",  "execution", "thread",  NULL};
    if (node->type != ASSAY_YAML_LIST || node->count == 0) {
        return assay_yaml_fail(node, r->diag, ASSAY_WRONG_TYPE,
                               "streams is a list of at least one {id: N, ...}");
    }
    if (node->count > ASSAY_MANIFEST_MAX_STREAMS) {
        return assay_yaml_fail(node, r->diag, ASSAY_LIMIT, "there are more than %d streams",
                               ASSAY_MANIFEST_MAX_STREAMS);
    }
    const struct assay_format *own = m->all.format != NULL ? find_format(r, m->all.format) : NULL;
    const bool is_carrier = own != NULL && own->carrier != NULL; /* the top is about the carrier */
    if (node->count > 1 && m->all.framing == ASSAY_FRAMING_RAW && !is_carrier) {
        return assay_yaml_fail(node, r->diag, ASSAY_USAGE,
                               "the framing \"raw\" has one stream: nothing distinguishes several");
    }
    m->streams = assay_arena_take(r->arena, node->count * sizeof *m->streams);
    if (m->streams == NULL) {
        return no_memory(r);
    }
    for (size_t i = 0; i < node->count; i++) {
        struct assay_manifest_stream *stream = &m->streams[i];
        *stream = is_carrier ? (struct assay_manifest_stream){0} : m->all;
        stream->framing = ASSAY_FRAMING_RAW;
        enum assay_error error = assay_yaml_only(node->items[i], keys, r->diag);
        if (error == ASSAY_OK) {
            error = read_id(r, m, node->items[i], stream);
        }
        if (error == ASSAY_OK) {
            error = read_stream(r, node->items[i], stream);
        }
        if (error == ASSAY_OK) {
            error = read_framing(r, node->items[i], &stream->framing);
        }
        if (error != ASSAY_OK) {
            return error;
        }
        m->stream_count++;
    }
    return ASSAY_OK;
}

/* --- the manifest --- */

static enum assay_error read_version(const struct assay_manifest_reader *r,
                                     const struct assay_yaml *root)
{
    const struct assay_yaml *node = assay_yaml_get(root, "manifest");
    if (node == NULL) {
        return assay_yaml_fail(root, r->diag, ASSAY_USAGE,
                               "a manifest says `manifest: 1`, the version of its schema");
    }
    return assay_yaml_is(node, "1") ? ASSAY_OK
                                    : assay_yaml_fail(node, r->diag, ASSAY_UNSUPPORTED,
                                                      "only manifest: 1 is known here");
}

static enum assay_error read_data(const struct assay_manifest_reader *r,
                                  const struct assay_yaml *root, struct assay_manifest *m)
{
    const struct assay_yaml *node = assay_yaml_get(root, "data");
    if (node == NULL) {
        return assay_yaml_fail(root, r->diag, ASSAY_USAGE, "a manifest needs data: [FILE, ...]");
    }
    if (node->type != ASSAY_YAML_LIST || node->count == 0) {
        return assay_yaml_fail(node, r->diag, ASSAY_WRONG_TYPE,
                               "data is a list of at least one file");
    }
    if (node->count > ASSAY_MANIFEST_MAX_FILES) {
        return assay_yaml_fail(node, r->diag, ASSAY_LIMIT, "data has more than %d files",
                               ASSAY_MANIFEST_MAX_FILES);
    }
    const char **list = assay_arena_take(r->arena, node->count * sizeof *list);
    const char **names = assay_arena_take(r->arena, node->count * sizeof *names);
    if (list == NULL || names == NULL) {
        return no_memory(r);
    }
    for (size_t i = 0; i < node->count; i++) {
        const enum assay_error error = assay_manifest_resolve(r, node->items[i], "data", &list[i]);
        if (error != ASSAY_OK) {
            return error;
        }
        names[i] = node->items[i]->text;
    }
    m->data = list;
    m->names = names;
    m->data_count = node->count;
    return ASSAY_OK;
}

static enum assay_error read_root(struct assay_manifest_reader *r, const struct assay_yaml *root,
                                  struct assay_manifest *m)
{
    static const char *const keys[] = {"manifest",  "format", "profile", "data",
                                       "framing",   "config", "images",  "facts",
                                       "execution", "thread", "streams", NULL};
    enum assay_error error = assay_yaml_only(root, keys, r->diag);
    if (error == ASSAY_OK) {
        error = read_version(r, root);
    }
    if (error == ASSAY_OK) {
        error = read_data(r, root, m);
    }
    const struct assay_yaml *framing = assay_yaml_get(root, "framing");
    if (error == ASSAY_OK && framing != NULL) {
        m->framing_line = framing->line;
        m->framing_column = framing->column;
        error = read_framing(r, root, &m->all.framing);
    }
    if (error == ASSAY_OK) {
        error = read_stream(r, root, &m->all);
    }
    const struct assay_yaml *streams = assay_yaml_get(root, "streams");
    if (error == ASSAY_OK && streams != NULL) {
        error = read_streams(r, streams, m);
    }
    return error;
}

/* Takes the file, also when it fails. */
static enum assay_error read_manifest(const char *path, struct assay_yaml_file *file,
                                      const struct assay_manifest_options *options,
                                      struct assay_manifest *manifest, struct assay_diag *diag)
{
    static const struct assay_manifest_options strict;
    struct assay_manifest_memory *memory = assay_manifest_begin(manifest);
    const struct assay_yaml *root = file->root;
    manifest->path = file->path;
    if (memory == NULL) {
        assay_yaml_free(file);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    struct assay_manifest_reader r = {
        .arena = &memory->arena, .options = options != NULL ? options : &strict, .diag = diag};
    enum assay_error error = assay_manifest_keep(memory, file, diag);
    error = error != ASSAY_OK ? error : assay_manifest_root(&r, path);
    if (error == ASSAY_OK) {
        error = read_root(&r, root, manifest);
    }
    if (error != ASSAY_OK) {
        assay_manifest_free(manifest);
        assay_diag_path(diag, path);
    }
    return error;
}

enum assay_error assay_manifest_load(const char *path, const struct assay_manifest_options *options,
                                     struct assay_manifest *manifest, struct assay_diag *diag)
{
    struct assay_yaml_file file;
    if (cs_is_snapshot(path)) {
        return cs_snapshot_load(path, options, manifest, diag);
    }
    if (cs_is_archive(path)) {
        return cs_archive_load(path, options, manifest, diag);
    }
    *manifest = (struct assay_manifest){0};
    const enum assay_error error = assay_yaml_load(path, &file, diag);
    return error != ASSAY_OK ? error : read_manifest(path, &file, options, manifest, diag);
}

enum assay_error assay_manifest_parse(const char *path, const char *text, size_t size,
                                      const struct assay_manifest_options *options,
                                      struct assay_manifest *manifest, struct assay_diag *diag)
{
    struct assay_yaml_file file;
    *manifest = (struct assay_manifest){0};
    const enum assay_error error = assay_yaml_parse(path, text, size, &file, diag);
    return error != ASSAY_OK ? error : read_manifest(path, &file, options, manifest, diag);
}

/* --- what a manifest is read for --- */

enum assay_error assay_manifest_configure(const struct assay_manifest_stream *stream,
                                          struct assay_parameter_values *values,
                                          struct assay_diag *diag)
{
    if (stream->config.map != NULL) {
        return assay_parameters_read(values, stream->config.map->path, stream->config.map, diag);
    }
    return stream->config.file != NULL ? assay_parameters_load(values, stream->config.file, diag)
                                       : ASSAY_OK;
}

enum assay_error assay_manifest_facts(const struct assay_manifest *manifest,
                                      const struct assay_manifest_stream *stream,
                                      struct assay_facts *facts, struct assay_diag *diag)
{
    if (stream->facts.map == NULL) {
        return stream->facts.file != NULL ? assay_facts_load(stream->facts.file, facts, diag)
                                          : ASSAY_OK;
    }
    const enum assay_error error = assay_facts_read(stream->facts.map, facts, diag);
    if (error != ASSAY_OK) {
        assay_diag_path(diag, manifest->path);
    }
    return error;
}

enum assay_error assay_manifest_images(const struct assay_manifest_stream *stream,
                                       struct assay_image_set *set, struct assay_diag *diag)
{
    enum assay_error error =
        stream->timeline != NULL ? assay_image_set_timeline(set, stream->timeline) : ASSAY_OK;
    for (size_t i = 0; i < stream->image_count && error == ASSAY_OK; i++) {
        error = assay_image_add(set, &stream->images[i], diag);
    }
    return error == ASSAY_OK ? assay_image_set_seal(set, diag) : error;
}
