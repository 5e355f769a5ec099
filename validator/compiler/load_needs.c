/* Rule files: what a rule needs besides the trace. */
#include <string.h>

#include "model/parameters.h"
#include "validator/compiler/loader.h"

/* What a rule says that it needs, by name. */
struct needs {
    bool facts[ASSAY_FACT_COUNT];
    bool parameters[ASSAY_MAX_PARAMETERS];
};

static enum assay_error load_named_need(struct assay_loader *loader, const struct assay_yaml *item,
                                        struct needs *needs)
{
    const struct assay_parameter_table *table = loader->format->parameters;
    if (strncmp(item->text, "facts:", 6) == 0) {
        const enum assay_fact fact = assay_fact_by_name(item->text + 6);
        if (fact == ASSAY_FACT_COUNT) {
            return assay_load_fail(loader, item, ASSAY_UNKNOWN_NAME,
                                   "no platform fact is called %s", item->text + 6);
        }
        needs->facts[fact] = true;
        return ASSAY_OK;
    }
    const int number = table != NULL ? assay_parameter_by_name(table, item->text + 7) : -1;
    if (number < 0) {
        return assay_load_fail(loader, item, ASSAY_UNKNOWN_NAME, "%s has no parameter %s",
                               loader->format->name, item->text + 7);
    }
    needs->parameters[number] = true;
    return ASSAY_OK;
}

static enum assay_error load_need(struct assay_loader *loader, const struct assay_yaml *item,
                                  struct assay_rule *rule, struct needs *named)
{
    static const struct {
        const char *name;
        enum assay_need need;
    } needs[] = {{"isa", ASSAY_NEED_ISA},
                 {"config", ASSAY_NEED_CONFIG},
                 {"image", ASSAY_NEED_IMAGE},
                 {"execution", ASSAY_NEED_EXECUTION}};
    if (item->type == ASSAY_YAML_SCALAR &&
        (strncmp(item->text, "facts:", 6) == 0 || strncmp(item->text, "config:", 7) == 0)) {
        return load_named_need(loader, item, named);
    }
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        if (assay_yaml_is(item, needs[i].name)) {
            rule->needs |= (uint8_t)needs[i].need;
            return ASSAY_OK;
        }
    }
    return assay_load_fail(loader, item, ASSAY_UNKNOWN_NAME,
                           "a need is isa, config, image, execution, facts:NAME or config:NAME");
}

/* What is named and read is the same. */
static enum assay_error compare_needs(struct assay_loader *loader, const struct assay_yaml *place,
                                      const bool *named, const uint16_t *read, uint16_t read_count,
                                      uint16_t total, const char *prefix,
                                      const char *(*name_of)(const struct assay_format *, uint16_t))
{
    for (uint16_t n = 0; n < total; n++) {
        bool is_read = false;
        for (uint16_t i = 0; i < read_count; i++) {
            is_read = is_read || read[i] == n;
        }
        if (is_read && !named[n]) {
            return assay_load_fail(loader, place, ASSAY_SYNTAX, "\"needs\" lacks %s:%s", prefix,
                                   name_of(loader->format, n));
        }
        if (named[n] && !is_read) {
            return assay_load_fail(loader, place, ASSAY_SYNTAX,
                                   "\"needs\" names what the rule does not read: %s:%s", prefix,
                                   name_of(loader->format, n));
        }
    }
    return ASSAY_OK;
}

static const char *fact_name(const struct assay_format *format, uint16_t number)
{
    (void)format;
    return assay_fact_table[number].name;
}

static const char *parameter_name(const struct assay_format *format, uint16_t number)
{
    return format->parameters->list[number].name;
}

/* Without a recorded execution what only the comparison gives is 0, which is no finding. */
static enum assay_error require_execution(struct assay_loader *loader,
                                          const struct assay_yaml *place,
                                          const struct assay_rule *rule)
{
    const char *condition = assay_compared_leaf(loader, &rule->when);
    const char *leaf = condition != NULL ? condition : assay_compared_leaf(loader, &rule->require);
    return leaf == NULL || (rule->needs & ASSAY_NEED_EXECUTION) != 0
               ? ASSAY_OK
               : assay_load_fail(loader, place, ASSAY_SYNTAX,
                                 "\"needs\" lacks execution, without which %s is always 0", leaf);
}

/* Without the program there are no runs, and the rule would be said to be not exercised. */
static enum assay_error require_image(struct assay_loader *loader, const struct assay_yaml *place,
                                      const struct assay_rule *rule)
{
    const char *condition = assay_asking_leaf(loader, &rule->when);
    const char *leaf = condition != NULL ? condition : assay_asking_leaf(loader, &rule->require);
    if (leaf == NULL || (rule->needs & ASSAY_NEED_IMAGE) != 0) {
        return ASSAY_OK;
    }
    assay_load_fail(
        loader, place, ASSAY_SYNTAX,
        "\"needs\" lacks image: instructions, of which %s asks, are those of the program", leaf);
    if (place->type == ASSAY_YAML_LIST) {
        assay_diag_hint(loader->diag, "add \"image\" to the list");
    } else {
        assay_diag_hint(loader->diag, "write \"needs: [image]\"");
    }
    return ASSAY_SYNTAX;
}

/* What the rule says that it needs has to be what it reads. */
enum assay_error assay_load_needs(struct assay_loader *loader, const struct assay_yaml *map,
                                  struct assay_rule *rule)
{
    const struct assay_yaml *list = assay_yaml_get(map, "needs");
    const struct assay_parameter_table *table = loader->format->parameters;
    struct needs named = {{false}, {false}};
    enum assay_error error = ASSAY_OK;
    if (list != NULL && list->type != ASSAY_YAML_LIST) {
        return assay_load_fail(loader, list, ASSAY_WRONG_TYPE, "\"needs\" is a list");
    }
    for (size_t i = 0; list != NULL && i < list->count && error == ASSAY_OK; i++) {
        error = load_need(loader, list->items[i], rule, &named);
    }
    const struct assay_yaml *place = list != NULL ? list : map;
    if (error == ASSAY_OK) {
        error = compare_needs(loader, place, named.facts, rule->facts, rule->fact_count,
                              ASSAY_FACT_COUNT, "facts", fact_name);
    }
    if (error == ASSAY_OK && table != NULL) {
        error =
            compare_needs(loader, place, named.parameters, rule->parameters, rule->parameter_count,
                          (uint16_t)table->count, "config", parameter_name);
    }
    error = error != ASSAY_OK ? error : require_execution(loader, place, rule);
    return error != ASSAY_OK ? error : require_image(loader, place, rule);
}
