/* Clause files and interpretation files. */
#include <string.h>

#include "model/parameters.h"
#include "validator/compiler/loader.h"

/* The vectors that show a clause which no rule checks. */
static enum assay_error load_vectors(struct assay_loader *loader, const struct assay_yaml *map,
                                     struct assay_clause *clause)
{
    const struct assay_yaml *list = assay_yaml_get(map, "vectors");
    const bool due =
        clause->disposition == ASSAY_BY_DECODER || clause->disposition == ASSAY_PERMITTED;
    if (due != (list != NULL)) {
        return assay_load_fail(
            loader, list != NULL ? list : map, ASSAY_SYNTAX,
            due ? "a clause for decoders, and a permission, name the \"vectors\" "
                  "that show it"
                : "only clauses for decoders and permissions name vectors");
    }
    if (!due) {
        return ASSAY_OK;
    }
    const bool fits = list->type == ASSAY_YAML_LIST && list->count > 0 && list->count <= 64;
    const char **names = fits ? assay_arena_take(loader->arena, list->count * sizeof *names) : NULL;
    for (size_t i = 0; fits && names != NULL && i < list->count; i++) {
        const struct assay_yaml *item = list->items[i];
        if (item->type != ASSAY_YAML_SCALAR || item->length == 0) {
            return assay_load_fail(loader, item, ASSAY_WRONG_TYPE, "a vector is named by a text");
        }
        names[i] = assay_arena_text(loader->arena, item->text, item->length);
    }
    if (!fits) {
        return assay_load_fail(loader, list, ASSAY_SYNTAX,
                               "\"vectors\" is a list of 1 to 64 names of vectors");
    }
    clause->vectors = names;
    clause->vector_count = (uint16_t)list->count;
    return names != NULL ? ASSAY_OK : assay_no_memory(loader->diag);
}

static enum assay_error load_clause(struct assay_loader *loader, const struct assay_yaml *map)
{
    static const char *const keys[] = {"id",     "section", "level",   "text", "disposition",
                                       "reason", "weaker",  "vectors", NULL};
    static const char *const clause_levels[] = {"must",    "shall",  "should", "may",
                                                "implied", "layout", "value",  NULL};
    struct assay_clause clause = {.line = map->line};
    const char *disposition = NULL;
    enum assay_error error = assay_load_only(loader, map, keys);
    if (error != ASSAY_OK) {
        return error;
    }
    error = assay_load_text(loader, map, "id", true, &clause.id);
    error = error ? error : assay_load_text(loader, map, "section", true, &clause.section);
    error = error ? error : assay_load_text(loader, map, "level", true, &clause.level);
    error = error ? error : assay_load_text(loader, map, "text", true, &clause.text);
    error = error ? error : assay_load_text(loader, map, "disposition", true, &disposition);
    error = error ? error : assay_load_text(loader, map, "reason", false, &clause.reason);
    error = error ? error : assay_load_text(loader, map, "weaker", false, &clause.weaker);
    if (error != ASSAY_OK) {
        return error;
    }
    unsigned d = 0;
    while (d < ASSAY_DISPOSITION_COUNT &&
           strcmp(assay_disposition_name((enum assay_disposition)d), disposition) != 0) {
        d++;
    }
    if (d == ASSAY_DISPOSITION_COUNT) {
        return assay_load_fail(loader, assay_yaml_get(map, "disposition"), ASSAY_UNKNOWN_NAME,
                               "a disposition is rule, decoder, permission, input or not-visible");
    }
    if (d != ASSAY_BY_RULE && clause.reason == NULL) {
        return assay_load_fail(loader, map, ASSAY_SYNTAX,
                               "a clause that no rule checks gives its reason");
    }
    if (d != ASSAY_BY_RULE && clause.weaker != NULL) {
        return assay_load_fail(loader, assay_yaml_get(map, "weaker"), ASSAY_SYNTAX,
                               "only a clause that rules check can have weaker ones");
    }
    unsigned l = 0;
    while (clause_levels[l] != NULL && strcmp(clause_levels[l], clause.level) != 0) {
        l++;
    }
    if (clause_levels[l] == NULL) {
        return assay_load_fail(
            loader, assay_yaml_get(map, "level"), ASSAY_UNKNOWN_NAME,
            "a clause's level is must, shall, should, may, implied, layout or value");
    }
    clause.disposition = (uint8_t)d;
    error = load_vectors(loader, map, &clause);
    if (error != ASSAY_OK) {
        return error;
    }
    for (size_t i = 0; i < loader->out->clause_count; i++) {
        if (strcmp(loader->out->clauses[i].id, clause.id) == 0) {
            return assay_load_fail(loader, map, ASSAY_DUPLICATE, "a clause has this id already");
        }
    }
    struct assay_clause *list =
        assay_arena_grow(loader->arena, (void *)(uintptr_t)loader->out->clauses,
                         loader->out->clause_count, &loader->clause_capacity, sizeof *list);
    if (list == NULL) {
        return assay_no_memory(loader->diag);
    }
    list[loader->out->clause_count++] = clause;
    loader->out->clauses = list;
    return ASSAY_OK;
}

