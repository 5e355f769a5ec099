/* Rule files: the rules. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/describe.h"
#include "common/parameters.h"
#include "validator/compiler/loader.h"

static bool id_taken(const struct assay_loader *loader, const char *id)
{
    return assay_rule_by_id(loader->out, id) != NULL ||
           (loader->base != NULL && assay_rule_by_id(loader->base, id) != NULL);
}

static bool id_well_formed(const char *id)
{
    const char *dash = strrchr(id, '-');
    if (dash == NULL || dash == id || dash[1] == '\0') {
        return false;
    }
    for (const char *c = id; c < dash; c++) {
        if (isupper((unsigned char)*c) == 0 && isdigit((unsigned char)*c) == 0 && *c != '-') {
            return false;
        }
    }
    return strspn(dash + 1, "0123456789") == strlen(dash + 1);
}

static bool add_number(uint16_t *list, uint16_t *count, uint16_t number, uint16_t capacity)
{
    for (uint16_t i = 0; i < *count; i++) {
        if (list[i] == number) {
            return true;
        }
    }
    if (*count == capacity) {
        return false;
    }
    list[(*count)++] = number;
    return true;
}

/* Which leaves, facts, parameters and interpretations the rule reads. */
static enum assay_error collect_evidence(struct assay_loader *loader, struct assay_rule *rule)
{
    enum { ROOM = 64 };
    uint16_t *lists = assay_arena_take(loader->arena, 4 * ROOM * sizeof *lists);
    if (lists == NULL) {
        return assay_no_memory(loader->diag);
    }
    uint16_t *evidence = lists;
    uint16_t *facts = lists + ROOM;
    uint16_t *interpretations = lists + 2 * ROOM;
    uint16_t *parameters = lists + 3 * ROOM;
    for (uint16_t i = 0; i < rule->interpretation_count; i++) {
        interpretations[i] = rule->interpretations[i];
    }
    const struct assay_expression *parts[] = {&rule->when, &rule->require};
    bool fits = true;
    for (size_t part = 0; part < 2; part++) {
        for (unsigned i = 0; i < parts[part]->count; i++) {
            const struct assay_node *node = &parts[part]->nodes[i];
            if (node->op != ASSAY_OP_LEAF) {
                continue;
            }
            const struct assay_leaf *leaf = &loader->out->leaves[node->a];
            if (leaf->what == ASSAY_LEAF_READING) {
                fits = fits &&
                       add_number(interpretations, &rule->interpretation_count, leaf->number, ROOM);
                continue;
            }
            fits = fits && add_number(evidence, &rule->evidence_count, node->a, ROOM);
            if (leaf->what == ASSAY_LEAF_FACT) {
                fits = fits && add_number(facts, &rule->fact_count, leaf->number, ROOM);
            } else if (leaf->what == ASSAY_LEAF_CONFIG) {
                fits = fits && add_number(parameters, &rule->parameter_count, leaf->number, ROOM);
            }
        }
    }
    rule->evidence = evidence;
    rule->facts = facts;
    rule->parameters = parameters;
    rule->interpretations = interpretations;
    return fits ? ASSAY_OK
                : assay_fail_at(loader->diag, ASSAY_LIMIT, rule->line, 1,
                                "the rule %s reads more than %d things", rule->id, ROOM);
}

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

/* What the rule says that it needs has to be what it reads. */
static enum assay_error load_needs(struct assay_loader *loader, const struct assay_yaml *map,
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
    return error;
}

static enum assay_error load_condition(struct assay_loader *loader, const struct assay_yaml *map,
                                       const char *key, const struct assay_kinds *kinds,
                                       struct assay_expression *expression, const char **text)
{
    const struct assay_yaml *node = assay_yaml_get(map, key);
    struct assay_meaning meaning = {0};
    if (node == NULL) {
        return strcmp(key, "when") == 0
                   ? ASSAY_OK
                   : assay_load_fail(loader, map, ASSAY_SYNTAX, "the rule lacks %s", key);
    }
    const enum assay_error error = assay_load_expression(loader, kinds, node, expression, &meaning);
    if (error != ASSAY_OK) {
        return error;
    }
    if (!meaning.flag) {
        assay_load_fail(loader, node, ASSAY_WRONG_TYPE,
                        "a condition is expected here, not a number: %s", key);
        assay_diag_hint(loader->diag, "compare it: \"... != 0\"");
        return ASSAY_WRONG_TYPE;
    }
    *text = assay_arena_text(loader->arena, node->text, node->length);
    return ASSAY_OK;
}

