/* Bases: files that hold what many vectors have in common. */
#include "validator/vector/base.h"

#include <string.h>

const char *const assay_vector_keys[] = {
    "vector",    "format",   "base",     "with",    "fails",   "passes",  "silent", "events",
    "refuses",   "conforms", "violates", "why",     "config",  "image",   "facts",  "interpret",
    "execution", "trace",    "after",    "profile", "framing", "streams", NULL};

const char *const assay_vector_base_keys[] = {"vector",  "format",  "base",  "with",      "why",
                                              "config",  "image",   "facts", "interpret", "trace",
                                              "profile", "framing", NULL};

/* --- where a base is --- */

/* From the folder of a rule or subject, past that of the area, to that of the format. */
enum { FOLDERS_UP = 2 };

/* Whether a path is one that a vector may name: relative, and at most FOLDERS_UP, so that a vector
 * never reaches for files far from it. */
static bool path_allowed(const struct assay_yaml *node)
{
    if (node->type != ASSAY_YAML_SCALAR || strlen(node->text) != node->length) {
        return false;
    }
    const char *part = node->text;
    for (unsigned up = 0; up < FOLDERS_UP && strncmp(part, "../", 3) == 0; up++) {
        part += 3;
    }
    for (;;) {
        const size_t length = strcspn(part, "/");
        if (length == 0 || (length == 1 && part[0] == '.') ||
            (length == 2 && part[0] == '.' && part[1] == '.')) {
            return false;
        }
        if (part[length] == '\0') {
            return true;
        }
        part += length + 1;
    }
}

/* The length of the folder in a path, with its last '/'. What comes from a pipe or a terminal is
 * in no folder: its bases are looked for in the current one. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL || strncmp(path, "/dev/", 5) == 0 ? 0 : (size_t)(slash + 1 - path);
}

/* The length of what is left of a folder ("a/b/") one step up ("a/"); the same length where no step
 * can be taken off by its name. */
static size_t parent_length(const char *path, size_t folder)
{
    size_t length = folder;
    while (length > 1 && path[length - 2] != '/') {
        length--;
    }
    length -= length > 0;
    const size_t last = folder - length; /* the last folder's name with its '/' */
    const bool named = last > 1 && strncmp(path + length, "./", last) != 0 &&
                       strncmp(path + length, "../", last) != 0;
    return named ? length : folder;
}

/* The path of the base that a file names. */
static const char *base_path(struct assay_vector *vector, const struct assay_yaml *node)
{
    const char *relative = node->text;
    size_t folder = folder_length(node->path);
    while (strncmp(relative, "../", 3) == 0) {
        const size_t parent = parent_length(node->path, folder);
        if (parent == folder) {
            break;
        }
        relative += 3;
        folder = parent;
    }
    const size_t length = strlen(relative);
    char *path = assay_arena_take(&vector->memory, folder + length + 1);
    if (path != NULL) {
        memcpy(path, node->path, folder);
        memcpy(path + folder, relative, length);
    }
    return path;
}

/* --- reading the chain --- */

static bool in_chain(const struct assay_vector *vector, const char *path)
{
    bool found = strcmp(vector->file.path, path) == 0;
    for (size_t i = 0; i < vector->base_count; i++) {
        found = found || strcmp(vector->bases[i].path, path) == 0;
    }
    return found;
}

static enum assay_error check_base(const struct assay_yaml *root, struct assay_diag *diag)
{
    for (size_t i = 0; root->type == ASSAY_YAML_MAP && i < root->count; i++) {
        const struct assay_yaml *key = root->items[2 * i];
        bool of_vector = false;
        bool of_base = false;
        for (size_t k = 0; assay_vector_keys[k] != NULL; k++) {
            of_vector = of_vector || strcmp(assay_vector_keys[k], key->text) == 0;
        }
        for (size_t k = 0; assay_vector_base_keys[k] != NULL; k++) {
            of_base = of_base || strcmp(assay_vector_base_keys[k], key->text) == 0;
        }
        if (of_vector && !of_base) {
            return assay_yaml_fail(key, diag, ASSAY_UNKNOWN_NAME,
                                   "a base has no \"%s\": that is for the vector to say",
                                   key->text);
        }
    }
    const enum assay_error error = assay_yaml_only(root, assay_vector_base_keys, diag);
    if (error == ASSAY_OK && !assay_yaml_is(assay_yaml_get(root, "vector"), "1")) {
        return assay_yaml_fail(root, diag, ASSAY_UNSUPPORTED, "the file lacks \"vector: 1\"");
    }
    return error;
}

