#include "validator/certify/profile.h"

#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "validator/certify/lists.h"
#include "validator/certify/sentence.h"

/* Of levels, each of which is compared with the others, and of features. */
enum { MOST_PARTS = 1000 };

static enum assay_error no_memory(struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

/* --- levels --- */

static enum assay_error check_selectors(const struct assay_certify_texts *texts,
                                        struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; error == ASSAY_OK && i < texts->count; i++) {
        error = assay_certify_check_selector(texts->list[i], diag);
    }
    return error;
}

/* A level begins with what the one demands that it extends, which stands before it. */
static enum assay_error extend(struct assay_certify_profile *p, const struct assay_yaml *map,
                               struct assay_certify_level *level, struct assay_diag *diag)
{
    const struct assay_yaml *node = assay_yaml_get(map, "extends");
    if (node == NULL) {
        return ASSAY_OK;
    }
    const struct assay_certify_level *base =
        node->type == ASSAY_YAML_SCALAR ? assay_certify_level_named(p, node->text) : NULL;
    if (base == NULL) {
        return assay_yaml_fail(node, diag, ASSAY_UNKNOWN_NAME,
                               "\"extends\" names a level that stands before this one");
    }
    *level = *base;
    level->extends = base->name;
    /* Without room: to be added to, each list moves, and the other level keeps its own. */
    level->sentences.room = level->sentences.count;
    level->workloads.room = level->workloads.count;
    level->pass.room = level->pass.count;
    return ASSAY_OK;
}

/* What a level says instead of the one that it extends. */
static enum assay_error replace(struct assay_certify_profile *p, const struct assay_yaml *map,
                                const char *key, struct assay_certify_texts *texts,
                                struct assay_diag *diag)
{
    if (assay_yaml_get(map, key) != NULL) {
        *texts = (struct assay_certify_texts){0};
    }
    return assay_certify_take_texts(map, key, &p->arena, texts, diag);
}

/* Whose recordings may be compared with. */
static enum assay_error take_recordings(const struct assay_yaml *map, bool *references,
                                        struct assay_diag *diag)
{
    const struct assay_yaml *node = assay_yaml_get(map, "recordings");
    if (node == NULL) {
        return ASSAY_OK;
    }
    *references = assay_yaml_is(node, "reference");
    return *references || assay_yaml_is(node, "any")
               ? ASSAY_OK
               : assay_yaml_fail(node, diag, ASSAY_UNKNOWN_NAME,
                                 "\"recordings\" is any or reference");
}

static enum assay_error take_level(struct assay_certify_profile *p, const struct assay_yaml *map,
                                   struct assay_diag *diag)
{
    static const char *const known[] = {"name",  "extends",   "sentences",  "rules",
                                        "pass",  "workloads", "challenges", "recordings",
                                        "waive", "tables",    NULL};
    struct assay_certify_level *level = &p->levels[p->level_count];
    enum assay_error error = assay_certify_mapping(map, "a level", known, diag);
    error = error ? error : extend(p, map, level, diag);
    error = error ? error : assay_yaml_take_text(map, "name", true, &p->arena, &level->name, diag);
    if (error == ASSAY_OK && assay_certify_level_named(p, level->name) != NULL) {
        return assay_yaml_fail(map, diag, ASSAY_DUPLICATE, "there are two levels %s", level->name);
    }
    error = error ? error : replace(p, map, "rules", &level->rules, diag);
    error = error ? error : replace(p, map, "waive", &level->waive, diag);
    error = error ? error : assay_certify_take_texts(map, "pass", &p->arena, &level->pass, diag);
    error = error ? error
                  : assay_certify_take_texts(map, "workloads", &p->arena, &level->workloads, diag);
    error = error ? error : check_selectors(&level->rules, diag);
    error = error ? error : check_selectors(&level->pass, diag);
    error = error ? error : check_selectors(&level->waive, diag);
    error = error ? error : replace(p, map, "tables", &level->tables, diag);
    error = error ? error : assay_certify_take_number(map, "challenges", &level->challenges, diag);
    error = error ? error : take_recordings(map, &level->references, diag);
    error = error ? error : assay_certify_take_sentences(map, &p->arena, &level->sentences, diag);
    p->level_count += error == ASSAY_OK;
    return error;
}

