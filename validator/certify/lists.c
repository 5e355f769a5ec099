#include "validator/certify/lists.h"

#include <stdlib.h>
#include <string.h>

/* A list, each text of which is compared with the others. */
enum { MOST_TEXTS = 4096 };

static enum assay_error add_text(const struct assay_yaml *item, const char *key,
                                 struct assay_arena *arena, struct assay_certify_texts *texts,
                                 struct assay_diag *diag)
{
    if (item->type != ASSAY_YAML_SCALAR || item->length == 0 ||
        strlen(item->text) != item->length) {
        return assay_yaml_fail(item, diag, ASSAY_WRONG_TYPE, "\"%s\" is a list of texts", key);
    }
    if (texts->count == MOST_TEXTS) {
        return assay_yaml_fail(item, diag, ASSAY_LIMIT, "\"%s\" has more than %d texts", key,
                               MOST_TEXTS);
    }
    for (size_t i = 0; i < texts->count; i++) {
        if (strcmp(texts->list[i]->text, item->text) == 0) {
            return assay_yaml_fail(item, diag, ASSAY_DUPLICATE, "\"%s\" has %s twice", key,
                                   item->text);
        }
    }
    const struct assay_yaml **list =
        assay_arena_grow(arena, texts->list, texts->count, &texts->room, sizeof *list);
    if (list == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    texts->list = list;
    list[texts->count++] = item;
    return ASSAY_OK;
}

enum assay_error assay_certify_take_texts(const struct assay_yaml *map, const char *key,
                                          struct assay_arena *arena,
                                          struct assay_certify_texts *texts,
                                          struct assay_diag *diag)
{
    const struct assay_yaml *list = NULL;
    enum assay_error error = assay_certify_list_of(map, key, false, &list, diag);
    for (size_t i = 0; error == ASSAY_OK && list != NULL && i < list->count; i++) {
        error = add_text(list->items[i], key, arena, texts, diag);
    }
    return error;
}

enum assay_error assay_certify_list_of(const struct assay_yaml *map, const char *key, bool required,
                                       const struct assay_yaml **list, struct assay_diag *diag)
{
    *list = assay_yaml_get(map, key);
    if (*list == NULL) {
        return required
                   ? assay_yaml_fail(map, diag, ASSAY_SYNTAX, "\"%s\", a list, is missing", key)
                   : ASSAY_OK;
    }
    return (*list)->type == ASSAY_YAML_LIST && (*list)->count > 0
               ? ASSAY_OK
               : assay_yaml_fail(*list, diag, ASSAY_WRONG_TYPE,
                                 "\"%s\" is a list that is not empty", key);
}

enum assay_error assay_certify_mapping(const struct assay_yaml *map, const char *what,
                                       const char *const *known, struct assay_diag *diag)
{
    return map->type == ASSAY_YAML_MAP
               ? assay_yaml_only(map, known, diag)
               : assay_yaml_fail(map, diag, ASSAY_WRONG_TYPE, "%s is a mapping", what);
}

enum assay_error assay_certify_text(const char *path, struct assay_arena *arena, const char **text,
                                    size_t *size, struct assay_diag *diag)
{
    char *read = NULL;
    const enum assay_error error = assay_text_load(path, &read, size, diag);
    if (error != ASSAY_OK) {
        assay_diag_path(diag, path);
        return error;
    }
    *text = assay_arena_text(arena, read, *size);
    free(read);
    return *text != NULL ? ASSAY_OK
                         : assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}
