/* How traces are made of recordings: options of `assay generate`, as a table of kinds has them. */
#include <stdlib.h>
#include <string.h>

#include "corruption.h"

static bool read_number(const struct assay_yaml *node, uint64_t least, uint64_t most,
                        uint64_t *number)
{
    return assay_yaml_u64(node, number) && *number >= least && *number <= most;
}

static bool read_text(const struct assay_yaml *node, const char **text)
{
    *text = node->type == ASSAY_YAML_SCALAR ? node->text : NULL;
    return *text != NULL;
}

#define READ_NUMBER(node, least, most, to) read_number(node, least, most, to)
#define READ_TEXT(node, least, most, to)   read_text(node, to)
#define READ_FLAG(node, least, most, to)   assay_yaml_flag(node, to)

/* An option that the generator does not take is as unknown as one that there is not. */
static bool read_option(const char *name, const struct assay_yaml *node, uint64_t takes,
                        struct assay_generate_settings *settings)
{
#define X(member, type, option, argument, least, most, help)                                       \
    if (strcmp(name, option) == 0 && (takes & ASSAY_TAKES(member)) != 0) {                         \
        return READ_##type(node, least, most, &settings->member);                                  \
    }
    ASSAY_GENERATE_SETTINGS(X)
#undef X
    return false;
}

static enum assay_error read_config(const struct detection_table *table,
                                    const struct assay_yaml *map,
                                    struct assay_generate_settings *settings,
                                    struct assay_diag *diag)
{
    struct assay_parameter_values *values = &table->configs[settings - table->traces];
    if (!assay_generator_of(table->format)->configures) {
        return assay_yaml_fail(map, diag, ASSAY_SYNTAX, "the generator takes no parameters");
    }
    assay_parameters_init(values, table->format->parameters);
    settings->parameters = values;
    return assay_parameters_read(values, table->name, map, diag);
}

static enum assay_error read_trace(const struct detection_table *table,
                                   const struct assay_yaml *map,
                                   struct assay_generate_settings *settings,
                                   struct assay_diag *diag)
{
    settings->metadata = "detection";
    if (map->type != ASSAY_YAML_MAP) {
        return assay_yaml_fail(map, diag, ASSAY_SYNTAX, "a way of making traces is a mapping");
    }
    for (size_t i = 0; i < map->count; i++) {
        const struct assay_yaml *key = map->items[2 * i];
        const struct assay_yaml *value = map->items[2 * i + 1];
        if (assay_yaml_is(key, "config")) {
            const enum assay_error error = read_config(table, value, settings, diag);
            if (error != ASSAY_OK) {
                return error;
            }
        } else if (!read_option(key->text, value, assay_generator_of(table->format)->takes,
                                settings)) {
            return assay_yaml_fail(key, diag, ASSAY_SYNTAX,
                                   "the generator has no such option, or it has no such value");
        }
    }
    return ASSAY_OK;
}

enum assay_error detection_read_traces(struct detection_table *table, const struct assay_yaml *list,
                                       struct assay_diag *diag)
{
    if (list == NULL || list->type != ASSAY_YAML_LIST || list->count == 0) {
        return assay_yaml_fail(list != NULL ? list : table->file.root, diag, ASSAY_SYNTAX,
                               "a table has a list \"traces\" of ways of making them");
    }
    enum assay_error error = ASSAY_OK;
    table->traces = calloc(list->count, sizeof *table->traces);
    table->configs = calloc(list->count, sizeof *table->configs);
    if (table->traces == NULL || table->configs == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    for (size_t i = 0; i < list->count && error == ASSAY_OK; i++) {
        error = read_trace(table, list->items[i], &table->traces[table->trace_count++], diag);
    }
    return error;
}
