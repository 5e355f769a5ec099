#include "validator/compare/expected.h"

#include <fnmatch.h>
#include <string.h>

#include "common/pattern.h"
#include "common/yaml.h"

static enum assay_error take_outcome(const struct assay_yaml *map, int *outcome,
                                     struct assay_diag *diag)
{
    const struct assay_yaml *node = assay_yaml_get(map, "outcome");
    *outcome = -1;
    for (int i = ASSAY_AGREES + 1; i < ASSAY_COMPARE_OUTCOMES && node != NULL; i++) {
        if (assay_yaml_is(node, assay_compare_outcome_name((enum assay_compare_outcome)i))) {
            *outcome = i;
        }
    }
    return node == NULL || *outcome >= 0
               ? ASSAY_OK
               : assay_yaml_fail(node, diag, ASSAY_UNKNOWN_NAME,
                                 "\"outcome\" is differs, refuses, accepts, crash or hang");
}

/* Adds an entry like `model` for a pattern. */
static enum assay_error add(struct assay_expected_list *list, const struct assay_yaml *map,
                            const struct assay_yaml *pattern, const struct assay_expected *model,
                            struct assay_diag *diag)
{
    struct assay_expected *grown =
        assay_arena_grow(&list->arena, list->list, list->count, &list->room, sizeof *list->list);
    if (grown == NULL) {
        return ASSAY_NO_MEMORY;
    }
    list->list = grown;
    struct assay_expected *one = &list->list[list->count];
    *one = *model;
    one->line = pattern != NULL ? pattern->line : map->line;
    if (pattern == NULL || pattern->type != ASSAY_YAML_SCALAR || pattern->length == 0) {
        return assay_yaml_fail(pattern != NULL ? pattern : map, diag, ASSAY_SYNTAX,
                               "\"vector\" is missing or is not a text");
    }
    one->vector = assay_arena_text(&list->arena, pattern->text, pattern->length);
    list->count += one->vector != NULL;
    return one->vector != NULL ? assay_pattern_check(one->vector, pattern, diag) : ASSAY_NO_MEMORY;
}

static enum assay_error take(struct assay_expected_list *list, const struct assay_yaml *map,
                             struct assay_diag *diag)
{
    static const char *const known[] = {"vector", "outcome", "reason", NULL};
    struct assay_expected model = {.used = 0};
    if (map->type != ASSAY_YAML_MAP) {
        return assay_yaml_fail(map, diag, ASSAY_WRONG_TYPE, "an expected failure is a mapping");
    }
    const struct assay_yaml *vector = assay_yaml_get(map, "vector");
    enum assay_error error = assay_yaml_only(map, known, diag);
    error = error == ASSAY_OK
                ? assay_yaml_take_text(map, "reason", true, &list->arena, &model.reason, diag)
                : error;
    error = error == ASSAY_OK ? take_outcome(map, &model.outcome, diag) : error;
    if (vector == NULL || vector->type != ASSAY_YAML_LIST || vector->count == 0) {
        return error == ASSAY_OK ? add(list, map, vector, &model, diag) : error;
    }
    for (size_t i = 0; error == ASSAY_OK && i < vector->count; i++) {
        error = add(list, map, vector->items[i], &model, diag);
    }
    return error;
}

enum assay_error assay_expected_load(struct assay_expected_list *list, const char *path,
                                     struct assay_diag *diag)
{
    static const char *const known[] = {"failures", NULL};
    struct assay_yaml_file file = {0};
    enum assay_error error = assay_yaml_load(path, &file, diag);
    list->path = path;
    if (error == ASSAY_OK && file.root->type != ASSAY_YAML_MAP) {
        error = assay_yaml_fail(file.root, diag, ASSAY_WRONG_TYPE,
                                "expected failures are a mapping with the key \"failures\"");
    }
    error = error == ASSAY_OK ? assay_yaml_only(file.root, known, diag) : error;
    const struct assay_yaml *failures =
        error == ASSAY_OK ? assay_yaml_get(file.root, "failures") : NULL;
    if (error == ASSAY_OK && (failures == NULL || failures->type != ASSAY_YAML_LIST)) {
        error = assay_yaml_fail(file.root, diag, ASSAY_SYNTAX, "\"failures\" is no list");
    }
    for (size_t i = 0; error == ASSAY_OK && i < failures->count; i++) {
        error = take(list, failures->items[i], diag);
    }
    assay_yaml_free(&file);
    return error;
}

const struct assay_expected *assay_expected_of(struct assay_expected_list *list, const char *vector,
                                               enum assay_compare_outcome outcome)
{
    for (size_t i = 0; i < list->count; i++) {
        struct assay_expected *one = &list->list[i];
        if ((one->outcome < 0 || one->outcome == (int)outcome) &&
            fnmatch(one->vector, vector, 0) == 0) {
            one->used++;
            return one;
        }
    }
    return NULL;
}

size_t assay_expected_settle(struct assay_expected_list *list, const struct assay_corpus *corpus)
{
    size_t stale = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct assay_expected *one = &list->list[i];
        one->stale = one->used == 0;
        for (size_t j = 0; one->stale && j < corpus->left_out_count; j++) {
            one->stale = fnmatch(one->vector, corpus->left_out[j], 0) != 0;
        }
        stale += one->stale;
    }
    return stale;
}

void assay_expected_free(struct assay_expected_list *list)
{
    assay_arena_free(&list->arena);
}