/* The list under the one key that the file holds. */
static enum assay_error only_list(struct assay_loader *loader, const struct assay_yaml *root,
                                  const char *key, const struct assay_yaml **list)
{
    const char *const keys[] = {key, NULL};
    const enum assay_error error = assay_load_only(loader, root, keys);
    if (error != ASSAY_OK) {
        return error;
    }
    *list = assay_yaml_get(root, key);
    return *list != NULL && (*list)->type == ASSAY_YAML_LIST
               ? ASSAY_OK
               : assay_load_fail(loader, root, ASSAY_SYNTAX, "the file holds no list");
}

enum assay_error assay_load_clauses(struct assay_loader *loader, const struct assay_yaml *root)
{
    const struct assay_yaml *list = NULL;
    enum assay_error error = only_list(loader, root, "clauses", &list);
    for (size_t i = 0; error == ASSAY_OK && i < list->count; i++) {
        error = load_clause(loader, list->items[i]);
    }
    return error;
}

static bool clause_known(const struct assay_loader *loader, const char *id)
{
    for (size_t i = 0; i < loader->out->clause_count; i++) {
        if (strcmp(loader->out->clauses[i].id, id) == 0) {
            return true;
        }
    }
    return false;
}

static enum assay_error unknown_clause(struct assay_loader *loader, const struct assay_yaml *item)
{
    const bool scalar = item->type == ASSAY_YAML_SCALAR;
    struct assay_near near = assay_near_begin(scalar ? item->text : "");
    for (size_t i = 0; scalar && i < loader->out->clause_count; i++) {
        assay_near_try(&near, loader->out->clauses[i].id);
    }
    assay_load_fail(loader, item, ASSAY_UNKNOWN_NAME, "no clause has the id %s",
                    scalar ? item->text : "of a list");
    if (near.best != NULL) {
        assay_diag_hint(loader->diag, "did you mean %s?", near.best);
    } else {
        assay_diag_hint(loader->diag, "assay rules coverage lists them");
    }
    return ASSAY_UNKNOWN_NAME;
}

enum assay_error assay_load_clause_ids(struct assay_loader *loader, const struct assay_yaml *map,
                                       const char *const **clauses, uint16_t *count)
{
    const struct assay_yaml *list = assay_yaml_get(map, "clauses");
    if (list == NULL || list->type != ASSAY_YAML_LIST || list->count == 0) {
        assay_load_fail(loader, list != NULL ? list : map, ASSAY_SYNTAX,
                        "\"clauses\" names the clauses that are concerned, at least one");
        if (loader->base != NULL) {
            assay_diag_hint(loader->diag, "a rule of your own has \"source: house\" instead");
        }
        return ASSAY_SYNTAX;
    }
    const char **ids = assay_arena_take(loader->arena, list->count * sizeof *ids);
    if (ids == NULL) {
        return assay_no_memory(loader->diag);
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct assay_yaml *item = list->items[i];
        if (item->type != ASSAY_YAML_SCALAR || !clause_known(loader, item->text)) {
            return unknown_clause(loader, item);
        }
        ids[i] = assay_arena_text(loader->arena, item->text, item->length);
    }
    *clauses = ids;
    *count = (uint16_t)list->count;
    return ASSAY_OK;
}

