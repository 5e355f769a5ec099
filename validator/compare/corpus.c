#include "validator/compare/corpus.h"

#include <errno.h>
#include <fnmatch.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "io/digest.h"
#include "io/path.h"
#include "reports/json_load.h"

static const char *const file_names[ASSAY_VECTOR_FILES] = {"trace", "manifest", "events"};

static enum assay_error bad(struct assay_diag *diag, enum assay_error error, const char *path,
                            const char *what, const char *name)
{
    assay_fail(diag, error, ASSAY_NO_OFFSET, "%s%s%.200s", what, name[0] != '\0' ? ": " : "", name);
    assay_diag_path(diag, path);
    return error;
}

static const char *keep(struct assay_corpus *corpus, const char *text)
{
    return assay_arena_text(&corpus->arena, text, strlen(text));
}

static enum assay_error take_file(struct assay_corpus *corpus, const char *folder,
                                  const json_t *file, struct assay_corpus_vector *vector,
                                  struct assay_corpus_file *listed, struct assay_diag *diag)
{
    const char *what = json_string_value(json_object_get(file, "what"));
    const char *path = json_string_value(json_object_get(file, "path"));
    const char *digest = json_string_value(json_object_get(file, "sha256"));
    char whole[PATH_MAX];
    char text[ASSAY_DIGEST_TEXT];
    if (what == NULL || path == NULL || digest == NULL || strlen(digest) != 64) {
        return bad(diag, ASSAY_SYNTAX, folder, "index.json lacks what, path or sha256 of a file of",
                   vector->name);
    }
    if (!assay_path_stays(path) ||
        snprintf(whole, sizeof whole, "%s/%s", folder, path) >= PATH_MAX) {
        return bad(diag, ASSAY_OUT_OF_RANGE, folder, "a path of index.json leaves the folder",
                   path);
    }
    snprintf(text, sizeof text, "sha256:%s", digest);
    *listed = (struct assay_corpus_file){keep(corpus, whole), keep(corpus, text)};
    for (size_t i = 0; i < ASSAY_VECTOR_FILES; i++) {
        if (strcmp(what, file_names[i]) == 0 && vector->files[i] == NULL) {
            vector->files[i] = listed->path;
            break;
        }
    }
    return listed->path != NULL && listed->digest != NULL ? ASSAY_OK : ASSAY_NO_MEMORY;
}

static bool shown(const char *text, enum assay_corpus_shows *shows)
{
    static const struct {
        const char *name;
        enum assay_corpus_shows shows;
    } names[] = {{"passes", ASSAY_SHOWS_CONFORMS},   {"conforms", ASSAY_SHOWS_CONFORMS},
                 {"events", ASSAY_SHOWS_CONFORMS},   {"generated", ASSAY_SHOWS_CONFORMS},
                 {"refuses", ASSAY_SHOWS_REFUSES},   {"fails", ASSAY_SHOWS_VIOLATES},
                 {"violates", ASSAY_SHOWS_VIOLATES}, {"nothing", ASSAY_SHOWS_VIOLATES}};
    for (size_t i = 0; text != NULL && i < sizeof names / sizeof *names; i++) {
        if (strcmp(text, names[i].name) == 0) {
            *shows = names[i].shows;
            return true;
        }
    }
    return false;
}

static enum assay_error take_vector(struct assay_corpus *corpus, const char *folder,
                                    const json_t *from, struct assay_corpus_vector *vector,
                                    struct assay_diag *diag)
{
    enum assay_error error;
    const json_t *files = json_object_get(from, "files");
    size_t i = 0;
    json_t *file = NULL;
    if (!shown(json_string_value(json_object_get(from, "shows")), &vector->shows)) {
        return bad(diag, ASSAY_SYNTAX, folder, "index.json does not say what is shown by",
                   vector->name);
    }
    struct assay_corpus_file *listed =
        assay_arena_take(&corpus->arena, (json_array_size(files) + 1) * sizeof *listed);
    error = listed != NULL ? ASSAY_OK : ASSAY_NO_MEMORY;
    json_array_foreach(files, i, file)
    {
        error =
            error == ASSAY_OK ? take_file(corpus, folder, file, vector, &listed[i], diag) : error;
    }
    vector->listed = listed;
    vector->listed_count = json_array_size(files);
    if (error == ASSAY_OK &&
        (vector->files[ASSAY_VECTOR_TRACE] == NULL || vector->files[ASSAY_VECTOR_EVENTS] == NULL)) {
        return bad(diag, ASSAY_SYNTAX, folder, "index.json has no trace, or no events, of",
                   vector->name);
    }
    return error;
}