/* --- features --- */

static enum assay_error take_feature(struct assay_certify_profile *p, const struct assay_yaml *map,
                                     struct assay_diag *diag)
{
    static const char *const known[] = {"name", "says", "exercise", NULL};
    struct assay_certify_feature *feature = &p->features[p->feature_count];
    enum assay_error error = assay_certify_mapping(map, "a feature", known, diag);
    error =
        error ? error : assay_yaml_take_text(map, "name", true, &p->arena, &feature->name, diag);
    if (error == ASSAY_OK && assay_certify_feature_named(p, feature->name) != NULL) {
        return assay_yaml_fail(map, diag, ASSAY_DUPLICATE, "there are two features %s",
                               feature->name);
    }
    error = error ? error : assay_certify_take_sentence(map, &p->arena, &feature->sentence, diag);
    p->feature_count += error == ASSAY_OK;
    return error;
}

/* --- the profile --- */

static enum assay_error take_format(struct assay_certify_profile *p, const struct assay_yaml *map,
                                    struct assay_diag *diag)
{
    const struct assay_yaml *node = assay_yaml_get(map, "format");
    p->format =
        node != NULL && node->type == ASSAY_YAML_SCALAR ? assay_format_by_name(node->text) : NULL;
    return p->format != NULL ? ASSAY_OK
                             : assay_yaml_fail(node != NULL ? node : map, diag, ASSAY_UNKNOWN_NAME,
                                               "\"format\" is missing or names no format");
}

static enum assay_error take_version(const struct assay_yaml *map, struct assay_diag *diag)
{
    uint64_t version = 0;
    const struct assay_yaml *node = assay_yaml_get(map, "certification");
    return assay_yaml_u64(node, &version) && version == 1
               ? ASSAY_OK
               : assay_yaml_fail(node != NULL ? node : map, diag, ASSAY_UNSUPPORTED,
                                 "a certification profile says `certification: 1`");
}

static enum assay_error take_profile(struct assay_certify_profile *p, const struct assay_yaml *root,
                                     struct assay_diag *diag)
{
    static const char *const known[] = {"certification", "name",     "title", "format",
                                        "levels",        "features", NULL};
    const struct assay_yaml *levels = NULL;
    const struct assay_yaml *features = NULL;
    enum assay_error error = assay_certify_mapping(root, "a certification profile", known, diag);
    error = error ? error : take_version(root, diag);
    error = error ? error : assay_yaml_take_text(root, "name", true, &p->arena, &p->name, diag);
    error = error ? error : assay_yaml_take_text(root, "title", true, &p->arena, &p->title, diag);
    error = error ? error : take_format(p, root, diag);
    error = error ? error : assay_certify_list_of(root, "levels", true, &levels, diag);
    error = error ? error : assay_certify_list_of(root, "features", false, &features, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    const size_t count = features != NULL ? features->count : 0;
    if (levels->count > MOST_PARTS || count > MOST_PARTS) {
        return assay_yaml_fail(root, diag, ASSAY_LIMIT,
                               "a profile has at most %d levels, and as many features", MOST_PARTS);
    }
    p->levels = assay_arena_take(&p->arena, (levels->count + 1) * sizeof *p->levels);
    p->features = assay_arena_take(&p->arena, (count + 1) * sizeof *p->features);
    if (p->levels == NULL || p->features == NULL) {
        return no_memory(diag);
    }
    for (size_t i = 0; error == ASSAY_OK && i < levels->count; i++) {
        error = take_level(p, levels->items[i], diag);
    }
    for (size_t i = 0; error == ASSAY_OK && i < count; i++) {
        error = take_feature(p, features->items[i], diag);
    }
    return error;
}

enum assay_error assay_certify_no_digest(const char *why, struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "no SHA-256: %s", why);
}

