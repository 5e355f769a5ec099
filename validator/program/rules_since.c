#include "validator/program/rules_since.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/yaml.h"

enum { MOST = 1 << 16, DIGITS = 4, ID_ROOM = 40 };

static enum assay_error no_memory(struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

/* --- reading a table --- */

struct reading {
    struct assay_since *since;
    const char *format;
    enum assay_level level;
    struct assay_diag *diag;
};

static enum assay_error add_rule(const struct reading *r, const struct assay_yaml *node,
                                 const char *id)
{
    struct assay_since *since = r->since;
    if (since->count == MOST) {
        return assay_yaml_fail(node, r->diag, ASSAY_LIMIT, "there are more than %d rules", MOST);
    }
    struct assay_released_rule *rules =
        assay_arena_grow(&since->arena, since->rules, since->count, &since->room, sizeof *rules);
    since->rules = rules != NULL ? rules : since->rules;
    const char *kept = assay_arena_text(&since->arena, id, strlen(id));
    if (rules == NULL || kept == NULL) {
        return no_memory(r->diag);
    }
    rules[since->count++] =
        (struct assay_released_rule){.id = kept, .format = r->format, .level = r->level};
    return ASSAY_OK;
}

/* The number that ends an id: so many digits after a dash. */
static bool number_of(const char *digits, unsigned *number)
{
    if (strlen(digits) != DIGITS || strspn(digits, "0123456789") != DIGITS) {
        return false;
    }
    *number = (unsigned)strtoul(digits, NULL, 10);
    return true;
}

/* "ASTF-0012", or all of a range: "ASTF-0012..0015". */
static enum assay_error add_rules(const struct reading *r, const struct assay_yaml *node)
{
    char id[ID_ROOM];
    unsigned first = 0;
    unsigned last = 0;
    bool good = node->type == ASSAY_YAML_SCALAR && node->length < ID_ROOM - DIGITS &&
                strlen(node->text) == node->length;
    snprintf(id, sizeof id, "%s", good ? node->text : "");
    char *dots = strstr(id, "..");
    good = good && (dots == NULL || number_of(dots + 2, &last));
    if (dots != NULL) {
        *dots = '\0';
    }
    char *digits = strrchr(id, '-');
    good = good && digits != NULL && number_of(digits + 1, &first);
    last = dots != NULL ? last : first;
    if (!good || last < first) {
        return assay_yaml_fail(node, r->diag, ASSAY_SYNTAX,
                               "rules are ids that end in four digits, or a range, ID..NUMBER");
    }
    enum assay_error error = ASSAY_OK;
    for (unsigned number = first; error == ASSAY_OK && number <= last; number++) {
        snprintf(digits + 1, sizeof id - (size_t)(digits + 1 - id), "%04u", number);
        error = add_rule(r, node, id);
    }
    return error;
}

static enum assay_error read_levels(struct reading *r, const struct assay_yaml *levels)
{
    enum assay_error error = ASSAY_OK;
    if (levels->type != ASSAY_YAML_MAP) {
        return assay_yaml_fail(levels, r->diag, ASSAY_SYNTAX, "levels with their rules are wanted");
    }
    for (size_t i = 0; error == ASSAY_OK && i < levels->count; i++) {
        const struct assay_yaml *list = levels->items[2 * i + 1];
        if (!assay_level_by_name(levels->items[2 * i]->text, &r->level)) {
            return assay_yaml_fail(levels->items[2 * i], r->diag, ASSAY_UNKNOWN_NAME,
                                   "there is no level %.40s", levels->items[2 * i]->text);
        }
        if (list->type != ASSAY_YAML_LIST) {
            return assay_yaml_fail(list, r->diag, ASSAY_SYNTAX, "a list of rules is wanted");
        }
        for (size_t n = 0; error == ASSAY_OK && n < list->count; n++) {
            error = add_rules(r, list->items[n]);
        }
    }
    return error;
}

static int by_id(const void *a, const void *b)
{
    const struct assay_released_rule *x = a;
    const struct assay_released_rule *y = b;
    return strcmp(x->id, y->id);
}

static enum assay_error read_table(struct assay_since *since, const struct assay_yaml *root,
                                   struct assay_diag *diag)
{
    static const char *const keys[] = {"released", "rules", NULL};
    struct reading r = {.since = since, .diag = diag};
    if (root->type != ASSAY_YAML_MAP) {
        return assay_yaml_fail(root, diag, ASSAY_SYNTAX, "\"released\" and \"rules\" are wanted");
    }
    const struct assay_yaml *formats = assay_yaml_get(root, "rules");
    enum assay_error error = assay_yaml_only(root, keys, diag);
    error =
        error ? error
              : assay_yaml_take_text(root, "released", true, &since->arena, &since->version, diag);
    if (error == ASSAY_OK && (formats == NULL || formats->type != ASSAY_YAML_MAP)) {
        error = assay_yaml_fail(root, diag, ASSAY_SYNTAX, "\"rules\", by format, are missing");
    }
    for (size_t i = 0; error == ASSAY_OK && i < formats->count; i++) {
        const char *name = formats->items[2 * i]->text;
        r.format = assay_arena_text(&since->arena, name, strlen(name));
        error = r.format != NULL ? read_levels(&r, formats->items[2 * i + 1]) : no_memory(diag);
    }
    if (error == ASSAY_OK && since->count > 0) {
        qsort(since->rules, since->count, sizeof *since->rules, by_id);
    }
    for (size_t i = 1; error == ASSAY_OK && i < since->count; i++) {
        if (by_id(&since->rules[i - 1], &since->rules[i]) == 0) {
            error = assay_yaml_fail(root, diag, ASSAY_DUPLICATE, "%s is listed twice",
                                    since->rules[i].id);
        }
    }
    return error;
}

/* --- finding it --- */

static bool is_file(const char *text)
{
    const size_t length = strlen(text);
    const size_t ending = strlen(".yaml");
    return strchr(text, '/') != NULL ||
           (length > ending && strcmp(text + length - ending, ".yaml") == 0);
}

/* "rules/released/0.1.0.yaml" is the table of 0.1.0. */
static const struct assay_corpus_text *table_of(const char *version)
{
    for (size_t i = 0; i < assay_released_tables_count; i++) {
        const char *slash = strrchr(assay_released_tables[i].name, '/');
        const char *name = slash != NULL ? slash + 1 : assay_released_tables[i].name;
        const size_t length = strlen(version);
        if (strncmp(name, version, length) == 0 && strcmp(name + length, ".yaml") == 0) {
            return &assay_released_tables[i];
        }
    }
    return NULL;
}

static int unknown_version(const struct assay_command *command, const char *version)
{
    char known[200] = "";
    for (size_t i = 0; i < assay_released_tables_count; i++) {
        const char *slash = strrchr(assay_released_tables[i].name, '/');
        const char *name = slash != NULL ? slash + 1 : assay_released_tables[i].name;
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%.*s", used > 0 ? ", " : "",
                 (int)(strlen(name) - strlen(".yaml")), name);
    }
    return assay_usage_error(command, "no table is known of the rules of %.80s, only of %s",
                             version, known);
}

