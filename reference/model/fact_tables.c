#include "model/fact_tables.h"

#include <stdlib.h>
#include <string.h>

#include "common/arena.h"
#include "common/yaml.h"

enum { MOST_NUMBERS = 8192 };

struct assay_fact_tables {
    struct assay_arena arena;
    struct assay_fact_number *lists[ASSAY_TABLE_COUNT];
    size_t counts[ASSAY_TABLE_COUNT];
};

static const struct {
    const char *name;
    const char *groups; /* separated by ", "; "" for none */
    uint64_t most;
} known[ASSAY_TABLE_COUNT] = {
#define X(id, groups, most, text) {#id, groups, most},
    ASSAY_FACT_TABLES(X)
#undef X
};

enum assay_fact_table assay_fact_table_by_name(const char *name)
{
    unsigned table = 0;
    while (table < ASSAY_TABLE_COUNT && strcmp(known[table].name, name) != 0) {
        table++;
    }
    return (enum assay_fact_table)table;
}

const struct assay_fact_number *assay_fact_numbers(const struct assay_fact_tables *tables,
                                                   enum assay_fact_table table, size_t *count)
{
    *count = tables != NULL ? tables->counts[table] : 0;
    return tables != NULL ? tables->lists[table] : NULL;
}

static bool has_groups(enum assay_fact_table table)
{
    return known[table].groups[0] != '\0';
}

static bool is_group(enum assay_fact_table table, const struct assay_yaml *name)
{
    const char *list = known[table].groups;
    while (*list != '\0') {
        const size_t length = strcspn(list, ",");
        if (length == name->length && strncmp(list, name->text, length) == 0) {
            return true;
        }
        list += length;
        list += strspn(list, ", ");
    }
    return false;
}

static size_t count_numbers(const struct assay_yaml *map, bool grouped)
{
    size_t count = 0;
    for (size_t i = 0; i < map->count; i++) {
        const struct assay_yaml *value = map->items[2 * i + 1];
        count += !grouped ? 1 : value->type == ASSAY_YAML_MAP ? value->count : 0;
    }
    return count;
}

static enum assay_error add_numbers(struct assay_fact_tables *t, enum assay_fact_table table,
                                    const char *group, const struct assay_yaml *map,
                                    struct assay_diag *diag)
{
    if (map->type != ASSAY_YAML_MAP) {
        return assay_yaml_fail(map, diag, ASSAY_WRONG_TYPE,
                               "a mapping of names to numbers is expected");
    }
    for (size_t i = 0; i < map->count; i++) {
        const struct assay_yaml *name = map->items[2 * i];
        struct assay_fact_number *number = &t->lists[table][t->counts[table]];
        if (!assay_yaml_u64(map->items[2 * i + 1], &number->value)) {
            return assay_yaml_fail(map->items[2 * i + 1], diag, ASSAY_WRONG_TYPE,
                                   "a number is expected for %s", name->text);
        }
        if (number->value > known[table].most) {
            return assay_yaml_fail(map->items[2 * i + 1], diag, ASSAY_OUT_OF_RANGE,
                                   "%s is at most %llu", name->text,
                                   (unsigned long long)known[table].most);
        }
        number->group = group;
        number->name = assay_arena_text(&t->arena, name->text, name->length);
        if (number->name == NULL || group == NULL) {
            return assay_yaml_fail(name, diag, ASSAY_NO_MEMORY, "out of memory");
        }
        t->counts[table]++;
    }
    return ASSAY_OK;
}

enum assay_error assay_fact_tables_read(const struct assay_yaml *key,
                                        const struct assay_yaml *value,
                                        struct assay_fact_tables **tables, struct assay_diag *diag)
{
    const enum assay_fact_table table = assay_fact_table_by_name(key->text);
    if (value->type != ASSAY_YAML_MAP) {
        return assay_yaml_fail(value, diag, ASSAY_WRONG_TYPE, "%s is a table of named numbers",
                               key->text);
    }
    const size_t capacity = count_numbers(value, has_groups(table));
    if (capacity > MOST_NUMBERS) {
        return assay_yaml_fail(value, diag, ASSAY_LIMIT, "a table has at most %d numbers",
                               MOST_NUMBERS);
    }
    struct assay_fact_tables *t = *tables != NULL ? *tables : calloc(1, sizeof *t);
    *tables = t;
    if (t != NULL) {
        t->lists[table] = assay_arena_take(&t->arena, (capacity + 1) * sizeof *t->lists[table]);
        t->counts[table] = 0;
    }
    if (t == NULL || t->lists[table] == NULL) {
        return assay_yaml_fail(value, diag, ASSAY_NO_MEMORY, "out of memory");
    }
    if (!has_groups(table)) {
        return add_numbers(t, table, "", value, diag);
    }
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < value->count && error == ASSAY_OK; i++) {
        const struct assay_yaml *name = value->items[2 * i];
        if (!is_group(table, name)) {
            return assay_yaml_fail(name, diag, ASSAY_UNKNOWN_NAME, "%s has the groups %s, not %s",
                                   key->text, known[table].groups, name->text);
        }
        error = add_numbers(t, table, assay_arena_text(&t->arena, name->text, name->length),
                            value->items[2 * i + 1], diag);
    }
    return error;
}

void assay_fact_tables_free(struct assay_fact_tables *tables)
{
    if (tables != NULL) {
        assay_arena_free(&tables->arena);
        free(tables);
    }
}