/* Reads the base that `node` names. */
static enum assay_error open_base(struct assay_vector *vector, const struct assay_yaml *node,
                                  const struct assay_vector_files *files, struct assay_diag *diag)
{
    if (!path_allowed(node)) {
        return assay_yaml_fail(node, diag, ASSAY_SYNTAX,
                               "a base is named by a relative path, at most two folders up: "
                               "../../_base/name.yaml");
    }
    if (files == NULL) {
        return assay_yaml_fail(node, diag, ASSAY_UNSUPPORTED, "bases cannot be read here");
    }
    const char *path = base_path(vector, node);
    if (path == NULL) {
        return assay_yaml_fail(node, diag, ASSAY_NO_MEMORY, "out of memory");
    }
    if (in_chain(vector, path)) {
        return assay_yaml_fail(node, diag, ASSAY_DUPLICATE, "the base %s extends itself", path);
    }
    if (vector->base_count == ASSAY_VECTOR_MAX_BASES) {
        return assay_yaml_fail(node, diag, ASSAY_LIMIT, "a vector has at most %d bases in a row",
                               ASSAY_VECTOR_MAX_BASES);
    }
    struct assay_diag why = {.offset = ASSAY_NO_OFFSET};
    struct assay_yaml_file *file = &vector->bases[vector->base_count];
    enum assay_error error = files->read(files->context, path, file, &why);
    if (error != ASSAY_OK && why.line == 0) {
        return assay_yaml_fail(node, diag, error, "the base %s: %s", path, why.message);
    }
    if (error == ASSAY_OK) {
        vector->base_count++;
        return check_base(file->root, diag);
    }
    if (diag != NULL) {
        *diag = why;
    }
    return error;
}

enum assay_error assay_vector_open_bases(struct assay_vector *vector,
                                         const struct assay_vector_files *files,
                                         struct assay_diag *diag)
{
    const struct assay_yaml *root = vector->file.root;
    for (const struct assay_yaml *node; (node = assay_yaml_get(root, "base")) != NULL;) {
        const enum assay_error error = open_base(vector, node, files, diag);
        if (error != ASSAY_OK) {
            return error;
        }
        root = vector->bases[vector->base_count - 1].root;
    }
    return ASSAY_OK;
}

const struct assay_yaml *assay_vector_inherited(const struct assay_vector *vector, const char *key)
{
    const struct assay_yaml *value = assay_yaml_get(vector->file.root, key);
    for (size_t i = 0; i < vector->base_count && value == NULL; i++) {
        value = assay_yaml_get(vector->bases[i].root, key);
    }
    return value;
}

/* --- the trace --- */

/* A trace that is being put together. */
struct joining {
    struct assay_vector *vector;
    struct assay_yaml **events;
    size_t count;
    struct assay_diag *diag;
};

