/* Rule files: what the rules of a file share, conditions of instructions that have a name and state
 * variables; and what rules and variables share. */
#include <ctype.h>
#include <string.h>

#include "validator/compiler/loader.h"

enum assay_error assay_load_expression(struct assay_loader *loader, const struct assay_kinds *kinds,
                                       const struct assay_yaml *node,
                                       struct assay_expression *expression,
                                       struct assay_meaning *meaning)
{
    if (node->type != ASSAY_YAML_SCALAR) {
        return assay_load_fail(loader, node, ASSAY_WRONG_TYPE, "an expression is expected here");
    }
    const struct assay_scope scope = {.loader = loader, .kinds = kinds, .place = node};
    return assay_parse(&scope, node->text, node->length, expression, meaning);
}

static bool is_listed(const uint16_t *list, uint16_t count, uint16_t number)
{
    for (uint16_t i = 0; i < count; i++) {
        if (list[i] == number) {
            return true;
        }
    }
    return false;
}

const char *assay_unneeded_leaf(const struct assay_loader *loader,
                                const struct assay_expression *expression,
                                const struct assay_rule *rule)
{
    static const struct assay_rule none;
    const struct assay_rule *by = rule != NULL ? rule : &none;
    for (unsigned i = 0; i < expression->count; i++) {
        const struct assay_node *node = &expression->nodes[i];
        const struct assay_leaf *leaf =
            node->op == ASSAY_OP_LEAF ? &loader->out->leaves[node->a] : NULL;
        if (leaf == NULL || !assay_leaf_is_needed(leaf)) {
            continue;
        }
        if (leaf->what == ASSAY_LEAF_FACT
                ? !is_listed(by->facts, by->fact_count, leaf->number)
                : !is_listed(by->parameters, by->parameter_count, leaf->number)) {
            return leaf->text;
        }
    }
    return NULL;
}

const char *assay_compared_leaf(const struct assay_loader *loader,
                                const struct assay_expression *expression)
{
    for (unsigned i = 0; i < expression->count; i++) {
        const struct assay_node *node = &expression->nodes[i];
        if (node->op != ASSAY_OP_LEAF) {
            continue;
        }
        const struct assay_leaf *leaf = &loader->out->leaves[node->a];
        const struct assay_field *field = assay_shown_field(loader->format, leaf->shown);
        if ((field != NULL && (field->flags & ASSAY_COMPARED) != 0) ||
            (leaf->what == ASSAY_LEAF_STATE && loader->out->variables[leaf->number].compared)) {
            return leaf->text;
        }
    }
    return NULL;
}

const char *assay_asking_leaf(const struct assay_loader *loader,
                              const struct assay_expression *expression)
{
    for (unsigned i = 0; i < expression->count; i++) {
        const struct assay_node *node = &expression->nodes[i];
        const struct assay_leaf *leaf =
            node->op == ASSAY_OP_LEAF ? &loader->out->leaves[node->a] : NULL;
        if (leaf != NULL &&
            (assay_leaf_is_condition(leaf) ||
             (leaf->what == ASSAY_LEAF_STATE && loader->out->variables[leaf->number].asks))) {
            return leaf->text;
        }
    }
    return NULL;
}

static enum assay_error load_update(struct assay_loader *loader, const struct assay_yaml *key,
                                    const struct assay_yaml *value, bool *flags,
                                    struct assay_update *update)
{
    struct assay_meaning meaning = {0};
    enum assay_error error = assay_load_kinds(loader, key, &update->kinds);
    if (error == ASSAY_OK) {
        error = assay_load_expression(loader, &update->kinds, value, &update->value, &meaning);
    }
    if (error == ASSAY_OK && assay_unneeded_leaf(loader, &update->value, NULL) != NULL) {
        return assay_load_fail(
            loader, value, ASSAY_UNSUPPORTED,
            "a state variable cannot rest on a platform fact, nor on a parameter of the stream "
            "without a default: config(NAME, DEFAULT)");
    }
    *flags = *flags && meaning.flag;
    if (error == ASSAY_OK) {
        update->on_text = assay_arena_text(loader->arena, key->text, key->length);
        update->text = assay_arena_text(loader->arena, value->text, value->length);
    }
    return error;
}