static enum assay_error check_sense(struct assay_loader *loader, const struct assay_yaml *map,
                                    const struct assay_rule *rule)
{
    if (rule->when.count > 0 && !assay_satisfiable(loader, &rule->kinds, &rule->when)) {
        assay_load_fail(loader, assay_yaml_get(map, "when"), ASSAY_VACUOUS,
                        "\"when\" can never hold");
        assay_diag_hint(loader->diag, "the rule would never be exercised");
        return ASSAY_VACUOUS;
    }
    struct assay_expression violation;
    if (rule->when.count + rule->require.count > ASSAY_MAX_NODES - 2) {
        return assay_load_fail(loader, map, ASSAY_LIMIT,
                               "\"when\" and \"require\" have more than %d parts together",
                               ASSAY_MAX_NODES - 2);
    }
    if (!assay_violation(loader->arena, &rule->when, &rule->require, &violation)) {
        return assay_no_memory(loader->diag);
    }
    if (!assay_satisfiable(loader, &rule->kinds, &violation)) {
        assay_load_fail(loader, assay_yaml_get(map, "require"), ASSAY_VACUOUS,
                        "\"require\" can never fail where \"when\" holds");
        assay_diag_hint(loader->diag, "the rule would check nothing");
        return ASSAY_VACUOUS;
    }
    return ASSAY_OK;
}

/* How many layers below its events a rule reads, by from.FIELD. */
static uint16_t depth_of(const struct assay_loader *loader, const struct assay_rule *rule)
{
    const struct assay_expression *parts[] = {&rule->when, &rule->require};
    uint16_t depth = 0;
    for (size_t part = 0; part < 2; part++) {
        for (unsigned i = 0; i < parts[part]->count; i++) {
            const struct assay_node *node = &parts[part]->nodes[i];
            const struct assay_leaf *leaf = &loader->out->leaves[node->a];
            if (node->op == ASSAY_OP_LEAF && leaf->what == ASSAY_LEAF_FROM &&
                leaf->number > depth) {
                depth = leaf->number;
            }
        }
    }
    return depth;
}

/* A rule that reads lower events holds for those events only that still have them: an origin can be
 * gone (common/history.h). So `when` begins with that. */
static enum assay_error require_origin(struct assay_loader *loader, const struct assay_yaml *map,
                                       struct assay_rule *rule)
{
    const struct assay_format *format = loader->format;
    const unsigned layer = format->kinds[assay_kinds_next(&rule->kinds, 0)].layer;
    const uint16_t depth = depth_of(loader, rule);
    char text[64];
    uint16_t leaf = 0;
    if (depth == 0) {
        return ASSAY_OK;
    }
    if (rule->when.count > ASSAY_MAX_NODES - 2) {
        return assay_load_fail(loader, map, ASSAY_LIMIT, "\"when\" has more than %d parts",
                               ASSAY_MAX_NODES - 2);
    }
    snprintf(text, sizeof text, "from(%s)", format->layers[layer - depth]);
    const enum assay_error error = assay_intern_leaf(
        loader, &(struct assay_leaf){.what = ASSAY_LEAF_FROM, .number = depth, .text = text},
        &leaf);
    struct assay_node *nodes =
        assay_arena_take(loader->arena, (rule->when.count + 2u) * sizeof *nodes);
    if (error != ASSAY_OK || nodes == NULL) {
        return error != ASSAY_OK ? error : assay_no_memory(loader->diag);
    }
    uint16_t count = rule->when.count;
    if (count > 0) {
        memcpy(nodes, rule->when.nodes, count * sizeof *nodes);
    }
    nodes[count] = (struct assay_node){.op = ASSAY_OP_LEAF, .flag = 1, .a = leaf};
    count++;
    if (rule->when.count > 0) {
        nodes[count] = (struct assay_node){.op = ASSAY_OP_AND,
                                           .flag = 1,
                                           .a = (uint16_t)(rule->when.count - 1),
                                           .b = rule->when.count};
        count++;
    }
    rule->when = (struct assay_expression){.nodes = nodes, .count = count};
    return ASSAY_OK;
}