static enum assay_error no_memory(const struct joining *j)
{
    return assay_fail(j->diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

/* Finds the one event of a kind; none or several are an error at the key. */
static enum assay_error find_event(const struct joining *j, const struct assay_yaml *kind,
                                   struct assay_yaml ***place)
{
    struct assay_yaml **found = NULL;
    for (size_t i = 0; i < j->count; i++) {
        const struct assay_yaml *event = j->events[i];
        if (event->type != ASSAY_YAML_MAP || event->count != 1 ||
            strcmp(event->items[0]->text, kind->text) != 0) {
            continue;
        }
        if (found != NULL) {
            return assay_yaml_fail(kind, j->diag, ASSAY_DUPLICATE,
                                   "the base has more than one event %s", kind->text);
        }
        found = &j->events[i];
    }
    if (found == NULL) {
        return assay_yaml_fail(kind, j->diag, ASSAY_UNKNOWN_NAME, "the base has no event %s",
                               kind->text);
    }
    *place = found;
    return ASSAY_OK;
}

/* A mapping with the pairs of `old`, their values replaced by those of `new`, and what only `new`
 * has after them. `old` may be an empty scalar. */
static struct assay_yaml *merged(const struct joining *j, const struct assay_yaml *old,
                                 const struct assay_yaml *new)
{
    const size_t olds = old->type == ASSAY_YAML_MAP ? old->count : 0;
    struct assay_yaml *map = assay_arena_take(&j->vector->memory, sizeof *map);
    struct assay_yaml **items =
        assay_arena_take(&j->vector->memory, (2 * (olds + new->count) + 1) * sizeof *items);
    if (map == NULL || items == NULL) {
        return NULL;
    }
    if (olds > 0) {
        memcpy(items, old->items, 2 * olds * sizeof *items);
    }
    size_t count = olds;
    for (size_t i = 0; i < new->count; i++) {
        size_t at = 0;
        while (at < olds && strcmp(items[2 * at]->text, new->items[2 * i]->text) != 0) {
            at++;
        }
        at = at < olds ? at : count++;
        items[2 * at] = new->items[2 * i];
        items[2 * at + 1] = new->items[2 * i + 1];
    }
    *map = *old;
    map->type = ASSAY_YAML_MAP;
    map->items = items;
    map->count = count;
    return map;
}

/* Changes one event as an entry of `with` says. */
static enum assay_error change_event(const struct joining *j, const struct assay_yaml *kind,
                                     const struct assay_yaml *fields)
{
    struct assay_yaml **event = NULL;
    /* Kinds are few, so that looking for an event of each ends soon. */
    if (!assay_yaml_is(kind, "raw") && assay_kind_by_name(j->vector->format, kind->text) == NULL) {
        return assay_yaml_fail(kind, j->diag, ASSAY_UNKNOWN_NAME, "the base has no event %s",
                               kind->text);
    }
    const enum assay_error error = find_event(j, kind, &event);
    if (error != ASSAY_OK) {
        return error;
    }
    const struct assay_yaml *old = (*event)->items[1];
    if (fields->type != ASSAY_YAML_MAP || old->type == ASSAY_YAML_LIST ||
        (old->type == ASSAY_YAML_SCALAR && old->length > 0)) {
        return assay_yaml_fail(fields, j->diag, ASSAY_WRONG_TYPE,
                               "with changes fields: {%s: {field: value}}", kind->text);
    }
    struct assay_yaml *changed = assay_arena_take(&j->vector->memory, sizeof *changed);
    struct assay_yaml **pair = assay_arena_take(&j->vector->memory, 2 * sizeof *pair);
    struct assay_yaml *map = merged(j, old, fields);
    if (changed == NULL || pair == NULL || map == NULL) {
        return no_memory(j);
    }
    pair[0] = (*event)->items[0];
    pair[1] = map;
    *changed = **event;
    changed->items = pair;
    *event = changed;
    return ASSAY_OK;
}

/* Adds a file: first its changes of the events so far, then its own events. */
static enum assay_error join_file(struct joining *j, const struct assay_yaml *root)
{
    const struct assay_yaml *with = assay_yaml_get(root, "with");
    const struct assay_yaml *trace = assay_yaml_get(root, "trace");
    if (with != NULL && (with->type != ASSAY_YAML_MAP || assay_yaml_get(root, "base") == NULL)) {
        return assay_yaml_fail(with, j->diag, ASSAY_WRONG_TYPE,
                               "with changes events of a base: {kind: {field: value}}");
    }
    for (size_t i = 0; with != NULL && i < with->count; i++) {
        const enum assay_error error = change_event(j, with->items[2 * i], with->items[2 * i + 1]);
        if (error != ASSAY_OK) {
            return error;
        }
    }
    if (trace != NULL && trace->count > 0) {
        memcpy(j->events + j->count, trace->items, trace->count * sizeof *j->events);
        j->count += trace->count;
    }
    return ASSAY_OK;
}

enum assay_error assay_vector_join_trace(struct assay_vector *vector, struct assay_diag *diag)
{
    struct joining j = {.vector = vector, .diag = diag};
    const struct assay_yaml *first = assay_vector_inherited(vector, "trace");
    size_t total = 0;
    if (first == NULL) {
        return ASSAY_OK;
    }
    for (size_t i = 0; i <= vector->base_count; i++) {
        const struct assay_yaml *root = i > 0 ? vector->bases[i - 1].root : vector->file.root;
        const struct assay_yaml *trace = assay_yaml_get(root, "trace");
        if (trace != NULL && trace->type != ASSAY_YAML_LIST) {
            return assay_yaml_fail(trace, diag, ASSAY_SYNTAX, "\"trace\" is a list of events");
        }
        total += trace != NULL ? trace->count : 0;
    }
    struct assay_yaml *list = assay_arena_take(&vector->memory, sizeof *list);
    j.events = assay_arena_take(&vector->memory, (total + 1) * sizeof *j.events);
    if (list == NULL || j.events == NULL) {
        return no_memory(&j);
    }
    enum assay_error error = ASSAY_OK;
    for (size_t i = vector->base_count; i > 0 && error == ASSAY_OK; i--) {
        error = join_file(&j, vector->bases[i - 1].root);
    }
    error = error != ASSAY_OK ? error : join_file(&j, vector->file.root);
    *list = *first;
    list->items = j.events;
    list->count = j.count;
    vector->trace = list;
    return error;
}