static unsigned layer_of(const struct assay_loader *loader, const struct assay_update *update)
{
    return loader->format->kinds[assay_kinds_next(&update->kinds, 0)].layer;
}

/* An update and whether it goes with the first one. */
static enum assay_error load_one(struct assay_loader *loader, const struct assay_yaml *on, size_t i,
                                 bool *flags, struct assay_update *updates)
{
    const struct assay_yaml *key = on->items[2 * i];
    const enum assay_error error =
        load_update(loader, key, on->items[2 * i + 1], flags, &updates[i]);
    if (error == ASSAY_OK && !assay_kinds_empty(&updates[0].kinds) &&
        layer_of(loader, &updates[i]) != layer_of(loader, &updates[0])) {
        return assay_load_fail(loader, key, ASSAY_WRONG_TYPE,
                               "a state variable is updated by events of one layer");
    }
    return error;
}

/* With `held` all that is wrong with the updates is told, but for types, after the first fault:
 * what a variable is follows from its updates. */
static enum assay_error load_updates(struct assay_loader *loader, const struct assay_yaml *on,
                                     struct assay_variable *variable, bool *flags,
                                     struct assay_held *held)
{
    struct assay_update *updates =
        assay_arena_take(loader->arena, (on->count + 1) * sizeof *updates);
    if (updates == NULL) {
        return assay_no_memory(loader->diag);
    }
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < on->count && error == ASSAY_OK; i++) {
        error = load_one(loader, on, i, flags, updates);
        variable->compared = variable->compared || assay_compared_leaf(loader, &updates[i].value);
        variable->asks = variable->asks || assay_asking_leaf(loader, &updates[i].value);
        if (held != NULL && held->error != ASSAY_OK && error == ASSAY_WRONG_TYPE) {
            error = ASSAY_OK;
        }
        error = held != NULL ? assay_load_hold(loader, held, error) : error;
    }
    if (held != NULL && error == ASSAY_OK) {
        error = assay_load_held(loader, held);
    }
    variable->updates = updates;
    variable->update_count = (uint16_t)on->count;
    return error;
}

static enum assay_error read_init(struct assay_loader *loader, const struct assay_yaml *map,
                                  struct assay_variable *variable, bool *may_be_flag)
{
    const struct assay_yaml *init = assay_yaml_get(map, "init");
    bool flag = false;
    if (init == NULL) {
        return assay_load_fail(loader, map, ASSAY_SYNTAX, "a state variable needs \"init\"");
    }
    if (assay_yaml_flag(init, &flag)) {
        variable->init = flag;
        *may_be_flag = true;
        return ASSAY_OK;
    }
    if (!assay_yaml_u64(init, &variable->init)) {
        return assay_load_fail(loader, init, ASSAY_WRONG_TYPE,
                               "\"init\" is a number, true or false");
    }
    *may_be_flag = variable->init <= 1;
    return ASSAY_OK;
}

