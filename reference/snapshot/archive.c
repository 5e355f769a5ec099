#include "snapshot/archive.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/archive.h"
#include "snapshot/snapshot_private.h"

/* The snapshot that is in the fewest folders. */
struct search {
    char name[ASSAY_ARCHIVE_MAX_NAME + 1];
    char other[ASSAY_ARCHIVE_MAX_NAME + 1]; /* as near as that; or "" */
    size_t depth;
};

static bool in_same_folder(const char *a, const char *b)
{
    const char *end = strrchr(a, '/');
    const size_t length = end != NULL ? (size_t)(end - a) + 1 : 0;
    return strncmp(a, b, length) == 0 && strchr(b + length, '/') == NULL;
}

/* Of a snapshot and a package in one folder, which are about one capture, the snapshot is kept. */
static void keep_one(struct search *search, const char *name)
{
    if (strcmp(name + strlen(name) - strlen(CS_SNAPSHOT_FILE), CS_SNAPSHOT_FILE) == 0) {
        strcpy(search->name, name);
    }
}

static void look_at(void *context, const char *name)
{
    struct search *search = context;
    size_t depth = 1;
    for (const char *c = name; *c != '\0'; c++) {
        depth += *c == '/';
    }
    if (!cs_is_snapshot(name) || strchr(name, '#') != NULL ||
        (search->depth > 0 && depth > search->depth)) {
        return;
    }
    if (depth == search->depth && in_same_folder(name, search->name)) {
        keep_one(search, name);
        return;
    }
    if (depth == search->depth) {
        strcpy(search->other, name);
        return;
    }
    search->depth = depth;
    search->other[0] = '\0';
    strcpy(search->name, name);
}

bool cs_is_archive(const char *path)
{
    return assay_archive_length(path) > 0;
}

static enum assay_error check_found(const struct search *search, struct assay_diag *diag)
{
    if (search->depth == 0) {
        return assay_fail(diag, ASSAY_ABSENT, ASSAY_NO_OFFSET, "the archive holds no %s and no %s",
                          CS_SNAPSHOT_FILE, CS_PACKAGE_FILE);
    }
    if (search->other[0] != '\0') {
        assay_fail(diag, ASSAY_CONTRADICTION, ASSAY_NO_OFFSET,
                   "the archive holds two snapshots: %.100s and %.100s", search->name,
                   search->other);
        assay_diag_hint(diag, "unpack it, and name the folder");
        return ASSAY_CONTRADICTION;
    }
    return ASSAY_OK;
}

/* Loads what was found in the unpacked folder; `archive` is the path without a buffer's name. */
static enum assay_error load(const struct search *search, const char *folder, const char *archive,
                             const char *path, const struct assay_manifest_options *options,
                             struct assay_manifest *manifest, struct assay_diag *diag)
{
    const struct assay_manifest_options inside = {.formats =
                                                      options != NULL ? options->formats : NULL};
    const struct cs_shown shown = {.folder = folder, .archive = archive, .path = path};
    char inner[PATH_MAX];
    const int length =
        snprintf(inner, sizeof inner, "%s/%s%s", folder, search->name, path + strlen(archive));
    if (length < 0 || (size_t)length >= sizeof inner) {
        return assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "the name of the file is too long");
    }
    return cs_snapshot_load_shown(inner, &shown, &inside, manifest, diag);
}

enum assay_error cs_archive_load(const char *path, const struct assay_manifest_options *options,
                                 struct assay_manifest *manifest, struct assay_diag *diag)
{
    struct search search = {.depth = 0};
    struct assay_diag wrong = {.offset = ASSAY_NO_OFFSET};
    char *archive = strndup(path, assay_archive_length(path));
    char *folder = NULL;
    *manifest = (struct assay_manifest){0};
    enum assay_error error =
        archive != NULL ? assay_archive_unpack(archive, look_at, &search, &folder, &wrong)
                        : assay_fail(&wrong, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    error = error != ASSAY_OK ? error : check_found(&search, &wrong);
    if (error == ASSAY_OK) {
        error = load(&search, folder, archive, path, options, manifest, &wrong);
    }
    if (error == ASSAY_OK) {
        struct assay_manifest_memory *memory = manifest->memory;
        memory->unpacked = folder;
        manifest->unpacked = folder;
    } else {
        assay_archive_remove(folder);
        if (error == ASSAY_NOT_READABLE) {
            wrong.hint[0] = '\0'; /* no option permits what is outside of an archive */
        }
        if (wrong.path[0] == '\0') {
            assay_diag_path(&wrong, path);
        }
        if (diag != NULL) {
            *diag = wrong;
        }
    }
    free(archive);
    return error;
}
