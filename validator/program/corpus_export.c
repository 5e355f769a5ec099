#include "validator/program/corpus_export.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "validator/program/builtin.h"
#include "validator/program/corpus_readme.h"
#include "validator/program/new_folder.h"

enum { PATH = ASSAY_FOLDER_PATH };

static enum assay_error fail_writing(const char *path, const char *what, struct assay_diag *diag)
{
    assay_fail(diag, ASSAY_NOT_WRITABLE, ASSAY_NO_OFFSET, "%s: %s", what, strerror(errno));
    assay_diag_path(diag, path);
    return ASSAY_NOT_WRITABLE;
}

/* --- folders --- */

enum assay_error assay_corpus_make_folders(const char *root, const char *stem,
                                           struct assay_diag *diag)
{
    char path[PATH];
    const char *end = stem;
    while ((end = strchr(end, '/')) != NULL) {
        if (snprintf(path, sizeof path, "%s/%.*s", root, (int)(end - stem), stem) >= PATH) {
            return assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "the folder's name is too long");
        }
        if (mkdir(path, 0777) != 0 && errno != EEXIST) {
            return fail_writing(path, "the folder cannot be made", diag);
        }
        end++;
    }
    return ASSAY_OK;
}

/* --- the index and the text for readers --- */

static json_t *catalogues_json(const struct assay_format *format)
{
    json_t *list = json_array();
    for (size_t i = 0; assay_catalogues[i] != NULL; i++) {
        const struct assay_catalogue *c = assay_catalogues[i];
        if (format == NULL || c->format == format) {
            json_array_append_new(list,
                                  json_pack("{s:s, s:s, s:s}", "format", c->format->name, "version",
                                            c->format->version, "catalogue", c->digest));
        }
    }
    return list;
}

static enum assay_error open_file(const char *root, const char *name, char path[PATH],
                                  struct assay_sink *sink, struct assay_diag *diag)
{
    return snprintf(path, PATH, "%s/%s", root, name) < PATH
               ? assay_sink_open(sink, path, diag)
               : assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "the folder's name is too long");
}

/* Takes the list of vectors. */
static enum assay_error write_index(const char *root, const struct assay_corpus_wanted *wanted,
                                    json_t *vectors, struct assay_diag *diag)
{
    json_t *index = json_pack("{s:s, s:s, s:o, s:o, s:O}", "schema", "assay-corpus/1", "assay",
                              ASSAY_VERSION, "catalogues", catalogues_json(wanted->format),
                              "vectors", vectors, "untranslated", wanted->untranslated);
    struct assay_sink sink;
    char path[PATH];
    enum assay_error error = open_file(root, "index.json", path, &sink, diag);
    if (error != ASSAY_OK) {
        json_decref(index);
        return error;
    }
    error = assay_put_json(index, &sink);
    const enum assay_error closed = assay_sink_close(&sink, diag);
    error = error != ASSAY_OK ? error : closed;
    error = error != ASSAY_OK ? error : open_file(root, "README.md", path, &sink, diag);
    if (error == ASSAY_OK) {
        for (const char *const *part = assay_corpus_readme; *part != NULL; part++) {
            assay_sink_text(&sink, *part);
        }
        error = assay_sink_close(&sink, diag);
    }
    return error;
}

/* --- the whole --- */

static enum assay_error export_vector(const char *root, const struct assay_corpus_text *text,
                                      const struct assay_vector *vector,
                                      struct assay_corpus_wanted *wanted, json_t *vectors,
                                      struct assay_diag *diag)
{
    struct assay_sink trace;
    json_t *entry = NULL;
    assay_sink_memory(&trace, 0);
    enum assay_error error = assay_corpus_make_folders(root, strchr(text->name, '/') + 1, diag);
    error = error != ASSAY_OK ? error : assay_vector_encode(vector, &trace, diag);
    error = error != ASSAY_OK
                ? error
                : assay_corpus_export_vector(root, text, vector, &trace, &entry, diag);
    if (error == ASSAY_OK && json_array_append_new(vectors, entry) != 0) {
        error = assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    wanted->vectors += error == ASSAY_OK;
    error = error != ASSAY_OK ? error
                              : assay_corpus_export_translated(root, vector, &trace, entry, wanted,
                                                               vectors, diag);
    assay_sink_close(&trace, NULL);
    return error;
}

static enum assay_error export_text(const char *root, const struct assay_corpus_text *text,
                                    struct assay_corpus_wanted *wanted, json_t *vectors,
                                    struct assay_diag *diag)
{
    struct assay_vector vector;
    enum assay_error error = assay_builtin_vector(text, &vector, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    if (wanted->format == NULL || vector.format == wanted->format) {
        error = export_vector(root, text, &vector, wanted, vectors, diag);
    }
    assay_vector_free(&vector);
    return error;
}

static enum assay_error export_vectors(const struct assay_new_folder *new,
                                       struct assay_corpus_wanted *wanted, json_t *vectors,
                                       struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < assay_corpus_count && error == ASSAY_OK; i++) {
        if (assay_builtin_is_vector(&assay_corpus[i])) {
            error = export_text(new->root, &assay_corpus[i], wanted, vectors, diag);
            error = error != ASSAY_OK ? error : assay_new_folder_check(new, diag);
        }
    }
    return error;
}

static enum assay_error export_all(const struct assay_new_folder *new,
                                   struct assay_corpus_wanted *wanted, struct assay_diag *diag)
{
    json_t *vectors = json_array();
    wanted->untranslated = json_array();
    enum assay_error error = export_vectors(new, wanted, vectors, diag);
    error = error != ASSAY_OK ? error : assay_corpus_export_generated(new, wanted, vectors, diag);
    if (error != ASSAY_OK) {
        json_decref(vectors);
        return error;
    }
    return write_index(new->root, wanted, vectors, diag);
}

enum assay_error assay_corpus_export(const char *folder, struct assay_corpus_wanted *wanted,
                                     struct assay_diag *diag)
{
    struct assay_new_folder new;
    const enum assay_error error = assay_new_folder_begin(&new, folder, "the corpus is", diag);
    if (error != ASSAY_OK) {
        return error;
    }
    return assay_new_folder_end(&new, export_all(&new, wanted, diag), diag);
}