/* Keywords of the language, which a variable of the same name could never be read through. */
bool assay_is_keyword(const char *name)
{
    static const char *const keywords[] = {"kind",  "index",  "offset", "bits",  "fault", "prev",
                                           "last",  "from",   "seen",   "count", "fact",  "config",
                                           "reads", "passes", "first",  "true",  "false", "and",
                                           "or",    "not",    "in",     "if",    "then",  "else"};
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        if (strcmp(keywords[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static enum assay_error load_variable(struct assay_loader *loader, const struct assay_yaml *key,
                                      const struct assay_yaml *map)
{
    static const char *const keys[] = {"init", "on", NULL};
    struct assay_catalogue *out = loader->out;
    bool may_be_flag = false;
    enum assay_error error = assay_load_only(loader, map, keys);
    if (error != ASSAY_OK) {
        return error;
    }
    if (assay_is_keyword(key->text)) {
        return assay_load_fail(loader, key, ASSAY_DUPLICATE,
                               "\"%s\" is a keyword of the language, no name for a variable",
                               key->text);
    }
    struct assay_variable *list =
        assay_arena_grow(loader->arena, (void *)(uintptr_t)out->variables, out->variable_count,
                         &loader->variable_capacity, sizeof *list);
    if (list == NULL) {
        return assay_no_memory(loader->diag);
    }
    out->variables = list;
    struct assay_variable *variable = &list[out->variable_count];
    *variable =
        (struct assay_variable){.name = assay_arena_text(loader->arena, key->text, key->length),
                                .file = loader->path,
                                .line = key->line};
    error = read_init(loader, map, variable, &may_be_flag);
    const struct assay_yaml *on = assay_yaml_get(map, "on");
    if (error == ASSAY_OK && (on == NULL || on->type != ASSAY_YAML_MAP || on->count == 0)) {
        error = assay_load_fail(
            loader, map, ASSAY_SYNTAX,
            "a state variable needs \"on\": which kind of event gives it which value");
    }
    if (error != ASSAY_OK) {
        return error;
    }
    for (size_t k = 0; k < loader->format->kind_count; k++) {
        if (assay_field_by_name(&loader->format->kinds[k], key->text) != NULL) {
            return assay_load_fail(loader, key, ASSAY_DUPLICATE,
                                   "a state variable has the name of a field: %s", key->text);
        }
    }
    /* A variable whose updates are all flags, and whose first value may be one, is a flag. What it
     * is must be known before an update can read it, so a flag is tried first. */
    const struct assay_diag before = *loader->diag;
    const size_t leaves = out->leaf_count;
    struct assay_held held = {.error = ASSAY_OK};
    out->variable_count++;
    variable->flag = may_be_flag;
    bool flags = true;
    error = load_updates(loader, on, variable, &flags, may_be_flag ? NULL : &held);
    if (may_be_flag && (error != ASSAY_OK || !flags)) {
        *loader->diag = before;
        assay_forget_leaves(loader, leaves);
        variable->flag = false;
        error = load_updates(loader, on, variable, &flags, &held);
    }
    return error;
}

/* What reads a variable that is wrong is not told: that follows from what is wrong with it. */
static enum assay_error note_broken(struct assay_loader *loader, const struct assay_yaml *key)
{
    const char **list =
        assay_arena_grow(loader->arena, (void *)(uintptr_t)loader->broken, loader->broken_count,
                         &loader->broken_capacity, sizeof *list);
    char *name = assay_arena_text(loader->arena, key->text, key->length);
    if (list == NULL || name == NULL) {
        return assay_no_memory(loader->diag);
    }
    list[loader->broken_count++] = name;
    loader->broken = list;
    return ASSAY_OK;
}

enum assay_error assay_load_state(struct assay_loader *loader, const struct assay_yaml *state)
{
    enum assay_error error = ASSAY_OK;
    if (state->type != ASSAY_YAML_MAP) {
        return assay_load_next(loader, assay_load_fail(loader, state, ASSAY_WRONG_TYPE,
                                                       "\"state\" is a mapping of variables"));
    }
    for (size_t i = 0; i < state->count && error == ASSAY_OK; i++) {
        const struct assay_yaml *key = state->items[2 * i];
        const enum assay_error wrong = load_variable(loader, key, state->items[2 * i + 1]);
        error = assay_load_next(loader, wrong);
        if (error == ASSAY_OK && wrong != ASSAY_OK) {
            error = note_broken(loader, key);
        }
    }
    return error;
}

/* --- conditions of instructions that have a name, for passes(NAME) and first(NAME) --- */

/* A name as the lexer reads it. */
static bool is_name(const char *text)
{
    const char *c = text;
    while (isalpha((unsigned char)*c) != 0 || *c == '_' ||
           (c > text && isdigit((unsigned char)*c) != 0)) {
        c++;
    }
    return c > text && *c == '\0' && c - text < 64;
}

/* The kind of the runs whose instructions conditions are about; null after an error. */
static const struct assay_kind *kind_of_runs(struct assay_loader *loader,
                                             const struct assay_yaml *conditions)
{
    const struct assay_kind *run = assay_kind_of_runs(loader->format);
    if (run == NULL) {
        assay_load_fail(loader, conditions, ASSAY_UNSUPPORTED,
                        "\"conditions\" are of the instructions of runs, and %s has none",
                        loader->format->name);
    }
    return run;
}

static enum assay_error check_name(struct assay_loader *loader, const struct assay_kind *run,
                                   const struct assay_yaml *key)
{
    const struct assay_kind *single = &loader->format->kinds[run->run_of];
    if (!is_name(key->text)) {
        return assay_load_fail(loader, key, ASSAY_SYNTAX,
                               "the name of a condition is letters, digits and _, at most 63: "
                               "\"%s\" is none",
                               key->text);
    }
    if (assay_is_keyword(key->text)) {
        return assay_load_fail(loader, key, ASSAY_DUPLICATE,
                               "\"%s\" is a keyword of the language, no name for a condition",
                               key->text);
    }
    return assay_field_by_name(single, key->text) == NULL
               ? ASSAY_OK
               : assay_load_fail(loader, key, ASSAY_DUPLICATE,
                                 "a condition has the name of a field of the kind %s: %s",
                                 single->name, key->text);
}

/* Adds the name, with the expression or as broken. */
static enum assay_error add_condition(struct assay_loader *loader, const struct assay_yaml *key,
                                      const struct assay_yaml *value, const struct assay_name *name)
{
    struct assay_catalogue *out = loader->out;
    struct assay_named_condition *named =
        assay_arena_grow(loader->arena, (void *)(uintptr_t)out->named, out->named_count,
                         &loader->named_capacity, sizeof *named);
    struct assay_name *names = assay_arena_grow(loader->arena, loader->names, out->named_count,
                                                &loader->name_capacity, sizeof *names);
    const char *key_text = assay_arena_text(loader->arena, key->text, key->length);
    const char *text = value->type == ASSAY_YAML_SCALAR
                           ? assay_arena_text(loader->arena, value->text, value->length)
                           : "";
    if (named == NULL || names == NULL || key_text == NULL || text == NULL) {
        return assay_no_memory(loader->diag);
    }
    named[out->named_count] =
        (struct assay_named_condition){.name = key_text, .text = text, .file = loader->path};
    names[out->named_count++] = *name;
    out->named = named;
    loader->names = names;
    return ASSAY_OK;
}

static enum assay_error load_condition(struct assay_loader *loader, const struct assay_kind *run,
                                       const struct assay_yaml *key, const struct assay_yaml *value,
                                       struct assay_expression *expression)
{
    const enum assay_error error = check_name(loader, run, key);
    if (error != ASSAY_OK) {
        return error;
    }
    if (value->type != ASSAY_YAML_SCALAR) {
        return assay_load_fail(loader, value, ASSAY_WRONG_TYPE, "an expression is expected here");
    }
    const struct assay_kinds kinds = assay_kinds_of((size_t)(run - loader->format->kinds));
    const struct assay_scope scope = {.loader = loader, .kinds = &kinds, .place = value};
    return assay_parse_condition(&scope, run, value->text, value->length, expression);
}

enum assay_error assay_load_named(struct assay_loader *loader, const struct assay_yaml *conditions)
{
    if (conditions->type != ASSAY_YAML_MAP) {
        return assay_load_next(loader,
                               assay_load_fail(loader, conditions, ASSAY_WRONG_TYPE,
                                               "\"conditions\" is a mapping of names to conditions "
                                               "of instructions"));
    }
    const struct assay_kind *run = kind_of_runs(loader, conditions);
    if (run == NULL) {
        return assay_load_next(loader, ASSAY_UNSUPPORTED);
    }
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < conditions->count && error == ASSAY_OK; i++) {
        const struct assay_yaml *key = conditions->items[2 * i];
        const struct assay_yaml *value = conditions->items[2 * i + 1];
        struct assay_name name = {.line = key->line, .column = key->column};
        const enum assay_error wrong = load_condition(loader, run, key, value, &name.expression);
        name.broken = wrong != ASSAY_OK;
        error = assay_load_next(loader, wrong);
        error = error != ASSAY_OK ? error : add_condition(loader, key, value, &name);
    }
    return error;
}

/* Where something is wrong already, a rule that was not read may be the one that uses it. */
enum assay_error assay_check_named(struct assay_loader *loader)
{
    enum assay_error error = ASSAY_OK;
    if (loader->first_fault != ASSAY_OK) {
        return ASSAY_OK;
    }
    for (size_t i = loader->file_names; i < loader->out->named_count && error == ASSAY_OK; i++) {
        const struct assay_yaml place = {.line = loader->names[i].line,
                                         .column = loader->names[i].column};
        if (!loader->names[i].used) {
            error = assay_load_next(loader, assay_load_fail(loader, &place, ASSAY_UNSUPPORTED,
                                                            "the condition %s is never used",
                                                            loader->out->named[i].name));
        }
    }
    return error;
}