static enum assay_error load_interpretation_list(struct assay_loader *loader,
                                                 const struct assay_yaml *map,
                                                 struct assay_rule *rule)
{
    const struct assay_yaml *list = assay_yaml_get(map, "interpretations");
    if (list == NULL) {
        return ASSAY_OK;
    }
    uint16_t *numbers = list->type == ASSAY_YAML_LIST && list->count <= 32
                            ? assay_arena_take(loader->arena, 64 * sizeof *numbers)
                            : NULL;
    if (numbers == NULL) {
        return assay_load_fail(loader, list, ASSAY_WRONG_TYPE,
                               "\"interpretations\" is a list of ids");
    }
    for (size_t i = 0; i < list->count; i++) {
        uint16_t n = 0;
        while (n < loader->out->interpretation_count &&
               !assay_yaml_is(list->items[i], loader->out->interpretations[n].id)) {
            n++;
        }
        if (n == loader->out->interpretation_count) {
            return assay_load_fail(loader, list->items[i], ASSAY_UNKNOWN_NAME,
                                   "no interpretation has this id: %s",
                                   list->items[i]->text != NULL ? list->items[i]->text : "");
        }
        numbers[i] = n;
    }
    rule->interpretations = numbers;
    rule->interpretation_count = (uint16_t)list->count;
    return ASSAY_OK;
}

static enum assay_error add_profile(struct assay_loader *loader, const struct assay_yaml *item,
                                    struct assay_rule *rule, char *text, size_t size)
{
    const int number =
        item->type == ASSAY_YAML_SCALAR ? assay_profile_by_name(loader->format, item->text) : -1;
    if (number < 0) {
        return assay_load_fail(loader, item, ASSAY_UNKNOWN_NAME, "%s has no profile called \"%s\"",
                               loader->format->name, item->text != NULL ? item->text : "");
    }
    rule->profiles |= (uint16_t)(1u << number);
    assay_append(text, size, "%s%s", text[0] != '\0' ? ", " : "", item->text);
    return ASSAY_OK;
}

/* The profiles that the rule belongs to; without the key to all of the format. */
static enum assay_error load_profiles(struct assay_loader *loader, const struct assay_yaml *map,
                                      struct assay_rule *rule)
{
    const struct assay_yaml *list = assay_yaml_get(map, "profiles");
    char text[256] = "";
    if (list == NULL) {
        rule->profiles = (uint16_t)assay_mask((unsigned)loader->format->profile_count);
        return ASSAY_OK;
    }
    if (list->type != ASSAY_YAML_LIST || list->count == 0) {
        return assay_load_fail(loader, list, ASSAY_WRONG_TYPE,
                               "\"profiles\" lists profiles of the format, at least one");
    }
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < list->count && error == ASSAY_OK; i++) {
        error = add_profile(loader, list->items[i], rule, text, sizeof text);
    }
    rule->profiles_text = assay_arena_text(loader->arena, text, strlen(text));
    return error;
}

static enum assay_error load_head(struct assay_loader *loader, const struct assay_yaml *map,
                                  struct assay_rule *rule)
{
    const char *level = NULL;
    enum assay_level number = ASSAY_MUST;
    enum assay_error error = assay_load_text(loader, map, "id", true, &rule->id);
    if (error == ASSAY_OK && !id_well_formed(rule->id)) {
        return assay_load_fail(loader, assay_yaml_get(map, "id"), ASSAY_SYNTAX,
                               "an id is capital letters, a dash and digits, as in ASTF-0031: %s",
                               rule->id);
    }
    if (error == ASSAY_OK && id_taken(loader, rule->id)) {
        return assay_load_fail(loader, assay_yaml_get(map, "id"), ASSAY_DUPLICATE,
                               "a rule has this id already: %s", rule->id);
    }
    error = error != ASSAY_OK ? error : assay_load_text(loader, map, "title", true, &rule->title);
    error = error != ASSAY_OK ? error : assay_load_text(loader, map, "why", false, &rule->why);
    error = error != ASSAY_OK ? error : assay_load_text(loader, map, "level", true, &level);
    if (error == ASSAY_OK && !assay_level_by_name(level, &number)) {
        return assay_load_fail(loader, assay_yaml_get(map, "level"), ASSAY_UNKNOWN_NAME,
                               "a level is must, should, may-not-rely or info, not %s", level);
    }
    rule->level = (uint8_t)number;
    error = error != ASSAY_OK ? error : load_profiles(loader, map, rule);
    const struct assay_yaml *on = assay_yaml_get(map, "on");
    if (error == ASSAY_OK && on == NULL) {
        return assay_load_fail(loader, map, ASSAY_SYNTAX,
                               "the rule lacks \"on\": which kinds of events");
    }
    return error != ASSAY_OK ? error : assay_load_kinds(loader, on, &rule->kinds);
}