static const struct assay_format *format_named(const char *name)
{
    size_t i = 0;
    while (assay_formats[i] != NULL && strcmp(assay_formats[i]->name, name) != 0) {
        i++;
    }
    return assay_formats[i];
}

/* --- which are taken --- */

static bool is_of(const struct assay_patterns *patterns, const char *name)
{
    size_t i = 0;
    while (name != NULL && i < patterns->count && fnmatch(patterns->list[i], name, 0) != 0) {
        i++;
    }
    return name != NULL && i < patterns->count;
}

static bool has_one(const json_t *list, const struct assay_patterns *patterns)
{
    size_t i = 0;
    json_t *item = NULL;
    json_array_foreach(list, i, item)
    {
        if (is_of(patterns, json_string_value(item))) {
            return true;
        }
    }
    return false;
}

/* Whether a vector has something that one of the patterns matches. */
static bool has(const json_t *from, const struct assay_patterns *patterns)
{
    return is_of(patterns, json_string_value(json_object_get(from, "framing"))) ||
           is_of(patterns, json_string_value(json_object_get(from, "profile"))) ||
           has_one(json_object_get(from, "features"), patterns) ||
           has_one(json_object_get(from, "kinds"), patterns);
}

static bool has_each(const json_t *from, const struct assay_patterns *patterns)
{
    struct assay_patterns one = {.count = 1};
    for (size_t i = 0; i < patterns->count; i++) {
        one.list[0] = patterns->list[i];
        if (!has(from, &one)) {
            return false;
        }
    }
    return true;
}

/* Whether a vector has events of a layer, or a fault, which can be in any. */
static bool has_layer(const json_t *from, const char *layer)
{
    const char *format_name = json_string_value(json_object_get(from, "format"));
    const struct assay_format *format = format_named(format_name);
    size_t i = 0;
    json_t *item = NULL;
    json_array_foreach(json_object_get(from, "kinds"), i, item)
    {
        const char *name = json_string_value(item);
        const struct assay_kind *kind =
            name != NULL && format != NULL ? assay_kind_by_name(format, name) : NULL;
        if (kind != NULL &&
            (strcmp(name, "malformed") == 0 || strcmp(format->layers[kind->layer], layer) == 0)) {
            return assay_layer_by_name(format, layer) >= 0;
        }
    }
    return false;
}

/* Whether a vector is one of those that are taken. */
static enum assay_error choose(const struct assay_corpus_choice *choice, const json_t *from,
                               bool *taken, const char *folder, struct assay_diag *diag)
{
    const char *name = json_string_value(json_object_get(from, "name"));
    const bool by_what_it_has =
        choice->with.count > 0 || choice->without.count > 0 || choice->layer != NULL;
    *taken = (choice->format == NULL ||
              strcmp(choice->format, json_string_value(json_object_get(from, "format"))) == 0) &&
             (choice->only.count == 0 || is_of(&choice->only, name)) &&
             (choice->profiles.count == 0 ||
              is_of(&choice->profiles, json_string_value(json_object_get(from, "profile"))));
    if (*taken && by_what_it_has &&
        (!json_is_string(json_object_get(from, "framing")) ||
         !json_is_array(json_object_get(from, "kinds")))) {
        return bad(diag, ASSAY_UNSUPPORTED, folder, "index.json lists no framing and kinds of",
                   name);
    }
    *taken = *taken && (choice->layer == NULL || has_layer(from, choice->layer)) &&
             has_each(from, &choice->with) && !has(from, &choice->without);
    return ASSAY_OK;
}

