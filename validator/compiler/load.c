/* A catalogue from files: order, digest, and what all kinds of files need. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/digest.h"
#include "validator/compiler/loader.h"

struct assay_loaded {
    struct assay_arena arena;
    struct assay_catalogue catalogue;
};

enum assay_error assay_load_next(struct assay_loader *loader, enum assay_error error)
{
    if (error == ASSAY_OK || error == ASSAY_NO_MEMORY || loader->listener == NULL) {
        return error;
    }
    if (!loader->echo) {
        loader->listener->fault(loader->listener->context, loader->diag);
        loader->faults++;
    }
    loader->echo = false;
    loader->first_fault = loader->first_fault != ASSAY_OK ? loader->first_fault : error;
    *loader->diag = (struct assay_diag){.offset = ASSAY_NO_OFFSET};
    return loader->faults < ASSAY_MOST_RULE_FAULTS ? ASSAY_OK : error;
}

enum assay_error assay_load_held(struct assay_loader *loader, const struct assay_held *held)
{
    if (held->error != ASSAY_OK) {
        *loader->diag = held->diag;
        loader->echo = held->echo;
    }
    return held->error;
}

enum assay_error assay_load_hold(struct assay_loader *loader, struct assay_held *held,
                                 enum assay_error error)
{
    if (error == ASSAY_OK || error == ASSAY_NO_MEMORY || loader->listener == NULL) {
        return error;
    }
    const struct assay_held new = {.error = error, .diag = *loader->diag, .echo = loader->echo};
    const enum assay_error next = assay_load_next(loader, assay_load_held(loader, held));
    *held = new;
    loader->echo = false;
    return next;
}

enum assay_error assay_load_fail(struct assay_loader *loader, const struct assay_yaml *node,
                                 enum assay_error error, const char *format, ...)
{
    char message[sizeof loader->diag->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    assay_yaml_fail(node, loader->diag, error, "%s", message);
    assay_diag_path(loader->diag, loader->path);
    return error;
}

enum assay_error assay_load_only(struct assay_loader *loader, const struct assay_yaml *map,
                                 const char *const *keys)
{
    const enum assay_error error = assay_yaml_only(map, keys, loader->diag);
    if (error != ASSAY_OK) {
        assay_diag_path(loader->diag, loader->path);
    }
    return error;
}

enum assay_error assay_load_text(struct assay_loader *loader, const struct assay_yaml *map,
                                 const char *key, bool required, const char **text)
{
    const struct assay_yaml *node = assay_yaml_get(map, key);
    *text = NULL;
    if (node == NULL && !required) {
        return ASSAY_OK;
    }
    if (node == NULL || node->type != ASSAY_YAML_SCALAR || node->length == 0) {
        return assay_load_fail(loader, node != NULL ? node : map, ASSAY_SYNTAX,
                               "\"%s\" is missing or is not a text", key);
    }
    *text = assay_arena_text(loader->arena, node->text, node->length);
    return *text != NULL ? ASSAY_OK : assay_no_memory(loader->diag);
}

const char *assay_nearest_kind(const struct assay_format *format, const char *name)
{
    struct assay_near near = assay_near_begin(name);
    for (size_t i = 0; i < format->kind_count; i++) {
        assay_near_try(&near, format->kinds[i].name);
    }
    return near.best;
}

/* `any` are all kinds of the lowest layer, `any(element)` those of the layer that it names. */
static bool add_layer(const struct assay_format *format, const char *text,
                      struct assay_kinds *kinds)
{
    char name[64] = "";
    int layer = strcmp(text, "any") == 0 ? 0 : -1;
    if (layer < 0 && sscanf(text, "any(%63[^)])", name) == 1 && text[strlen(text) - 1] == ')') {
        layer = assay_layer_by_name(format, name);
    }
    if (layer >= 0) {
        const struct assay_kinds all = assay_kinds_of_layer(format, (unsigned)layer);
        assay_kinds_join(kinds, &all);
    }
    return layer >= 0;
}

