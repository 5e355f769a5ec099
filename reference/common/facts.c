#include "common/facts.h"

#include <string.h>

#include "common/yaml.h"

const struct assay_fact_info assay_fact_table[ASSAY_FACT_COUNT] = {
#define ASSAY_FACT(id, most, unit, text) {#id, most, unit, text},
#include "common/facts.def"
#undef ASSAY_FACT
};

enum assay_fact assay_fact_by_name(const char *name)
{
    for (unsigned i = 0; i < ASSAY_FACT_COUNT; i++) {
        if (strcmp(assay_fact_table[i].name, name) == 0) {
            return (enum assay_fact)i;
        }
    }
    return ASSAY_FACT_COUNT;
}

static enum assay_error unknown_fact(const struct assay_yaml *key, struct assay_diag *diag)
{
    const char *names[ASSAY_FACT_COUNT + 1] = {NULL};
    for (unsigned i = 0; i < ASSAY_FACT_COUNT; i++) {
        names[i] = assay_fact_table[i].name;
    }
    assay_yaml_fail(key, diag, ASSAY_UNKNOWN_NAME, "no platform fact is called \"%s\"", key->text);
    const char *near = assay_nearest(key->text, names);
    if (near != NULL) {
        assay_diag_hint(diag, "did you mean \"%s\"?", near);
    }
    return ASSAY_UNKNOWN_NAME;
}

static enum assay_error read_fact(const struct assay_yaml *key, const struct assay_yaml *value,
                                  struct assay_facts *facts, struct assay_diag *diag)
{
    const enum assay_fact fact = assay_fact_by_name(key->text);
    if (fact == ASSAY_FACT_COUNT) {
        return unknown_fact(key, diag);
    }
    const uint64_t most = assay_fact_table[fact].most;
    uint64_t number = 0;
    bool flag = false;
    if (most == 1 ? assay_yaml_flag(value, &flag) : assay_yaml_u64(value, &number)) {
        number = most == 1 ? flag : number;
    } else {
        return assay_yaml_fail(value, diag, ASSAY_WRONG_TYPE, "%s wants %s", key->text,
                               most == 1 ? "true or false" : "a number");
    }
    if (number > most) {
        return assay_yaml_fail(value, diag, ASSAY_OUT_OF_RANGE, "%s is at most %llu", key->text,
                               (unsigned long long)most);
    }
    facts->known[fact] = true;
    facts->value[fact] = number;
    return ASSAY_OK;
}

/* The group a fact stands in: features are flags, address sizes are called ...SZ. */
static bool in_group(const char *group, const char *name)
{
    const enum assay_fact fact = assay_fact_by_name(name);
    const size_t length = strlen(name);
    if (fact == ASSAY_FACT_COUNT) {
        return true; /* told as unknown */
    }
    return strcmp(group, "features") == 0 ? assay_fact_table[fact].most == 1
                                          : length > 2 && strcmp(name + length - 2, "SZ") == 0;
}

static enum assay_error read_group(const char *group, const struct assay_yaml *map,
                                   struct assay_facts *facts, struct assay_diag *diag)
{
    if (map->type != ASSAY_YAML_MAP) {
        return assay_yaml_fail(map, diag, ASSAY_WRONG_TYPE, "a mapping of facts is due here");
    }
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < map->count && error == ASSAY_OK; i++) {
        const struct assay_yaml *key = map->items[2 * i];
        error = in_group(group, key->text)
                    ? read_fact(key, map->items[2 * i + 1], facts, diag)
                    : assay_yaml_fail(key, diag, ASSAY_UNKNOWN_NAME, "%s is none of the %s",
                                      key->text, group);
    }
    return error;
}

enum assay_error assay_facts_read(const struct assay_yaml *map, struct assay_facts *facts,
                                  struct assay_diag *diag)
{
    static const char *const keys[] = {"facts",     "features",  "address_sizes",
                                       "page_size", "zva_bytes", NULL};
    enum assay_error error = assay_yaml_only(map, keys, diag);
    for (size_t i = 0; i < map->count && error == ASSAY_OK; i++) {
        const struct assay_yaml *key = map->items[2 * i];
        const struct assay_yaml *value = map->items[2 * i + 1];
        if (assay_yaml_is(key, "facts")) {
            if (!assay_yaml_is(value, "1")) {
                error =
                    assay_yaml_fail(value, diag, ASSAY_UNSUPPORTED, "only facts: 1 is known here");
            }
        } else if (assay_yaml_is(key, "features") || assay_yaml_is(key, "address_sizes")) {
            error = read_group(key->text, value, facts, diag);
        } else {
            error = read_fact(key, value, facts, diag);
        }
    }
    return error;
}

enum assay_error assay_facts_load(const char *path, struct assay_facts *facts,
                                  struct assay_diag *diag)
{
    struct assay_yaml_file file;
    enum assay_error error = assay_yaml_load(path, &file, diag);
    if (error == ASSAY_OK) {
        error = assay_facts_read(file.root, facts, diag);
        if (error != ASSAY_OK) {
            assay_diag_path(diag, path);
        }
        assay_yaml_free(&file);
    }
    return error;
}