/* The first pattern of a choice that no vector is of; null: each is of some. */
static const char *without_match(const struct assay_patterns *patterns, const json_t *list,
                                 const char *member)
{
    for (size_t n = 0; n < patterns->count; n++) {
        struct assay_patterns one = {.list = {patterns->list[n]}, .count = 1};
        size_t i = 0;
        json_t *from = NULL;
        bool found = false;
        json_array_foreach(list, i, from)
        {
            found = found ||
                    (member != NULL ? is_of(&one, json_string_value(json_object_get(from, member)))
                                    : has(from, &one));
        }
        if (!found) {
            return patterns->list[n];
        }
    }
    return NULL;
}

/* No vector is taken: says which pattern none is of, if one is so. */
static enum assay_error say_none(const struct assay_corpus_choice *choice, const json_t *list,
                                 const char *folder, struct assay_diag *diag)
{
    const struct {
        const struct assay_patterns *patterns;
        const char *member, *what;
    } tried[] = {{&choice->only, "name", "no vector has the name"},
                 {&choice->profiles, "profile", "no vector is of the profile"},
                 {&choice->with, NULL, "no vector has"}};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        const char *pattern = without_match(tried[i].patterns, list, tried[i].member);
        if (pattern != NULL) {
            bad(diag, ASSAY_VACUOUS, folder, tried[i].what, pattern);
            assay_diag_hint(diag, "index.json of the corpus lists name, profile, framing, features "
                                  "and kinds of each");
            return ASSAY_VACUOUS;
        }
    }
    return bad(diag, ASSAY_VACUOUS, folder, "no vector is all that the options choose", "");
}

static enum assay_error take_all(struct assay_corpus *corpus, const char *folder,
                                 const json_t *list, const struct assay_corpus_choice *choice,
                                 struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    size_t i = 0;
    json_t *from = NULL;
    corpus->vectors =
        assay_arena_take(&corpus->arena, (json_array_size(list) + 1) * sizeof *corpus->vectors);
    corpus->left_out =
        assay_arena_take(&corpus->arena, (json_array_size(list) + 1) * sizeof *corpus->left_out);
    if (corpus->vectors == NULL || corpus->left_out == NULL) {
        return ASSAY_NO_MEMORY;
    }
    json_array_foreach(list, i, from)
    {
        struct assay_corpus_vector *vector = &corpus->vectors[corpus->count];
        const char *name = json_string_value(json_object_get(from, "name"));
        const char *of = json_string_value(json_object_get(from, "format"));
        if (name == NULL || of == NULL) {
            return bad(diag, ASSAY_SYNTAX, folder, "index.json has a vector without name or format",
                       "");
        }
        const char *kept = keep(corpus, name);
        if (kept == NULL) {
            return ASSAY_NO_MEMORY;
        }
        bool taken = false;
        error = choose(choice, from, &taken, folder, diag);
        if (error != ASSAY_OK) {
            return error;
        }
        if (!taken) {
            corpus->left_out[corpus->left_out_count++] = kept;
            continue;
        }
        *vector = (struct assay_corpus_vector){.name = kept, .format = format_named(of)};
        if (vector->format == NULL) {
            return bad(diag, ASSAY_UNSUPPORTED, folder, "this build does not have the format", of);
        }
        error = take_vector(corpus, folder, from, vector, diag);
        if (error != ASSAY_OK) {
            return error;
        }
        corpus->count++;
    }
    return corpus->count > 0 ? ASSAY_OK : say_none(choice, list, folder, diag);
}

/* Those of a format together, in the order of the formats: reports count them so. Else they stay in
 * the order of the index, in which generated traces come last. */