static enum assay_error load_readings(struct assay_loader *loader, const struct assay_yaml *map,
                                      struct assay_interpretation *interpretation)
{
    const struct assay_yaml *list = assay_yaml_get(map, "readings");
    const struct assay_yaml *chosen = assay_yaml_get(map, "default");
    if (list == NULL || list->type != ASSAY_YAML_MAP || list->count < 2) {
        return assay_load_fail(
            loader, map, ASSAY_SYNTAX,
            "\"readings\" is a mapping of at least two readings to what they say");
    }
    struct assay_reading *readings =
        assay_arena_take(loader->arena, list->count * sizeof *readings);
    if (readings == NULL) {
        return assay_no_memory(loader->diag);
    }
    bool found = false;
    for (size_t i = 0; i < list->count; i++) {
        const struct assay_yaml *name = list->items[2 * i];
        const struct assay_yaml *text = list->items[2 * i + 1];
        if (text->type != ASSAY_YAML_SCALAR) {
            return assay_load_fail(loader, text, ASSAY_WRONG_TYPE, "a reading is a text");
        }
        readings[i].name = assay_arena_text(loader->arena, name->text, name->length);
        readings[i].text = assay_arena_text(loader->arena, text->text, text->length);
        if (chosen != NULL && assay_yaml_is(chosen, name->text)) {
            interpretation->chosen = (uint16_t)i;
            found = true;
        }
    }
    interpretation->readings = readings;
    interpretation->reading_count = (uint16_t)list->count;
    return found ? ASSAY_OK
                 : assay_load_fail(loader, chosen != NULL ? chosen : map, ASSAY_UNKNOWN_NAME,
                                   "\"default\" names one of the readings");
}

/* A reading that the format's decoder follows is a value of its parameter, and the default that of
 * the parameter. */
static enum assay_error check_decoded(struct assay_loader *loader, const struct assay_yaml *map,
                                      const struct assay_interpretation *one)
{
    const struct assay_parameter_table *table = loader->out->format->parameters;
    const int number = table != NULL ? assay_parameter_by_name(table, one->id) : -1;
    bool same = true;
    for (uint16_t r = 0; r < one->reading_count && number >= 0; r++) {
        const struct assay_parameter *p = &table->list[number];
        uint64_t value = 0;
        same = same && assay_enum_value(p->names, one->readings[r].name, &value) &&
               (value == p->value) == (r == one->chosen);
    }
    return same ? ASSAY_OK
                : assay_load_fail(loader, map, ASSAY_CONTRADICTION,
                                  "the decoder has other readings of %s", one->id);
}

static enum assay_error load_interpretation(struct assay_loader *loader,
                                            const struct assay_yaml *map)
{
    static const char *const keys[] = {"id",      "section", "clauses",  "problem", "readings",
                                       "default", "because", "built-in", NULL};
    struct assay_interpretation one = {.line = map->line};
    enum assay_error error = assay_load_only(loader, map, keys);
    if (error != ASSAY_OK) {
        return error;
    }
    error = assay_load_text(loader, map, "id", true, &one.id);
    error = error ? error : assay_load_text(loader, map, "section", true, &one.section);
    error = error ? error : assay_load_text(loader, map, "problem", true, &one.problem);
    error = error ? error : assay_load_text(loader, map, "because", true, &one.because);
    error = error ? error : assay_load_text(loader, map, "built-in", false, &one.built_in);
    if (error == ASSAY_OK && assay_yaml_get(map, "clauses") != NULL) {
        error = assay_load_clause_ids(loader, map, &one.clauses, &one.clause_count);
    }
    error = error ? error : load_readings(loader, map, &one);
    error = error ? error : check_decoded(loader, map, &one);
    if (error != ASSAY_OK) {
        return error;
    }
    if (strncmp(one.id, "INT-", 4) != 0) {
        return assay_load_fail(loader, map, ASSAY_SYNTAX,
                               "an interpretation's id begins with INT-");
    }
    struct assay_interpretation *list = assay_arena_grow(
        loader->arena, (void *)(uintptr_t)loader->out->interpretations,
        loader->out->interpretation_count, &loader->interpretation_capacity, sizeof *list);
    if (list == NULL) {
        return assay_no_memory(loader->diag);
    }
    list[loader->out->interpretation_count++] = one;
    loader->out->interpretations = list;
    return ASSAY_OK;
}

enum assay_error assay_load_interpretations(struct assay_loader *loader,
                                            const struct assay_yaml *root)
{
    const struct assay_yaml *list = NULL;
    enum assay_error error = only_list(loader, root, "interpretations", &list);
    for (size_t i = 0; error == ASSAY_OK && i < list->count; i++) {
        error = load_interpretation(loader, list->items[i]);
    }
    return error;
}
