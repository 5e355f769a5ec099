/* Rule files: diagnoses, which recognise what violations of other rules come from. */
#include <string.h>

#include "validator/compiler/loader.h"
#include "validator/engine/extent.h"

/* Keys of rules that demand something. */
static enum assay_error refuse_demands(struct assay_loader *loader, const struct assay_yaml *map)
{
    static const char *const keys[] = {"require", "clauses", "source"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct assay_yaml *node = assay_yaml_get(map, keys[i]);
        if (node != NULL) {
            assay_load_fail(
                loader, node, ASSAY_CONTRADICTION,
                "a rule with \"explains\" is a diagnosis, which demands nothing: it has "
                "no \"%s\"",
                keys[i]);
            assay_diag_hint(loader->diag, "\"when\" says what it recognises");
            return ASSAY_CONTRADICTION;
        }
    }
    return ASSAY_OK;
}

static enum assay_error load_ids(struct assay_loader *loader, const struct assay_yaml *list,
                                 struct assay_rule *rule)
{
    const bool any = assay_yaml_is(list, "any");
    const bool listed = !any && !assay_yaml_is(list, "none");
    if (listed && (list->type != ASSAY_YAML_LIST || list->count == 0 || list->count > UINT16_MAX)) {
        return assay_load_fail(loader, list, ASSAY_WRONG_TYPE,
                               "\"explains\" is a list of ids of rules, any or none");
    }
    const size_t count = listed ? list->count : 0;
    const char **ids = assay_arena_take(loader->arena, (count + 1) * sizeof *ids);
    if (ids == NULL) {
        return assay_no_memory(loader->diag);
    }
    for (size_t i = 0; i < count; i++) {
        const struct assay_yaml *item = list->items[i];
        if (item->type != ASSAY_YAML_SCALAR) {
            return assay_load_fail(loader, item, ASSAY_WRONG_TYPE, "an id of a rule is expected");
        }
        ids[i] = assay_arena_text(loader->arena, item->text, item->length);
        if (ids[i] == NULL) {
            return assay_no_memory(loader->diag);
        }
    }
    rule->explains = ids;
    rule->explain_count = (uint16_t)count;
    rule->explains_any = any;
    return ASSAY_OK;
}

/* Where the violations of the stream have to be. */
static enum assay_error load_extent(struct assay_loader *loader, const struct assay_yaml *map,
                                    struct assay_rule *rule)
{
    const struct assay_yaml *node = assay_yaml_get(map, "extent");
    if (node == NULL) {
        return ASSAY_OK;
    }
    rule->extent = assay_yaml_is(node, "places")       ? ASSAY_EXTENT_AT_PLACES
                   : assay_yaml_is(node, "throughout") ? ASSAY_EXTENT_THROUGHOUT
                                                       : ASSAY_EXTENT_ANY;
    return rule->extent != ASSAY_EXTENT_ANY ? ASSAY_OK
                                            : assay_load_fail(loader, node, ASSAY_UNKNOWN_NAME,
                                                              "\"extent\" is places or throughout");
}

enum assay_error assay_load_explains(struct assay_loader *loader, const struct assay_yaml *map,
                                     struct assay_rule *rule)
{
    const struct assay_yaml *list = assay_yaml_get(map, "explains");
    if (list == NULL) {
        const struct assay_yaml *extent = assay_yaml_get(map, "extent");
        return extent == NULL ? ASSAY_OK
                              : assay_load_fail(loader, extent, ASSAY_CONTRADICTION,
                                                "\"extent\" is of a diagnosis, which has "
                                                "\"explains\"");
    }
    rule->diagnosis = true;
    if (rule->level != ASSAY_INFO) {
        return assay_load_fail(loader, assay_yaml_get(map, "level"), ASSAY_CONTRADICTION,
                               "a rule with \"explains\" is of level info");
    }
    enum assay_error error = refuse_demands(loader, map);
    error = error ? error : load_extent(loader, map, rule);
    return error ? error : load_ids(loader, list, rule);
}

enum assay_error assay_load_recognition(struct assay_loader *loader, const struct assay_yaml *map,
                                        struct assay_rule *rule)
{
    static const struct assay_node never = {.op = ASSAY_OP_CONSTANT, .flag = 1, .value = 0};
    if (assay_yaml_get(map, "when") == NULL && rule->extent == ASSAY_EXTENT_ANY) {
        return assay_load_fail(loader, map, ASSAY_SYNTAX,
                               "the diagnosis lacks \"when\": what it recognises");
    }
    rule->require = (struct assay_expression){.nodes = &never, .count = 1};
    rule->require_text = "false";
    return ASSAY_OK;
}

/* The rule of an id, in this catalogue or in that which it is added to. */
static const struct assay_rule *find_rule(const struct assay_loader *loader, const char *id)
{
    const struct assay_rule *own = assay_rule_by_id(loader->out, id);
    return own != NULL || loader->base == NULL ? own : assay_rule_by_id(loader->base, id);
}

static enum assay_error check_rule(struct assay_loader *loader, const struct assay_rule *rule)
{
    const struct assay_yaml place = {.line = rule->line, .column = 1};
    loader->path = rule->file;
    for (uint16_t i = 0; i < rule->explain_count; i++) {
        const struct assay_rule *explained = find_rule(loader, rule->explains[i]);
        if (explained == NULL) {
            return assay_load_fail(loader, &place, ASSAY_UNKNOWN_NAME,
                                   "%s explains %s, and there is no such rule", rule->id,
                                   rule->explains[i]);
        }
        if (explained->diagnosis) {
            return assay_load_fail(loader, &place, ASSAY_CONTRADICTION,
                                   "%s explains %s, which is a diagnosis itself", rule->id,
                                   rule->explains[i]);
        }
    }
    return ASSAY_OK;
}

enum assay_error assay_check_explained(struct assay_loader *loader)
{
    enum assay_error error = ASSAY_OK;
    if (loader->faults > 0) {
        return ASSAY_OK; /* rules with faults are missing */
    }
    for (size_t r = 0; r < loader->out->rule_count && error == ASSAY_OK; r++) {
        error = assay_load_next(loader, check_rule(loader, &loader->out->rules[r]));
    }
    return error;
}