static enum assay_error sort(struct assay_corpus *corpus)
{
    struct assay_corpus_vector *sorted =
        assay_arena_take(&corpus->arena, (corpus->count + 1) * sizeof *sorted);
    size_t count = 0;
    if (sorted == NULL) {
        return ASSAY_NO_MEMORY;
    }
    for (size_t f = 0; assay_formats[f] != NULL; f++) {
        for (size_t i = 0; i < corpus->count; i++) {
            if (corpus->vectors[i].format == assay_formats[f]) {
                sorted[count++] = corpus->vectors[i];
            }
        }
    }
    corpus->vectors = sorted;
    return ASSAY_OK;
}

enum assay_error assay_corpus_load(struct assay_corpus *corpus, const char *folder,
                                   const struct assay_corpus_choice *choice,
                                   struct assay_diag *diag)
{
    char whole[PATH_MAX];
    char path[PATH_MAX + 16];
    json_error_t wrong;
    if (realpath(folder, whole) == NULL) {
        return assay_fail(diag, ASSAY_NOT_FOUND, ASSAY_NO_OFFSET, "%s: %s", folder,
                          strerror(errno));
    }
    snprintf(path, sizeof path, "%s/index.json", whole);
    json_t *index = NULL;
    const enum assay_error read =
        assay_json_load_file(path, JSON_REJECT_DUPLICATES, &index, &wrong);
    if (read == ASSAY_NO_MEMORY) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    if (read != ASSAY_OK) {
        assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET, "%s: %s", path, wrong.text);
        assay_diag_hint(diag, "CORPUS is a folder that `assay corpus export` made");
        return ASSAY_NOT_READABLE;
    }
    const char *schema = json_string_value(json_object_get(index, "schema"));
    enum assay_error error =
        schema == NULL || strcmp(schema, "assay-corpus/1") != 0
            ? bad(diag, ASSAY_UNSUPPORTED, path, "its schema is not assay-corpus/1", "")
            : take_all(corpus, whole, json_object_get(index, "vectors"), choice, diag);
    error = error == ASSAY_OK ? sort(corpus) : error;
    json_decref(index);
    return error;
}

static enum assay_error digest_of(const char *path, char text[ASSAY_DIGEST_TEXT],
                                  struct assay_diag *diag)
{
    struct assay_digest digest;
    char bytes[65536];
    size_t size = 0;
    FILE *file = NULL;
    const enum assay_error opened = assay_file_open(path, &file, diag);
    if (opened != ASSAY_OK) {
        assay_diag_path(diag, path);
        return opened;
    }
    assay_digest_begin(&digest);
    while ((size = fread(bytes, 1, sizeof bytes, file)) > 0) {
        assay_digest_add(&digest, bytes, size);
    }
    const bool failed = ferror(file) != 0;
    fclose(file);
    const enum assay_error error = assay_digest_end(&digest, text);
    if (failed) {
        return assay_fail(diag, ASSAY_READ_FAILED, ASSAY_NO_OFFSET, "%s", path);
    }
    /* Memory is out, or OpenSSL is configured without it. */
    return error == ASSAY_OK ? ASSAY_OK
                             : assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "no SHA-256: %s",
                                          assay_error_text(error));
}

enum assay_error assay_corpus_check(const struct assay_corpus_vector *vector,
                                    struct assay_diag *diag)
{
    for (size_t i = 0; i < vector->listed_count; i++) {
        const struct assay_corpus_file *file = &vector->listed[i];
        char text[ASSAY_DIGEST_TEXT];
        const enum assay_error error = digest_of(file->path, text, diag);
        if (error != ASSAY_OK) {
            return error;
        }
        if (strcmp(text, file->digest) != 0) {
            return assay_fail(diag, ASSAY_CONTRADICTION, ASSAY_NO_OFFSET,
                              "%s is not the file that was exported: its digest is another",
                              file->path);
        }
    }
    return ASSAY_OK;
}

void assay_corpus_free(struct assay_corpus *corpus)
{
    assay_arena_free(&corpus->arena);
    *corpus = (struct assay_corpus){.count = 0};
}