static enum assay_error add_kind(struct assay_loader *loader, const struct assay_yaml *node,
                                 struct assay_kinds *kinds)
{
    const struct assay_format *format = loader->format;
    const bool scalar = node->type == ASSAY_YAML_SCALAR;
    const struct assay_kind *kind = scalar ? assay_kind_by_name(format, node->text) : NULL;
    if (scalar && add_layer(format, node->text, kinds)) {
        return ASSAY_OK;
    }
    if (kind != NULL && assay_kind_in_runs(format, (unsigned)(kind - format->kinds))) {
        return assay_load_fail(loader, node, ASSAY_UNSUPPORTED,
                               "events of the kind %s are given as runs: a rule is about the runs",
                               kind->name);
    }
    if (kind != NULL) {
        const unsigned first = assay_kinds_next(kinds, 0);
        if (first < ASSAY_MAX_KINDS && format->kinds[first].layer != kind->layer) {
            return assay_load_fail(loader, node, ASSAY_WRONG_TYPE,
                                   "%s is of the layer %s, %s of %s: a rule is about one layer",
                                   kind->name, format->layers[kind->layer],
                                   format->kinds[first].name,
                                   format->layers[format->kinds[first].layer]);
        }
        assay_kinds_add(kinds, (size_t)(kind - format->kinds));
        return ASSAY_OK;
    }
    assay_load_fail(loader, node, ASSAY_UNKNOWN_NAME, "%s has no kind of event \"%s\"",
                    format->name, scalar ? node->text : "(a list)");
    const char *near = scalar ? assay_nearest_kind(format, node->text) : NULL;
    if (near != NULL) {
        assay_diag_hint(loader->diag, "did you mean \"%s\"?", near);
    }
    return ASSAY_UNKNOWN_NAME;
}

static bool of_one_layer(const struct assay_format *format, const struct assay_kinds *kinds)
{
    const unsigned first = assay_kinds_next(kinds, 0);
    for (unsigned k = first; k < ASSAY_MAX_KINDS; k = assay_kinds_next(kinds, k + 1)) {
        if (format->kinds[k].layer != format->kinds[first].layer) {
            return false;
        }
    }
    return true;
}

enum assay_error assay_load_kinds(struct assay_loader *loader, const struct assay_yaml *node,
                                  struct assay_kinds *kinds)
{
    *kinds = (struct assay_kinds){{0}};
    if (node->type != ASSAY_YAML_LIST) {
        return add_kind(loader, node, kinds);
    }
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < node->count && error == ASSAY_OK; i++) {
        error = add_kind(loader, node->items[i], kinds);
        if (error == ASSAY_OK && !of_one_layer(loader->format, kinds)) {
            return assay_load_fail(loader, node->items[i], ASSAY_WRONG_TYPE,
                                   "the list has kinds of several layers: a rule is about one");
        }
    }
    return error == ASSAY_OK && assay_kinds_empty(kinds)
               ? assay_load_fail(loader, node, ASSAY_SYNTAX, "the list of kinds is empty")
               : error;
}

struct assay_field_ref assay_field_reference(const struct assay_format *format,
                                             const struct assay_field *field)
{
    struct assay_field_ref none = {0, 0};
    for (size_t k = 0; field != NULL && k < format->kind_count; k++) {
        const struct assay_kind *kind = &format->kinds[k];
        for (size_t i = 0; i < kind->field_count; i++) {
            if (&kind->fields[i] == field) {
                return (struct assay_field_ref){(uint16_t)k, (uint16_t)(i + 1)};
            }
        }
    }
    return none;
}

/* A catalogue lends its clauses and interpretations to one that is added to it, and has numbers for
 * its own conditions. */
static void borrow(struct assay_catalogue *out, const struct assay_catalogue *base)
{
    out->clauses = base->clauses;
    out->clause_count = base->clause_count;
    out->interpretations = base->interpretations;
    out->interpretation_count = base->interpretation_count;
    out->first_condition = base->first_condition + base->condition_count;
}

/* The file is called so, or something-so. */
static bool ends_with(const char *path, const char *name)
{
    const size_t p = strlen(path);
    const size_t n = strlen(name);
    return p >= n && strcmp(path + p - n, name) == 0 &&
           (p == n || path[p - n - 1] == '/' || path[p - n - 1] == '-');
}

static enum assay_error load_file(struct assay_loader *loader, const char *path,
                                  struct assay_digest *digest)
{
    struct assay_yaml_file file;
    char *bytes = NULL;
    size_t size = 0;
    enum assay_error error = assay_text_load(path, &bytes, &size, loader->diag);
    if (error != ASSAY_OK) {
        assay_diag_path(loader->diag, path);
        return error;
    }
    error = assay_yaml_parse(path, bytes, size, &file, loader->diag);
    assay_digest_add(digest, bytes, size);
    free(bytes);
    if (error != ASSAY_OK) {
        return error;
    }
    loader->path = assay_arena_text(loader->arena, path, strlen(path));
    if (loader->path == NULL) {
        error = assay_no_memory(loader->diag);
    } else if (ends_with(path, "clauses.yaml")) {
        error = assay_load_clauses(loader, file.root);
    } else if (ends_with(path, "interpretations.yaml")) {
        error = assay_load_interpretations(loader, file.root);
    } else {
        error = assay_load_rules(loader, file.root);
    }
    assay_yaml_free(&file);
    return error;
}

