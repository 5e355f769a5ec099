#include "snapshot/ini.h"

#include <stdlib.h>
#include <string.h>

#include "common/arena.h"
#include "snapshot/line.h"

struct reader {
    struct assay_arena arena;
    const char *path;
    const char *const *lists;
    struct assay_yaml *root;
    struct assay_yaml *section; /* the current one; null before the first heading */
    size_t root_room, section_room;
    struct cs_lines lines;
    struct assay_diag *diag;
};

static enum assay_error no_memory(const struct reader *r)
{
    return assay_fail(r->diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

static enum assay_error refuse(const struct reader *r, uint32_t column, enum assay_error error,
                               const char *why)
{
    return assay_fail_at(r->diag, error, r->lines.number, column, "%s", why);
}

/* --- parts of a line --- */

/* The part without the comment at its end. */
static struct cs_part before_comment(struct cs_part part)
{
    size_t length = 0;
    while (length < part.length && part.text[length] != '#' && part.text[length] != ';') {
        length++;
    }
    part.length = length;
    return cs_trim(part);
}

/* --- nodes --- */

static struct assay_yaml *new_node(struct reader *r, enum assay_yaml_type type, struct cs_part part)
{
    struct assay_yaml *node = assay_arena_take(&r->arena, sizeof *node);
    const char *text = assay_arena_text(&r->arena, part.text, part.length);
    if (node == NULL || text == NULL) {
        return NULL;
    }
    *node = (struct assay_yaml){
        .type = type, .path = r->path, .line = r->lines.number, .column = part.column};
    if (type == ASSAY_YAML_SCALAR) {
        node->text = text;
        node->length = part.length;
    }
    return node;
}

/* Adds a pair to a mapping. */
static enum assay_error add_pair(struct reader *r, struct assay_yaml *map, size_t *room,
                                 struct assay_yaml *key, struct assay_yaml *value)
{
    struct assay_yaml **items = map->items;
    for (size_t i = 0; i < 2 && (i == 0 || items != NULL); i++) {
        items = assay_arena_grow(&r->arena, items, 2 * map->count + i, room, sizeof *items);
    }
    if (items == NULL || key == NULL || value == NULL) {
        return no_memory(r);
    }
    items[2 * map->count] = key;
    items[2 * map->count + 1] = value;
    map->items = items;
    map->count++;
    return ASSAY_OK;
}

/* --- lines --- */

static enum assay_error read_heading(struct reader *r, struct cs_part line)
{
    const char *end = memchr(line.text, ']', line.length);
    const size_t length = end != NULL ? (size_t)(end - line.text) : 0;
    if (end == NULL) {
        return refuse(r, line.column, ASSAY_SYNTAX,
                      "the name of the section is not closed by \"]\"");
    }
    const struct cs_part after = before_comment(cs_cut(line, length + 1, line.length));
    if (after.length > 0) {
        return refuse(r, after.column, ASSAY_SYNTAX, "only a comment can follow a section's name");
    }
    line.length = length;
    const struct cs_part name = cs_trim(cs_cut(line, 1, line.length));
    if (name.length == 0) {
        return refuse(r, line.column, ASSAY_SYNTAX, "the name of the section is empty");
    }
    struct assay_yaml *key = new_node(r, ASSAY_YAML_SCALAR, name);
    r->section = new_node(r, ASSAY_YAML_MAP, line);
    r->section_room = 0;
    return add_pair(r, r->root, &r->root_room, key, r->section);
}

/* The value after the separator, without quotes. */
static enum assay_error read_value(const struct reader *r, struct cs_part rest,
                                   struct cs_part *value)
{
    rest = cs_trim(rest);
    const char quote = rest.length > 0 ? rest.text[0] : '\0';
    if (quote != '"' && quote != '\'') {
        *value = before_comment(rest);
        return ASSAY_OK;
    }
    const char *end = memchr(rest.text + 1, quote, rest.length - 1);
    if (end == NULL) {
        return refuse(r, rest.column, ASSAY_SYNTAX, "the quotes are not closed");
    }
    const size_t length = (size_t)(end - rest.text) - 1;
    const struct cs_part after = before_comment(cs_cut(rest, length + 2, rest.length));
    if (after.length > 0) {
        return refuse(r, after.column, ASSAY_SYNTAX, "only a comment can follow a value in quotes");
    }
    *value = (struct cs_part){rest.text + 1, length, rest.column + 1};
    return ASSAY_OK;
}

static enum assay_error read_setting(struct reader *r, struct cs_part line)
{
    const char *separator = memchr(line.text, '=', line.length);
    separator = separator != NULL ? separator : memchr(line.text, ':', line.length);
    if (separator == NULL) {
        return refuse(r, line.column, ASSAY_SYNTAX,
                      "this is no [section], no KEY=VALUE and no comment");
    }
    const size_t length = (size_t)(separator - line.text);
    const struct cs_part key = cs_trim((struct cs_part){line.text, length, line.column});
    struct cs_part value = {0};
    if (key.length == 0) {
        return refuse(r, line.column, ASSAY_SYNTAX, "the key before the value is missing");
    }
    if (r->section == NULL) {
        return refuse(r, line.column, ASSAY_SYNTAX, "this key is in no section");
    }
    const enum assay_error error = read_value(r, cs_cut(line, length + 1, line.length), &value);
    if (error != ASSAY_OK) {
        return error;
    }
    struct assay_yaml *name = new_node(r, ASSAY_YAML_SCALAR, key);
    return add_pair(r, r->section, &r->section_room, name, new_node(r, ASSAY_YAML_SCALAR, value));
}

static enum assay_error read_lines(struct reader *r)
{
    enum assay_error error = ASSAY_OK;
    struct cs_part said;
    r->root = new_node(r, ASSAY_YAML_MAP, (struct cs_part){"", 0, 1});
    if (r->root == NULL) {
        return no_memory(r);
    }
    while (error == ASSAY_OK && cs_next_line(&r->lines, &said, &error, r->diag)) {
        error = said.text[0] == '[' ? read_heading(r, said) : read_setting(r, said);
    }
    return error;
}

/* --- what occurs twice --- */

/* Orders pairs of a mapping by key, then by their order in the file. */
static int by_key(const void *a, const void *b)
{
    struct assay_yaml *const *x = *(struct assay_yaml * *const *)a;
    struct assay_yaml *const *y = *(struct assay_yaml * *const *)b;
    const int order = strcmp(x[0]->text, y[0]->text);
    return order != 0 ? order : (x > y) - (x < y);
}

/* The same by key and value. */
static int by_key_and_value(const void *a, const void *b)
{
    struct assay_yaml *const *x = *(struct assay_yaml * *const *)a;
    struct assay_yaml *const *y = *(struct assay_yaml * *const *)b;
    int order = strcmp(x[0]->text, y[0]->text);
    order = order != 0 ? order : strcmp(x[1]->text, y[1]->text);
    return order != 0 ? order : (x > y) - (x < y);
}

/* Each section of this name, with anything after it, is a dump of its own. */
static bool is_dump(const struct reader *r, const struct assay_yaml *map, const char *name)
{
    static const char prefix[] = "dump";
    return map == r->root && strncmp(name, prefix, sizeof prefix - 1) == 0;
}

/* Refuses what occurs twice in a mapping: the pair, if it is a list of pairs, else the key. Pairs
 * are sorted to find it, so that the time does not grow with the square of their number. */
static enum assay_error check_unique(struct reader *r, const struct assay_yaml *map, bool list)
{
    struct assay_yaml ***pairs = malloc((map->count + 1) * sizeof *pairs);
    struct assay_yaml *const *first = NULL;
    struct assay_yaml *const *again = NULL;
    if (pairs == NULL) {
        return no_memory(r);
    }
    for (size_t i = 0; i < map->count; i++) {
        pairs[i] = &map->items[2 * i];
    }
    qsort(pairs, map->count, sizeof *pairs, list ? by_key_and_value : by_key);
    for (size_t i = 1; i < map->count; i++) {
        const bool same = strcmp(pairs[i - 1][0]->text, pairs[i][0]->text) == 0 &&
                          !is_dump(r, map, pairs[i][0]->text) &&
                          (!list || strcmp(pairs[i - 1][1]->text, pairs[i][1]->text) == 0);
        if (same && (again == NULL || pairs[i] < again)) {
            first = pairs[i - 1];
            again = pairs[i];
        }
    }
    free(pairs);
    if (again == NULL) {
        return ASSAY_OK;
    }
    assay_yaml_fail(again[0], r->diag, ASSAY_DUPLICATE,
                    map == r->root ? "the section [%s] occurs twice"
                    : list         ? "this pair of \"%s\" occurs twice"
                                   : "the key \"%s\" occurs twice",
                    again[0]->text);
    assay_diag_hint(r->diag, "first at line %u", first[0]->line);
    return ASSAY_DUPLICATE;
}

static bool is_list(const struct reader *r, const char *section)
{
    size_t i = 0;
    while (r->lists != NULL && r->lists[i] != NULL && strcmp(r->lists[i], section) != 0) {
        i++;
    }
    return r->lists != NULL && r->lists[i] != NULL;
}

static enum assay_error check(struct reader *r)
{
    enum assay_error error = check_unique(r, r->root, false);
    for (size_t i = 0; i < r->root->count && error == ASSAY_OK; i++) {
        struct assay_yaml *const *pair = &r->root->items[2 * i];
        error = check_unique(r, pair[1], is_list(r, pair[0]->text));
    }
    return error;
}

/* --- files --- */

enum assay_error cs_ini_parse(const char *path, const char *text, size_t size,
                              const char *const *lists, struct assay_yaml_file *file,
                              struct assay_diag *diag)
{
    struct reader r = {.lists = lists, .lines = {.text = text, .size = size}, .diag = diag};
    struct assay_arena *kept = malloc(sizeof *kept);
    char *name = assay_arena_text(&r.arena, path, strlen(path));
    *file = (struct assay_yaml_file){0};
    r.path = name;
    enum assay_error error =
        kept == NULL || name == NULL ? no_memory(&r)
        : size > CS_INI_MAX_BYTES
            ? assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "the file is larger than %zu MiB",
                         CS_INI_MAX_BYTES >> 20)
            : read_lines(&r);
    error = error != ASSAY_OK ? error : check(&r);
    if (error != ASSAY_OK) {
        free(kept);
        assay_arena_free(&r.arena);
        assay_diag_path(diag, path);
        return error;
    }
    *kept = r.arena;
    *file = (struct assay_yaml_file){.path = name, .root = r.root, .memory = kept};
    return ASSAY_OK;
}

enum assay_error cs_ini_load(const char *path, const char *shown, const char *const *lists,
                             struct assay_yaml_file *file, struct assay_diag *diag)
{
    char *text = NULL;
    size_t size = 0;
    *file = (struct assay_yaml_file){0};
    enum assay_error error = assay_text_load(path, &text, &size, diag);
    if (error != ASSAY_OK) {
        assay_diag_path(diag, shown);
        return error;
    }
    error = cs_ini_parse(shown, text, size, lists, file, diag);
    free(text);
    return error;
}