static bool is_built_in(const char *text, size_t size)
{
    for (size_t i = 0; i < assay_certify_profiles_count; i++) {
        if (assay_certify_profiles[i].size == size &&
            memcmp(assay_certify_profiles[i].text, text, size) == 0) {
            return true;
        }
    }
    return false;
}

static enum assay_error read_profile(const char *path, struct assay_certify_profile *p,
                                     struct assay_diag *diag)
{
    struct assay_digest digest;
    p->built_in = is_built_in(p->text, p->size);
    assay_digest_begin(&digest);
    assay_digest_add(&digest, p->text, p->size);
    enum assay_error error = assay_digest_end(&digest, p->digest);
    if (error != ASSAY_OK) {
        return assay_certify_no_digest(assay_error_text(error), diag);
    }
    error = assay_yaml_parse(path, p->text, p->size, &p->file, diag);
    return error != ASSAY_OK ? error : take_profile(p, p->file.root, diag);
}

enum assay_error assay_certify_profile_parse(const char *path, const char *text, size_t size,
                                             struct assay_certify_profile *p,
                                             struct assay_diag *diag)
{
    *p = (struct assay_certify_profile){.text = text, .size = size};
    return read_profile(path, p, diag);
}

enum assay_error assay_certify_profile_load(const char *path, struct assay_certify_profile *p,
                                            struct assay_diag *diag)
{
    *p = (struct assay_certify_profile){0};
    const enum assay_error error = assay_certify_text(path, &p->arena, &p->text, &p->size, diag);
    return error != ASSAY_OK ? error : read_profile(path, p, diag);
}

/* The name of a built-in profile: its file's, without folder and ".yaml". */
static size_t name_of(const struct assay_corpus_text *text, const char **name)
{
    const char *slash = strrchr(text->name, '/');
    *name = slash != NULL ? slash + 1 : text->name;
    return strlen(*name) - strlen(".yaml");
}

enum assay_error assay_certify_profile_named(const char *name, struct assay_certify_profile *p,
                                             struct assay_diag *diag)
{
    *p = (struct assay_certify_profile){0};
    for (size_t i = 0; i < assay_certify_profiles_count; i++) {
        const struct assay_corpus_text *text = &assay_certify_profiles[i];
        const char *known = NULL;
        const size_t length = name_of(text, &known);
        if (strlen(name) == length && strncmp(known, name, length) == 0) {
            return assay_certify_profile_parse(text->name, text->text, text->size, p, diag);
        }
    }
    assay_fail(diag, ASSAY_UNKNOWN_NAME, ASSAY_NO_OFFSET,
               "there is no certification profile \"%.100s\"", name);
    assay_diag_hint(diag, "assay certify --list shows those of this build; --profile gives a file");
    return ASSAY_UNKNOWN_NAME;
}

const struct assay_certify_level *assay_certify_level_named(const struct assay_certify_profile *p,
                                                            const char *name)
{
    for (size_t i = 0; i < p->level_count; i++) {
        if (strcmp(p->levels[i].name, name) == 0) {
            return &p->levels[i];
        }
    }
    return NULL;
}

const struct assay_certify_feature *
assay_certify_feature_named(const struct assay_certify_profile *p, const char *name)
{
    for (size_t i = 0; i < p->feature_count; i++) {
        if (strcmp(p->features[i].name, name) == 0) {
            return &p->features[i];
        }
    }
    return NULL;
}

bool assay_certify_has_features(const struct assay_certify_profile *p,
                                const struct assay_certify_texts *names)
{
    size_t i = 0;
    while (i < names->count && assay_certify_feature_named(p, names->list[i]->text) != NULL) {
        i++;
    }
    return i == names->count;
}

void assay_certify_profile_free(struct assay_certify_profile *p)
{
    assay_yaml_free(&p->file);
    assay_arena_free(&p->arena);
    *p = (struct assay_certify_profile){0};
}
