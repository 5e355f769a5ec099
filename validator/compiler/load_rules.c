/* Rule files: the rules. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "model/describe.h"
#include "validator/compiler/loader.h"
#include "validator/compiler/rule_parts.h"

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

/* Which leaves and interpretations the rule reads, and which facts and parameters it needs. */
static enum assay_error collect_evidence(struct assay_loader *loader, const struct assay_yaml *map,
                                         struct assay_rule *rule)
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
            if (!assay_leaf_is_needed(leaf)) {
                continue;
            }
            fits =
                fits && (leaf->what == ASSAY_LEAF_FACT
                             ? add_number(facts, &rule->fact_count, leaf->number, ROOM)
                             : add_number(parameters, &rule->parameter_count, leaf->number, ROOM));
        }
    }
    rule->evidence = evidence;
    rule->facts = facts;
    rule->parameters = parameters;
    rule->interpretations = interpretations;
    return fits ? ASSAY_OK
                : assay_load_fail(loader, map, ASSAY_LIMIT, "the rule reads more than %d things",
                                  ROOM);
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
                                    struct assay_rule *rule)
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

/* How many layers below its events a rule reads, by from.FIELD or from.kind. */
static uint16_t depth_of(const struct assay_loader *loader, const struct assay_rule *rule)
{
    const struct assay_expression *parts[] = {&rule->when, &rule->require};
    uint16_t depth = 0;
    for (size_t part = 0; part < 2; part++) {
        for (unsigned i = 0; i < parts[part]->count; i++) {
            const struct assay_node *node = &parts[part]->nodes[i];
            if (node->op != ASSAY_OP_LEAF) {
                continue;
            }
            const struct assay_leaf *leaf = &loader->out->leaves[node->a];
            if ((leaf->what == ASSAY_LEAF_FROM || leaf->what == ASSAY_LEAF_FROM_KIND) &&
                leaf->number > depth) {
                depth = leaf->number;
            }
        }
    }
    return depth;
}

/* A rule that reads lower events holds for those events only that still have them: an origin can be
 * gone (model/history.h). So `when` begins with that. */
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
    return error == ASSAY_OK && rule->profiles_text == NULL ? ASSAY_NO_MEMORY : error;
}

static enum assay_error load_id(struct assay_loader *loader, const struct assay_yaml *map,
                                struct assay_rule *rule)
{
    bool known = false;
    const enum assay_error error = assay_load_text(loader, map, "id", true, &rule->id);
    if (error != ASSAY_OK) {
        return error;
    }
    if (!id_well_formed(rule->id)) {
        return assay_load_fail(loader, assay_yaml_get(map, "id"), ASSAY_SYNTAX,
                               "an id is capital letters, a dash and digits, as in ASTF-0031: %s",
                               rule->id);
    }
    if (!assay_note_id(loader, rule->id, &known)) {
        return assay_no_memory(loader->diag);
    }
    return known ? assay_load_fail(loader, assay_yaml_get(map, "id"), ASSAY_DUPLICATE,
                                   "a rule has this id already: %s", rule->id)
                 : ASSAY_OK;
}

static enum assay_error load_title(struct assay_loader *loader, const struct assay_yaml *map,
                                   struct assay_rule *rule)
{
    return assay_load_text(loader, map, "title", true, &rule->title);
}

static enum assay_error load_why(struct assay_loader *loader, const struct assay_yaml *map,
                                 struct assay_rule *rule)
{
    return assay_load_text(loader, map, "why", false, &rule->why);
}

static enum assay_error load_level(struct assay_loader *loader, const struct assay_yaml *map,
                                   struct assay_rule *rule)
{
    const char *level = NULL;
    enum assay_level number = ASSAY_MUST;
    const enum assay_error error = assay_load_text(loader, map, "level", true, &level);
    if (error == ASSAY_OK && !assay_level_by_name(level, &number)) {
        return assay_load_fail(loader, assay_yaml_get(map, "level"), ASSAY_UNKNOWN_NAME,
                               "a level is must, should, may-not-rely or info, not %s", level);
    }
    rule->level = (uint8_t)number;
    return error;
}

static enum assay_error load_on(struct assay_loader *loader, const struct assay_yaml *map,
                                struct assay_rule *rule)
{
    const struct assay_yaml *on = assay_yaml_get(map, "on");
    if (on == NULL) {
        return assay_load_fail(loader, map, ASSAY_SYNTAX,
                               "the rule lacks \"on\": which kinds of events");
    }
    return assay_load_kinds(loader, on, &rule->kinds);
}

/* Where the requirement is from: clauses of the specification, or of a user's rule `source: house`.
 */