int assay_since_open(struct assay_since *since, const struct assay_command *command,
                     const char *text)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_yaml_file file = {.root = NULL};
    const struct assay_corpus_text *table = is_file(text) ? NULL : table_of(text);
    *since = (struct assay_since){.count = 0};
    if (table == NULL && !is_file(text)) {
        return unknown_version(command, text);
    }
    enum assay_error error =
        table != NULL ? assay_yaml_parse(table->name, table->text, table->size, &file, &diag)
                      : assay_yaml_load(text, &file, &diag);
    error = error ? error : read_table(since, file.root, &diag);
    assay_yaml_free(&file);
    if (error != ASSAY_OK) {
        assay_say(&diag);
    }
    return assay_exit_of_given(error);
}

void assay_since_close(struct assay_since *since)
{
    assay_arena_free(&since->arena);
    *since = (struct assay_since){.count = 0};
}

/* --- what it says --- */

const struct assay_released_rule *assay_since_rule(const struct assay_since *since, const char *id)
{
    const struct assay_released_rule wanted = {.id = id};
    return since->count > 0
               ? bsearch(&wanted, since->rules, since->count, sizeof *since->rules, by_id)
               : NULL;
}

bool assay_since_same(const struct assay_since *since, const struct assay_rule *rule)
{
    const struct assay_released_rule *was = assay_since_rule(since, rule->id);
    return was != NULL && was->level == (enum assay_level)rule->level;
}

bool assay_since_withdrawn(const struct assay_catalogue *catalogue,
                           const struct assay_released_rule *rule)
{
    return catalogue->compiled != NULL && strcmp(catalogue->format->name, rule->format) == 0 &&
           assay_rule_by_id(catalogue, rule->id) == NULL;
}
