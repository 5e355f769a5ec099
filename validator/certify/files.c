/* The files of a certification: paths relative to the submission's folder, and digests. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/archive.h"
#include "io/path.h"
#include "validator/certify/lists.h"
#include "validator/certify/parts.h"

struct work {
    struct assay_certification *c;
    struct assay_diag *diag;
    char root[PATH_MAX];
    size_t room;
};

static enum assay_error no_memory(struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

/* --- paths --- */

/* A path without the root and without parts that are "."; its parts are never "..", unless it leads
 * through a link. Null when memory is out. */
static const char *relative(const struct work *w, const char *path)
{
    const size_t length = strlen(w->root);
    if (strncmp(path, w->root, length) == 0 && path[length] == '/') {
        path += length + 1;
    }
    char *copy = assay_arena_text(&w->c->arena, path, strlen(path));
    if (copy != NULL) {
        assay_path_tidy(copy);
    }
    return copy;
}

/* The path of a file that a manifest names; of one in an archive as if that were a folder. */
static const char *beside(const struct work *w, const char *manifest, const char *name)
{
    char path[PATH_MAX];
    char real[PATH_MAX];
    const int archive = (int)assay_archive_length(manifest);
    if (archive > 0) {
        const int length = snprintf(path, sizeof path, "%.*s/%s", archive, manifest, name);
        return length < (int)sizeof path ? relative(w, path) : NULL;
    }
    const char *slash = strrchr(manifest, '/');
    const int folder = slash == NULL || name[0] == '/' ? 0 : (int)(slash - manifest) + 1;
    if (snprintf(path, sizeof path, "%.*s%s", folder, manifest, name) >= (int)sizeof path) {
        return NULL;
    }
    return relative(w, realpath(path, real) != NULL ? real : path);
}

/* --- the list --- */

static enum assay_error differs(const struct work *w, const char *path, const char *how)
{
    assay_fail(w->diag, ASSAY_CONTRADICTION, ASSAY_NO_OFFSET, "%s", how);
    assay_diag_path(w->diag, path);
    return ASSAY_CONTRADICTION;
}

static enum assay_error check_pins(const struct work *w, const struct assay_certify_file *file)
{
    for (size_t i = 0; i < w->c->submission->pin_count; i++) {
        struct assay_certify_pin *pin = &w->c->submission->pins[i];
        if (strcmp(pin->path, file->path) == 0 && strcmp(pin->sha256, file->sha256) != 0) {
            return assay_yaml_fail(pin->node, w->diag, ASSAY_CONTRADICTION,
                                   "%.120s was altered: its SHA-256 is %s", file->path,
                                   file->sha256 + strlen("sha256:"));
        }
        pin->met = pin->met || strcmp(pin->path, file->path) == 0;
    }
    return ASSAY_OK;
}

/* Adds a file, once; twice with different contents is an error. */
static enum assay_error add(struct work *w, const struct assay_certify_file *file, bool changed)
{
    struct assay_certification *c = w->c;
    if (file->path == NULL) {
        return no_memory(w->diag);
    }
    if (changed) {
        return differs(w, file->path, "the file changed while it was judged");
    }
    if (file->sha256[0] == '\0') {
        return assay_certify_no_digest(file->path, w->diag);
    }
    for (size_t i = 0; i < c->file_count; i++) {
        if (strcmp(c->files[i].path, file->path) == 0) {
            return strcmp(c->files[i].sha256, file->sha256) == 0
                       ? ASSAY_OK
                       : differs(w, file->path, "the file changed between two traces that use it");
        }
    }
    struct assay_certify_file *list =
        assay_arena_grow(&c->arena, c->files, c->file_count, &w->room, sizeof *list);
    if (list == NULL) {
        return no_memory(w->diag);
    }
    c->files = list;
    list[c->file_count++] = *file;
    return check_pins(w, file);
}

/* Copies a list of evidence, with relative paths, and adds its files. */
static enum assay_error take_evidence(struct work *w, const struct assay_evidence **list,
                                      size_t count)
{
    struct assay_evidence *copy = assay_arena_take(&w->c->arena, (count + 1) * sizeof *copy);
    if (copy == NULL) {
        return no_memory(w->diag);
    }
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; error == ASSAY_OK && i < count; i++) {
        copy[i] = (*list)[i];
        copy[i].path = relative(w, copy[i].path);
        if (copy[i].path != NULL && copy[i].missing) {
            continue;
        }
        const struct assay_certify_file file = {.path = copy[i].path,
                                                .role = copy[i].role,
                                                .sha256 = copy[i].sha256,
                                                .bytes = copy[i].bytes};
        error = add(w, &file, copy[i].changed);
    }
    *list = copy;
    return error;
}

static enum assay_error take_input(struct work *w, struct assay_input_result *input)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; error == ASSAY_OK && i < input->file_count; i++) {
        const struct assay_file_result *of = &input->files[i];
        const struct assay_certify_file file = {.path = beside(w, input->path, of->path),
                                                .role = "trace",
                                                .sha256 = of->sha256,
                                                .bytes = of->bytes};
        error = add(w, &file, of->changed);
    }
    if (input->file_count == 0) {
        const struct assay_certify_file file = {.path = relative(w, input->path),
                                                .role = "trace",
                                                .sha256 = input->sha256,
                                                .bytes = input->bytes};
        error = add(w, &file, input->changed);
    }
    return error != ASSAY_OK ? error : take_evidence(w, &input->evidence, input->evidence_count);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct assay_certify_file *)a)->path,
                  ((const struct assay_certify_file *)b)->path);
}

enum assay_error assay_certify_files(struct assay_certification *c, struct assay_diag *diag)
{
    struct work w = {.c = c, .diag = diag};
    const size_t count = c->results.input_count;
    struct assay_input_result *inputs = assay_arena_take(&c->arena, (count + 1) * sizeof *inputs);
    if (inputs == NULL) {
        return no_memory(diag);
    }
    if (realpath(".", w.root) == NULL) {
        return assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET, "the folder: %s",
                          strerror(errno));
    }
    enum assay_error error = take_evidence(&w, &c->results.evidence, c->results.evidence_count);
    for (size_t i = 0; error == ASSAY_OK && i < count; i++) {
        inputs[i] = c->results.inputs[i];
        error = take_input(&w, &inputs[i]);
    }
    c->results.inputs = inputs;
    if (c->file_count > 0) {
        qsort(c->files, c->file_count, sizeof *c->files, by_path);
    }
    for (size_t i = 0; error == ASSAY_OK && i < c->submission->pin_count; i++) {
        const struct assay_certify_pin *pin = &c->submission->pins[i];
        if (!pin->met) {
            error = assay_yaml_fail(pin->node, diag, ASSAY_NOT_FOUND,
                                    "%.200s has a digest, and no trace uses it", pin->path);
        }
    }
    return error;
}