static enum assay_error load_source(struct assay_loader *loader, const struct assay_yaml *map,
                                    struct assay_rule *rule)
{
    const struct assay_yaml *source = assay_yaml_get(map, "source");
    if (rule->diagnosis) {
        return ASSAY_OK; /* it has none */
    }
    if (source == NULL) {
        return assay_load_clause_ids(loader, map, &rule->clauses, &rule->clause_count);
    }
    if (!assay_yaml_is(source, "house")) {
        return assay_load_fail(loader, source, ASSAY_UNKNOWN_NAME,
                               "a source other than clauses is \"house\"");
    }
    if (assay_yaml_get(map, "clauses") != NULL) {
        return assay_load_fail(loader, source, ASSAY_CONTRADICTION,
                               "a rule of the house has no clauses of the specification");
    }
    return loader->base != NULL
               ? ASSAY_OK
               : assay_load_fail(loader, source, ASSAY_UNSUPPORTED,
                                 "only rules that are added to a catalogue are of the house");
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

static enum assay_error check_keys(struct assay_loader *loader, const struct assay_yaml *map,
                                   struct assay_rule *rule)
{
    static const char *const keys[] = {
        "id",       "title",    "clauses", "source",       "level", "on",
        "when",     "require",  "say",     "needs",        "why",   "interpretations",
        "profiles", "explains", "extent",  "unexecutable", NULL};
    (void)rule;
    return assay_load_only(loader, map, keys);
}

static enum assay_error load_when(struct assay_loader *loader, const struct assay_yaml *map,
                                  struct assay_rule *rule)
{
    return load_condition(loader, map, "when", &rule->kinds, &rule->when, &rule->when_text);
}

static enum assay_error load_require(struct assay_loader *loader, const struct assay_yaml *map,
                                     struct assay_rule *rule)
{
    return rule->diagnosis ? assay_load_recognition(loader, map, rule)
                           : load_condition(loader, map, "require", &rule->kinds, &rule->require,
                                            &rule->require_text);
}

static enum assay_error load_message(struct assay_loader *loader, const struct assay_yaml *map,
                                     struct assay_rule *rule)
{
    const struct assay_yaml *say = assay_yaml_get(map, "say");
    return say != NULL ? assay_load_say(loader, &rule->kinds, say, rule)
                       : assay_load_fail(loader, map, ASSAY_SYNTAX,
                                         "the rule lacks \"say\", the message of a finding");
}

/* A decoder asks before there is an event: all that the rule reads is of the run itself. */
static enum assay_error load_unexecutable(struct assay_loader *loader, const struct assay_yaml *map,
                                          struct assay_rule *rule)
{
    const struct assay_yaml *key = assay_yaml_get(map, "unexecutable");
    const unsigned kind = assay_kinds_next(&rule->kinds, 0);
    bool of_run = loader->format->kinds[kind].met != 0 &&
                  assay_kinds_next(&rule->kinds, kind + 1) == ASSAY_MAX_KINDS;
    if (key == NULL) {
        return ASSAY_OK;
    }
    if (loader->base != NULL) {
        /* Built-in rules judge what the decoder finds by it, whichever rules are selected. */
        return assay_load_fail(loader, key, ASSAY_UNSUPPORTED,
                               "\"unexecutable\" is for rules of the catalogue, not of a user");
    }
    if (!assay_yaml_is(key, "true")) {
        return assay_load_fail(loader, key, ASSAY_SYNTAX, "\"unexecutable\" is true or left out");
    }
    for (uint16_t i = 0; i < rule->evidence_count; i++) {
        const struct assay_leaf *leaf = &loader->out->leaves[rule->evidence[i]];
        const struct assay_field *field = assay_leaf_field(loader->out, leaf, kind);
        of_run = of_run && leaf->what == ASSAY_LEAF_FIELD &&
                 (assay_leaf_is_condition(leaf) || (field->flags & ASSAY_BEFOREHAND) != 0);
    }
    if (!of_run || rule->diagnosis || rule->interpretation_count > 0) {
        return assay_load_fail(loader, key, ASSAY_UNSUPPORTED,
                               "a rule with \"unexecutable\" is about runs of instructions, and "
                               "reads nothing but what is known before they are executed");
    }
    rule->unexecutable = true;
    return ASSAY_OK;
}

/* A part of a rule; those of a group are understood without each other. */
typedef enum assay_error rule_part(struct assay_loader *loader, const struct assay_yaml *map,
                                   struct assay_rule *rule);

static rule_part *const head[] = {check_keys,    load_id,
                                  load_title,    load_why,
                                  load_level,    assay_load_explains,
                                  load_profiles, load_on,
                                  load_source,   load_interpretation_list,
                                  NULL};
static rule_part *const conditions[] = {load_when, load_require, NULL};
static rule_part *const conclusions[] = {collect_evidence, assay_load_needs,  check_sense,
                                         require_origin,   load_unexecutable, NULL};
static rule_part *const message[] = {load_message, NULL};
static rule_part *const shown[] = {assay_check_say, NULL};

/* Reads a group; *sound becomes false when anything of it is wrong. */
static enum assay_error load_group(struct assay_loader *loader, const struct assay_yaml *map,
                                   struct assay_rule *rule, rule_part *const *parts, bool *sound)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; parts[i] != NULL && error == ASSAY_OK; i++) {
        const enum assay_error of_part = parts[i](loader, map, rule);
        *sound = *sound && of_part == ASSAY_OK;
        error = assay_load_next(loader, of_part);
    }
    return error;
}