/* What is emitted for a format, and its folders, are called by its name. */
static enum assay_error check_format_name(const struct assay_format *format,
                                          struct assay_diag *diag)
{
    const char *c = format->name;
    while ((*c >= 'a' && *c <= 'z') || (*c == '_' && c > format->name) ||
           (*c >= '0' && *c <= '9' && c > format->name)) {
        c++;
    }
    return *c == '\0' && c > format->name
               ? ASSAY_OK
               : assay_fail(
                     diag, ASSAY_SYNTAX, ASSAY_NO_OFFSET,
                     "the name of a format begins with a small letter, followed by small letters, "
                     "digits and _, since names in C are made of it: \"%s\"",
                     format->name);
}

static bool note_ids(struct assay_loader *loader)
{
    bool known = false;
    bool noted = true;
    for (size_t r = 0; loader->base != NULL && r < loader->base->rule_count && noted; r++) {
        noted = assay_note_id(loader, loader->base->rules[r].id, &known);
    }
    return noted;
}

static enum assay_error load_files(struct assay_loader *loader, const char *const *files,
                                   size_t count, struct assay_digest *digest)
{
    enum assay_error error = note_ids(loader) ? ASSAY_OK : assay_no_memory(loader->diag);
    for (size_t i = 0; i < count && error == ASSAY_OK; i++) {
        error = assay_load_next(loader, load_file(loader, files[i], digest));
    }
    error = error != ASSAY_OK ? error : assay_check_explained(loader);
    return error != ASSAY_OK ? error : loader->first_fault;
}

static enum assay_error load(struct assay_loader *loader, const char *const *files, size_t count,
                             struct assay_loaded **loaded)
{
    enum assay_error error = check_format_name(loader->format, loader->diag);
    struct assay_loaded *made = error == ASSAY_OK ? calloc(1, sizeof *made) : NULL;
    if (made == NULL) {
        return error != ASSAY_OK ? error : assay_no_memory(loader->diag);
    }
    loader->arena = &made->arena;
    loader->out = &made->catalogue;
    made->catalogue.format = loader->format;
    if (loader->base != NULL) {
        borrow(&made->catalogue, loader->base);
    }
    struct assay_digest digest;
    assay_digest_begin(&digest);
    error = load_files(loader, files, count, &digest);
    assay_loader_close(loader);
    char text[ASSAY_DIGEST_TEXT];
    const enum assay_error digested = assay_digest_end(&digest, text);
    if (error == ASSAY_OK && digested != ASSAY_OK) {
        /* No fault of the rules: memory is out, or the system's configuration excludes it. */
        error = assay_fail(loader->diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET,
                           "SHA-256 cannot be computed");
    }
    made->catalogue.digest = assay_arena_text(&made->arena, text, strlen(text));
    if (error == ASSAY_OK && made->catalogue.digest == NULL) {
        error = assay_no_memory(loader->diag);
    }
    if (error != ASSAY_OK) {
        assay_catalogue_free(made);
        return error;
    }
    *loaded = made;
    return ASSAY_OK;
}

enum assay_error assay_catalogue_load(const struct assay_format *format, const char *const *files,
                                      size_t count, const struct assay_catalogue *base,
                                      struct assay_loaded **loaded, struct assay_diag *diag)
{
    struct assay_loader loader = {.diag = diag, .format = format, .base = base};
    return load(&loader, files, count, loaded);
}

enum assay_error assay_catalogue_load_user(const struct assay_format *format,
                                           const char *const *files, size_t count,
                                           const struct assay_catalogue *base,
                                           const struct assay_load_listener *listener,
                                           struct assay_loaded **loaded, struct assay_diag *diag)
{
    struct assay_loader loader = {
        .diag = diag, .format = format, .base = base, .pass_others = true, .listener = listener};
    return load(&loader, files, count, loaded);
}

const struct assay_catalogue *assay_loaded_catalogue(const struct assay_loaded *loaded)
{
    return &loaded->catalogue;
}

void assay_catalogue_free(struct assay_loaded *loaded)
{
    if (loaded != NULL) {
        assay_arena_free(&loaded->arena);
        free(loaded);
    }
}
