#include "model/facts.h"

#include <string.h>

#include "common/yaml.h"

const struct assay_fact_info assay_fact_table[ASSAY_FACT_COUNT] = {
#define ASSAY_FACT(id, most, unit, text) {#id, most, unit, text},
#include "model/facts.def"
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

static enum assay_error set_fact(enum assay_fact fact, const struct assay_yaml *key,
                                 const struct assay_yaml *value, struct assay_facts *facts,
                                 struct assay_diag *diag)
{
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

static enum assay_error read_fact(const struct assay_yaml *key, const struct assay_yaml *value,
                                  struct assay_facts *facts, struct assay_diag *diag)
{
    const enum assay_fact fact = assay_fact_by_name(key->text);
    return fact == ASSAY_FACT_COUNT ? unknown_fact(key, diag)
                                    : set_fact(fact, key, value, facts, diag);
}

/* The translation regimes, by the names that they have below address_sizes. Those of one address
 * range have no T1SZ. */
static const struct regime {
    const char *name;
    enum assay_fact t0sz, t1sz; /* ASSAY_FACT_COUNT for none */
} regimes[] = {
    {"el1", ASSAY_FACT_T0SZ, ASSAY_FACT_T1SZ},
    {"el2", ASSAY_FACT_T0SZ_EL2, ASSAY_FACT_COUNT},
    {"el20", ASSAY_FACT_T0SZ_EL20, ASSAY_FACT_T1SZ_EL20},
    {"el3", ASSAY_FACT_T0SZ_EL3, ASSAY_FACT_COUNT},
};

static const struct regime *regime_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof regimes / sizeof regimes[0]; i++) {
        if (strcmp(regimes[i].name, name) == 0) {
            return &regimes[i];
        }
    }
    return NULL;
}

static enum assay_error read_regime(const struct regime *regime, const struct assay_yaml *name,
                                    const struct assay_yaml *map, struct assay_facts *facts,
                                    struct assay_diag *diag)
{
    static const char *const sizes[] = {"T0SZ", "T1SZ", NULL};
    static const char *const size[] = {"T0SZ", NULL};
    enum assay_error error =
        assay_yaml_only(map, regime->t1sz == ASSAY_FACT_COUNT ? size : sizes, diag);
    for (size_t i = 0; i < map->count && error == ASSAY_OK; i++) {
        const struct assay_yaml *key = map->items[2 * i];
        const enum assay_fact fact = assay_yaml_is(key, "T0SZ") ? regime->t0sz : regime->t1sz;
        error = set_fact(fact, key, map->items[2 * i + 1], facts, diag);
    }
    const bool one = facts->known[ASSAY_FACT_T0SZ_EL2];
    const bool two = facts->known[ASSAY_FACT_T0SZ_EL20] || facts->known[ASSAY_FACT_T1SZ_EL20];
    if (error == ASSAY_OK && one && two) {
        error = assay_yaml_fail(name, diag, ASSAY_UNSUPPORTED,
                                "a machine has either the regime el2 or the regime el20");
    }
    return error;
}

/* The group a fact is in: features are flags, address sizes are called ...SZ. */
static bool in_group(const char *group, const char *name)
{
    const enum assay_fact fact = assay_fact_by_name(name);
    const size_t length = strlen(name);
    if (fact == ASSAY_FACT_COUNT) {
        return true; /* given as unknown */
    }
    return strcmp(group, "features") == 0 ? assay_fact_table[fact].most == 1
                                          : length > 2 && strcmp(name + length - 2, "SZ") == 0;
}

static enum assay_error read_group(const char *group, const struct assay_yaml *map,
                                   struct assay_facts *facts, struct assay_diag *diag)
{
    if (map->type != ASSAY_YAML_MAP) {
        return assay_yaml_fail(map, diag, ASSAY_WRONG_TYPE, "a mapping of facts is expected here");
    }
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < map->count && error == ASSAY_OK; i++) {
        const struct assay_yaml *key = map->items[2 * i];
        const struct assay_yaml *value = map->items[2 * i + 1];
        const struct regime *regime = regime_by_name(key->text);
        if (regime != NULL && strcmp(group, "address_sizes") == 0) {
            error = read_regime(regime, key, value, facts, diag);
        } else if (in_group(group, key->text)) {
            error = read_fact(key, value, facts, diag);
        } else {
            error = assay_yaml_fail(key, diag, ASSAY_UNKNOWN_NAME, "%s is none of the %s",
                                    key->text, group);
        }
    }
    return error;
}

/* A fact that stands beside its group is told where it belongs. */
static enum assay_error only_keys(const struct assay_yaml *map, const char *const *keys,
                                  struct assay_diag *diag)
{
    static const char *const groups[] = {"features", "address_sizes"};
    for (size_t i = 0; map->type == ASSAY_YAML_MAP && i < map->count; i++) {
        const struct assay_yaml *key = map->items[2 * i];
        const bool is_fact = assay_fact_by_name(key->text) != ASSAY_FACT_COUNT;
        for (unsigned g = 0; is_fact && g < sizeof groups / sizeof groups[0]; g++) {
            if (in_group(groups[g], key->text)) {
                return assay_yaml_fail(key, diag, ASSAY_UNKNOWN_NAME, "%s belongs below \"%s\"",
                                       key->text, groups[g]);
            }
        }
    }
    return assay_yaml_only(map, keys, diag);
}

enum assay_error assay_facts_read(const struct assay_yaml *map, struct assay_facts *facts,
                                  struct assay_diag *diag)
{
    static const char *const keys[] = {"facts",
                                       "features",
                                       "address_sizes",
                                       "page_size",
                                       "zva_bytes",
                                       "bus_masters",
                                       "bus_initiators",
#define X(id, groups, most, text) #id,
                                       ASSAY_FACT_TABLES(X)
#undef X
                                           NULL};
    enum assay_error error = only_keys(map, keys, diag);
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
        } else if (assay_fact_table_by_name(key->text) != ASSAY_TABLE_COUNT) {
            error = assay_fact_tables_read(key, value, &facts->tables, diag);
        } else {
            error = read_fact(key, value, facts, diag);
        }
    }
    return error;
}

void assay_facts_clear(struct assay_facts *facts)
{
    assay_fact_tables_free(facts->tables);
    *facts = (struct assay_facts){0};
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