/* What is wrong with the head does not keep conditions from being read, if the kinds are known. */
static enum assay_error load_rule(struct assay_loader *loader, const struct assay_yaml *map)
{
    struct assay_catalogue *out = loader->out;
    struct assay_rule rule = {.file = loader->path, .line = map->line};
    bool sound = true;
    bool conditioned = true;
    bool told = true;
    if (map->type != ASSAY_YAML_MAP) {
        return assay_load_next(loader, assay_load_fail(loader, map, ASSAY_WRONG_TYPE,
                                                       "a rule is a mapping, with id, on, require "
                                                       "and more"));
    }
    enum assay_error error = load_group(loader, map, &rule, head, &sound);
    if (error == ASSAY_OK && !assay_kinds_empty(&rule.kinds)) {
        error = load_group(loader, map, &rule, conditions, &conditioned);
        if (error == ASSAY_OK && conditioned) {
            error = load_group(loader, map, &rule, conclusions, &conditioned);
        }
        error = error != ASSAY_OK ? error : load_group(loader, map, &rule, message, &told);
        if (error == ASSAY_OK && conditioned && told) {
            error = load_group(loader, map, &rule, shown, &told);
        }
    }
    if (error != ASSAY_OK || !sound || !conditioned || !told) {
        return error;
    }
    rule.on_text = kinds_text(loader, assay_yaml_get(map, "on"));
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

/* --- files --- */

size_t assay_rule_parts(const struct assay_yaml *root)
{
    const bool parts = root->type == ASSAY_YAML_LIST && root->count > 0 &&
                       assay_yaml_get(root->items[0], "rules") != NULL;
    return parts ? root->count : 1;
}

const struct assay_yaml *assay_rule_part(const struct assay_yaml *root, size_t number)
{
    const bool parts = root->type == ASSAY_YAML_LIST && root->count > 0 &&
                       assay_yaml_get(root->items[0], "rules") != NULL;
    return parts ? root->items[number] : root;
}

/* Whether a part is for the format that is loaded. */
static enum assay_error find_format(struct assay_loader *loader, const struct assay_yaml *part,
                                    bool *ours)
{
    const struct assay_yaml *format = assay_yaml_get(part, "format");
    *ours = format == NULL || assay_yaml_is(format, loader->format->name);
    return *ours || loader->pass_others
               ? ASSAY_OK
               : assay_load_fail(loader, format, ASSAY_UNKNOWN_NAME,
                                 "the file has rules of %s, and is read as one of %s",
                                 format->type == ASSAY_YAML_SCALAR ? format->text : "no format",
                                 loader->format->name);
}

static enum assay_error load_part(struct assay_loader *loader, const struct assay_yaml *part)
{
    static const char *const keys[] = {"format", "conditions", "state", "rules", NULL};
    const struct assay_yaml *rules = part;
    enum assay_error error = ASSAY_OK;
    loader->file_variables = loader->out->variable_count;
    loader->file_names = loader->out->named_count;
    loader->broken_count = 0;
    if (part->type == ASSAY_YAML_MAP) {
        bool ours = true;
        error = assay_load_next(loader, assay_load_only(loader, part, keys));
        error = error != ASSAY_OK ? error : find_format(loader, part, &ours);
        if (error != ASSAY_OK || !ours) {
            return assay_load_next(loader, error);
        }
        const struct assay_yaml *named = assay_yaml_get(part, "conditions");
        const struct assay_yaml *state = assay_yaml_get(part, "state");
        error = named != NULL ? assay_load_named(loader, named) : ASSAY_OK;
        error = error == ASSAY_OK && state != NULL ? assay_load_state(loader, state) : error;
        rules = assay_yaml_get(part, "rules");
    }
    if (error == ASSAY_OK && (rules == NULL || rules->type != ASSAY_YAML_LIST)) {
        return assay_load_next(
            loader, assay_load_fail(loader, part, ASSAY_SYNTAX, "the file holds no list of rules"));
    }
    for (size_t i = 0; error == ASSAY_OK && i < rules->count; i++) {
        error = load_rule(loader, rules->items[i]);
    }
    return error == ASSAY_OK ? assay_check_named(loader) : error;
}

enum assay_error assay_load_rules(struct assay_loader *loader, const struct assay_yaml *root)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < assay_rule_parts(root) && error == ASSAY_OK; i++) {
        error = load_part(loader, assay_rule_part(root, i));
    }
    return error;
}
