/* The files of a manifest: those that it was read from, and those that it names: where they are,
 * and that they are inside its folder. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "image/image_yaml.h"
#include "io/archive.h"
#include "io/path.h"
#include "manifest/manifest_reader.h"

_Static_assert(ASSAY_IMAGE_PATH_MAX >= PATH_MAX, "a resolved path fits the name of an image");

static enum assay_error no_memory(const struct assay_manifest_reader *r)
{
    return assay_fail(r->diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

struct assay_manifest_memory *assay_manifest_begin(struct assay_manifest *manifest)
{
    struct assay_manifest_memory *memory = calloc(1, sizeof *memory);
    *manifest = (struct assay_manifest){.memory = memory};
    return memory;
}

enum assay_error assay_manifest_keep(struct assay_manifest_memory *memory,
                                     const struct assay_yaml_file *file, struct assay_diag *diag)
{
    struct assay_yaml_file kept = *file;
    struct assay_yaml_file *list = assay_arena_grow(
        &memory->arena, memory->files, memory->file_count, &memory->file_room, sizeof *list);
    if (list == NULL) {
        assay_yaml_free(&kept);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    memory->files = list;
    list[memory->file_count++] = kept;
    return ASSAY_OK;
}

void assay_manifest_free(struct assay_manifest *manifest)
{
    struct assay_manifest_memory *memory = manifest->memory;
    for (size_t i = 0; memory != NULL && i < memory->file_count; i++) {
        assay_yaml_free(&memory->files[i]);
    }
    if (memory != NULL) {
        assay_archive_remove(memory->unpacked);
        assay_arena_free(&memory->arena);
        free(memory);
    }
    *manifest = (struct assay_manifest){0};
}

enum assay_error assay_manifest_root(struct assay_manifest_reader *r, const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    r->folder = length > 0 ? assay_arena_text(r->arena, path, length) : ".";
    if (r->folder == NULL) {
        return no_memory(r);
    }
    char real[PATH_MAX];
    if (realpath(r->folder, real) == NULL) {
        return assay_fail(r->diag, errno == ENOENT ? ASSAY_NOT_FOUND : ASSAY_NOT_READABLE,
                          ASSAY_NO_OFFSET, "the folder of the manifest cannot be read: %s",
                          strerror(errno));
    }
    r->root = assay_arena_text(r->arena, real, strlen(real));
    return r->root != NULL ? ASSAY_OK : no_memory(r);
}

/* Whether what a path leads to may be read. */
static enum assay_error check_file(const struct assay_manifest_reader *r,
                                   const struct assay_yaml *node, const char *real)
{
    const bool inside = strcmp(r->root, real) == 0 || assay_path_is_below(r->root, real);
    if (!r->options->allow_outside && !inside) {
        assay_yaml_fail(node, r->diag, ASSAY_NOT_READABLE, "%s is outside of the manifest's folder",
                        node->text);
        assay_diag_hint(r->diag, "it leads to %s%s", real,
                        r->options->never_outside ? "" : "; --allow-outside permits that");
        return ASSAY_NOT_READABLE;
    }
    struct stat st;
    if (stat(real, &st) != 0) {
        return assay_yaml_fail(node, r->diag, ASSAY_NOT_READABLE, "%s cannot be read: %s",
                               node->text, strerror(errno));
    }
    if (!S_ISREG(st.st_mode)) {
        return assay_yaml_fail(node, r->diag, ASSAY_NOT_READABLE, "%s is %s", node->text,
                               S_ISDIR(st.st_mode) ? "a directory; a file is expected"
                                                   : "no regular file");
    }
    return ASSAY_OK;
}

enum assay_error assay_manifest_resolve(const struct assay_manifest_reader *r,
                                        const struct assay_yaml *node, const char *what,
                                        const char **path)
{
    if (node->type != ASSAY_YAML_SCALAR || node->length == 0 ||
        strlen(node->text) != node->length) {
        return assay_yaml_fail(node, r->diag, ASSAY_WRONG_TYPE, "%s is the name of a file", what);
    }
    char full[PATH_MAX];
    const bool absolute = node->text[0] == '/';
    const int length = absolute ? snprintf(full, sizeof full, "%s", node->text)
                                : snprintf(full, sizeof full, "%s/%s", r->folder, node->text);
    if (length < 0 || (size_t)length >= sizeof full) {
        return assay_yaml_fail(node, r->diag, ASSAY_LIMIT, "the name of the file is too long");
    }
    char real[PATH_MAX];
    if (realpath(full, real) == NULL) {
        return assay_yaml_fail(node, r->diag,
                               errno == ENOENT || errno == ENOTDIR ? ASSAY_NOT_FOUND
                                                                   : ASSAY_NOT_READABLE,
                               "%s cannot be read: %s", node->text, strerror(errno));
    }
    const enum assay_error error = check_file(r, node, real);
    if (error != ASSAY_OK) {
        return error;
    }
    *path = assay_arena_text(r->arena, real, strlen(real));
    return *path != NULL ? ASSAY_OK : no_memory(r);
}

static enum assay_error read_image(const struct assay_manifest_reader *r,
                                   const struct assay_yaml *map, struct assay_image_spec *spec)
{
    enum { KEYS_MAX = 16 };
    const char *keys[KEYS_MAX + 1] = {"file"};
    for (size_t i = 0; assay_image_keys[i] != NULL && i + 1 < KEYS_MAX; i++) {
        keys[i + 1] = assay_image_keys[i];
    }
    enum assay_error error = assay_yaml_only(map, keys, r->diag);
    if (error != ASSAY_OK) {
        return error;
    }
    for (size_t i = 0; i < map->count && error == ASSAY_OK; i++) {
        const struct assay_yaml *key = map->items[2 * i];
        const struct assay_yaml *value = map->items[2 * i + 1];
        const char *path = NULL;
        if (!assay_yaml_is(key, "file")) {
            error = assay_image_key(spec, key, value, r->diag);
        } else {
            error = assay_manifest_resolve(r, value, "file", &path);
            if (error == ASSAY_OK) {
                memcpy(spec->path, path, strlen(path) + 1);
            }
        }
    }
    if (error == ASSAY_OK && spec->path[0] == '\0') {
        error = assay_yaml_fail(map, r->diag, ASSAY_USAGE, "an image needs its file");
    }
    return error;
}

enum assay_error assay_manifest_read_images(struct assay_manifest_reader *r,
                                            const struct assay_yaml *node,
                                            struct assay_manifest_stream *stream)
{
    if (node->type != ASSAY_YAML_LIST || node->count == 0) {
        return assay_yaml_fail(node, r->diag, ASSAY_WRONG_TYPE,
                               "images is a list of at least one {file: NAME, ...}");
    }
    if (node->count > ASSAY_MANIFEST_MAX_IMAGES - r->image_count) {
        return assay_yaml_fail(node, r->diag, ASSAY_LIMIT, "there are more than %d images",
                               ASSAY_MANIFEST_MAX_IMAGES);
    }
    r->image_count += node->count;
    struct assay_image_spec *list = assay_arena_take(r->arena, node->count * sizeof *list);
    if (list == NULL) {
        return no_memory(r);
    }
    for (size_t i = 0; i < node->count; i++) {
        const enum assay_error error = read_image(r, node->items[i], &list[i]);
        if (error != ASSAY_OK) {
            return error;
        }
    }
    stream->images = list;
    stream->image_count = node->count;
    return ASSAY_OK;
}
