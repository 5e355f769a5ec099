#include "validator/vector/vector.h"

#include <string.h>

static enum assay_error fail(const struct assay_vector *vector, const struct assay_yaml *node,
                             struct assay_diag *diag, enum assay_error error, const char *message)
{
    assay_yaml_fail(node, diag, error, "%s", message);
    assay_diag_path(diag, vector->file.path);
    return error;
}

static enum assay_error read_expectation(struct assay_vector *vector, const struct assay_yaml *root,
                                         struct assay_diag *diag)
{
    static const struct {
        const char *key;
        enum assay_expectation expectation;
        enum assay_yaml_type type;
    } keys[] = {
        {"fails", ASSAY_EXPECT_FAILS, ASSAY_YAML_LIST},
        {"passes", ASSAY_EXPECT_PASSES, ASSAY_YAML_LIST},
        {"events", ASSAY_EXPECT_EVENTS, ASSAY_YAML_MAP},
        {"refuses", ASSAY_EXPECT_REFUSES, ASSAY_YAML_SCALAR},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct assay_yaml *node = assay_yaml_get(root, keys[i].key);
        if (node == NULL) {
            continue;
        }
        if (vector->expectation != ASSAY_EXPECT_NOTHING) {
            return fail(vector, node, diag, ASSAY_DUPLICATE,
                        "a vector shows one of fails, passes, events, refuses");
        }
        if (node->type != keys[i].type) {
            return fail(vector, node, diag, ASSAY_WRONG_TYPE, "this is of another type than due");
        }
        vector->expectation = keys[i].expectation;
        vector->expected = node;
    }
    return ASSAY_OK;
}

static enum assay_error read_head(struct assay_vector *vector, const struct assay_yaml *root,
                                  struct assay_diag *diag)
{
    static const char *const keys[] = {
        "vector", "format", "fails",     "passes",    "events", "refuses", "why",     "config",
        "image",  "facts",  "interpret", "execution", "trace",  "after",   "profile", NULL};
    const enum assay_error error = assay_yaml_only(root, keys, diag);
    if (error != ASSAY_OK) {
        assay_diag_path(diag, vector->file.path);
        return error;
    }
    if (!assay_yaml_is(assay_yaml_get(root, "vector"), "1")) {
        return fail(vector, root, diag, ASSAY_UNSUPPORTED, "the file lacks \"vector: 1\"");
    }
    const struct assay_yaml *format = assay_yaml_get(root, "format");
    vector->format = format != NULL && format->type == ASSAY_YAML_SCALAR
                         ? assay_format_by_name(format->text)
                         : NULL;
    if (vector->format == NULL) {
        return fail(vector, format != NULL ? format : root, diag, ASSAY_UNKNOWN_NAME,
                    "\"format\" names a format of this build");
    }
    const struct assay_yaml *profile = assay_yaml_get(root, "profile");
    if (profile != NULL) {
        const int number = profile->type == ASSAY_YAML_SCALAR
                               ? assay_profile_by_name(vector->format, profile->text)
                               : -1;
        if (number < 0) {
            return fail(vector, profile, diag, ASSAY_UNKNOWN_NAME,
                        "\"profile\" names a profile of the format");
        }
        vector->profile = 1 + (unsigned)number;
    }
    return read_expectation(vector, root, diag);
}

static enum assay_error read_config(struct assay_vector *vector, const struct assay_yaml *root,
                                    struct assay_diag *diag)
{
    static const char *const keys[] = {"storage", NULL};
    const struct assay_yaml *config = assay_yaml_get(root, "config");
    if (config == NULL) {
        return ASSAY_OK;
    }
    const enum assay_error error = assay_yaml_only(config, keys, diag);
    if (error != ASSAY_OK) {
        assay_diag_path(diag, vector->file.path);
        return error;
    }
    const struct assay_yaml *storage = assay_yaml_get(config, "storage");
    if (storage == NULL || storage->type != ASSAY_YAML_SCALAR) {
        return fail(vector, config, diag, ASSAY_WRONG_TYPE, "\"storage\" names a container");
    }
    vector->storage = storage->text;
    return ASSAY_OK;
}

static enum assay_error read_vector(struct assay_vector *vector, struct assay_diag *diag)
{
    const struct assay_yaml *root = vector->file.root;
    enum assay_error error = read_head(vector, root, diag);
    error = error != ASSAY_OK ? error : read_config(vector, root, diag);
    const struct assay_yaml *facts = assay_yaml_get(root, "facts");
    if (error == ASSAY_OK && facts != NULL) {
        error = assay_facts_read(facts, &vector->facts, diag);
        assay_diag_path(diag, vector->file.path);
    }
    if (error != ASSAY_OK) {
        return error;
    }
    const struct assay_yaml *why = assay_yaml_get(root, "why");
    vector->why = why != NULL && why->type == ASSAY_YAML_SCALAR ? why->text : "";
    vector->interpret = assay_yaml_get(root, "interpret");
    vector->execution = assay_yaml_get(root, "execution");
    vector->after = assay_yaml_get(root, "after");
    vector->trace = assay_yaml_get(root, "trace");
    if (vector->trace == NULL || vector->trace->type != ASSAY_YAML_LIST) {
        return fail(vector, root, diag, ASSAY_SYNTAX, "\"trace\" is a list of events");
    }
    return ASSAY_OK;
}

enum assay_error assay_vector_parse(const char *path, const char *text, size_t size,
                                    struct assay_vector *vector, struct assay_diag *diag)
{
    *vector = (struct assay_vector){0};
    enum assay_error error = assay_yaml_parse(path, text, size, &vector->file, diag);
    error = error != ASSAY_OK ? error : read_vector(vector, diag);
    if (error != ASSAY_OK) {
        assay_vector_free(vector);
    }
    return error;
}

enum assay_error assay_vector_load(const char *path, struct assay_vector *vector,
                                   struct assay_diag *diag)
{
    *vector = (struct assay_vector){0};
    enum assay_error error = assay_yaml_load(path, &vector->file, diag);
    error = error != ASSAY_OK ? error : read_vector(vector, diag);
    if (error != ASSAY_OK) {
        assay_vector_free(vector);
    }
    return error;
}

void assay_vector_free(struct assay_vector *vector)
{
    assay_yaml_free(&vector->file);
    assay_facts_clear(&vector->facts);
    *vector = (struct assay_vector){0};
}

enum assay_error assay_vector_readings(const struct assay_vector *vector,
                                       const struct assay_catalogue *catalogue, uint16_t *readings,
                                       struct assay_diag *diag)
{
    for (size_t i = 0; i < catalogue->interpretation_count; i++) {
        readings[i] = catalogue->interpretations[i].chosen;
    }
    const struct assay_yaml *map = vector->interpret;
    if (map != NULL && map->type != ASSAY_YAML_MAP) {
        return fail(vector, map, diag, ASSAY_WRONG_TYPE, "\"interpret\" maps ids to readings");
    }
    for (size_t i = 0; map != NULL && i < map->count; i++) {
        bool found = false;
        for (size_t k = 0; k < catalogue->interpretation_count; k++) {
            const struct assay_interpretation *one = &catalogue->interpretations[k];
            for (uint16_t r = 0; r < one->reading_count; r++) {
                if (assay_yaml_is(map->items[2 * i], one->id) &&
                    assay_yaml_is(map->items[2 * i + 1], one->readings[r].name)) {
                    readings[k] = r;
                    found = true;
                }
            }
        }
        if (!found) {
            return fail(vector, map->items[2 * i], diag, ASSAY_UNKNOWN_NAME,
                        "no such interpretation or reading");
        }
    }
    return ASSAY_OK;
}