static const char *kinds_text(struct assay_loader *loader, const struct assay_yaml *on)
{
    char text[256] = "";
    if (on->type == ASSAY_YAML_SCALAR) {
        return assay_arena_text(loader->arena, on->text, on->length);
    }
    for (size_t i = 0; i < on->count; i++) {
        assay_append(text, sizeof text, "%s%s", i > 0 ? ", " : "", on->items[i]->text);
    }
    return assay_arena_text(loader->arena, text, strlen(text));
}

static enum assay_error load_rule(struct assay_loader *loader, const struct assay_yaml *map)
{
    static const char *const keys[] = {
        "id",  "title", "clauses", "level",           "on",       "when", "require",
        "say", "needs", "why",     "interpretations", "profiles", NULL};
    struct assay_catalogue *out = loader->out;
    enum assay_error error = assay_load_only(loader, map, keys);
    if (error != ASSAY_OK) {
        return error;
    }
    struct assay_rule rule = {.file = loader->path, .line = map->line};
    const struct assay_yaml *on = assay_yaml_get(map, "on");
    error = load_head(loader, map, &rule);
    error = error != ASSAY_OK
                ? error
                : assay_load_clause_ids(loader, map, &rule.clauses, &rule.clause_count);
    error = error != ASSAY_OK ? error : load_interpretation_list(loader, map, &rule);
    error = error != ASSAY_OK
                ? error
                : load_condition(loader, map, "when", &rule.kinds, &rule.when, &rule.when_text);
    error = error != ASSAY_OK ? error
                              : load_condition(loader, map, "require", &rule.kinds, &rule.require,
                                               &rule.require_text);
    error = error != ASSAY_OK ? error : collect_evidence(loader, &rule);
    error = error != ASSAY_OK ? error : load_needs(loader, map, &rule);
    error = error != ASSAY_OK ? error : check_sense(loader, map, &rule);
    error = error != ASSAY_OK ? error : require_origin(loader, map, &rule);
    const struct assay_yaml *say = assay_yaml_get(map, "say");
    if (error == ASSAY_OK && say == NULL) {
        error = assay_load_fail(loader, map, ASSAY_SYNTAX,
                                "the rule lacks \"say\": what a finding tells");
    }
    error = error != ASSAY_OK ? error : assay_load_say(loader, &rule.kinds, say, &rule);
    for (uint16_t i = 0; error == ASSAY_OK && i < rule.say_count; i++) {
        const char *fact = assay_unneeded_leaf(loader, &rule.say[i].value, &rule);
        if (fact != NULL) {
            error =
                assay_load_fail(loader, say, ASSAY_UNSUPPORTED,
                                "the message shows %s, which the condition does not read", fact);
        }
    }
    if (error != ASSAY_OK) {
        return error;
    }
    rule.on_text = kinds_text(loader, on);
    struct assay_rule *rules =
        assay_arena_grow(loader->arena, (void *)(uintptr_t)out->rules, out->rule_count,
                         &loader->rule_capacity, sizeof *rules);
    if (rules == NULL) {
        return assay_no_memory(loader->diag);
    }
    rules[out->rule_count++] = rule;
    out->rules = rules;
    return ASSAY_OK;
}

enum assay_error assay_load_rules(struct assay_loader *loader, const struct assay_yaml *root)
{
    static const char *const keys[] = {"format", "state", "rules", NULL};
    const struct assay_yaml *rules = root;
    enum assay_error error = ASSAY_OK;
    loader->file_variables = loader->out->variable_count;
    if (root->type == ASSAY_YAML_MAP) {
        error = assay_load_only(loader, root, keys);
        if (error != ASSAY_OK) {
            return error;
        }
        const struct assay_yaml *format = assay_yaml_get(root, "format");
        if (format != NULL && !assay_yaml_is(format, loader->format->name)) {
            return assay_load_fail(loader, format, ASSAY_UNKNOWN_NAME,
                                   "the file has rules of %s, and is read as one of %s",
                                   format->type == ASSAY_YAML_SCALAR ? format->text : "no format",
                                   loader->format->name);
        }
        const struct assay_yaml *state = assay_yaml_get(root, "state");
        error = state != NULL ? assay_load_state(loader, state) : ASSAY_OK;
        rules = assay_yaml_get(root, "rules");
    }
    if (error == ASSAY_OK && (rules == NULL || rules->type != ASSAY_YAML_LIST)) {
        return assay_load_fail(loader, root, ASSAY_SYNTAX, "the file holds no list of rules");
    }
    for (size_t i = 0; error == ASSAY_OK && i < rules->count; i++) {
        error = load_rule(loader, rules->items[i]);
    }
    return error;
}
