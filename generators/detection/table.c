#include "corruption.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/sink.h"

static const char *const acts[] = {
#define X(id, name) name,
    DETECTION_ACTS(X)
#undef X
        NULL};

static const char *const shown_names[] = {
#define X(id, name, text, column) name,
    DETECTION_SHOWN_BY(X)
#undef X
        NULL};

const char *detection_shown_text(enum detection_shown shown)
{
    static const char *const texts[] = {
#define X(id, name, text, column) text,
        DETECTION_SHOWN_BY(X)
#undef X
    };
    return texts[shown];
}

unsigned detection_shown_from(enum detection_shown shown)
{
    static const unsigned columns[] = {
#define X(id, name, text, column) column,
        DETECTION_SHOWN_BY(X)
#undef X
    };
    return columns[shown];
}

static enum assay_error refuse(const struct assay_yaml *node, struct assay_diag *diag,
                               const char *what)
{
    return assay_yaml_fail(node, diag, ASSAY_SYNTAX, "%s", what);
}

/* The number of a scalar in a list of names. */
static enum assay_error read_name(const struct assay_yaml *map, const char *key,
                                  const char *const *names, unsigned *number,
                                  struct assay_diag *diag)
{
    const struct assay_yaml *node = assay_yaml_get(map, key);
    for (*number = 0; node != NULL && names[*number] != NULL; ++*number) {
        if (assay_yaml_is(node, names[*number])) {
            return ASSAY_OK;
        }
    }
    return assay_yaml_fail(node != NULL ? node : map, diag, ASSAY_UNKNOWN_NAME,
                           "\"%s\" is missing or no name that is known", key);
}

static const char *text_of(const struct assay_yaml *map, const char *key)
{
    const struct assay_yaml *node = assay_yaml_get(map, key);
    return node != NULL && node->type == ASSAY_YAML_SCALAR ? node->text : NULL;
}

/* --- new values --- */

static bool read_operand(const char *text, uint64_t *number)
{
    char *end = NULL;
    *number = strtoull(text, &end, 0);
    return end != text && *end == '\0';
}

static bool read_value(const struct assay_yaml *node, struct detection_change *change)
{
    static const char *const names[] = {[DETECTION_FLIP] = "flip",
                                        [DETECTION_ANY] = "any",
                                        [DETECTION_OTHER] = "other",
                                        [DETECTION_LAST] = "last"};
    bool flag = false;
    if (node->type != ASSAY_YAML_SCALAR) {
        return false;
    }
    for (unsigned i = DETECTION_FLIP; i <= DETECTION_LAST; i++) {
        if (strcmp(node->text, names[i]) == 0) {
            change->value = (enum detection_value)i;
            return true;
        }
    }
    change->value = node->text[0] == '^'                           ? DETECTION_XOR
                    : node->text[0] == '+' || node->text[0] == '-' ? DETECTION_ADD
                                                                   : DETECTION_NUMBER;
    if (change->value != DETECTION_NUMBER) {
        const bool read = read_operand(node->text + 1, &change->number);
        change->number = node->text[0] == '-' ? -change->number : change->number;
        return read;
    }
    if (assay_yaml_flag(node, &flag)) {
        change->number = flag;
        return true;
    }
    return assay_yaml_u64(node, &change->number) ||
           (change->field->names != NULL &&
            assay_enum_value(change->field->names, node->text, &change->number));
}

static enum assay_error read_changes(const struct assay_yaml *set, const struct assay_kind *kind,
                                     struct detection_corruption *c, struct assay_diag *diag)
{
    if (set->type != ASSAY_YAML_MAP || kind == NULL || set->count > DETECTION_CHANGES) {
        return refuse(set, diag, "\"set\" is a mapping of a few fields of one kind");
    }
    for (size_t i = 0; i < set->count; i++) {
        struct detection_change *change = &c->changes[c->change_count++];
        change->field = assay_field_by_name(kind, set->items[2 * i]->text);
        if (change->field == NULL || change->field->width > 64 ||
            (change->field->place != ASSAY_AT_BIT && change->field->place != ASSAY_PACKED)) {
            return refuse(set->items[2 * i], diag, "the kind has no such field in its bytes");
        }
        if (!read_value(set->items[2 * i + 1], change)) {
            return refuse(set->items[2 * i + 1], diag, "no value that is known");
        }
    }
    return ASSAY_OK;
}

/* Fields that follow from others are 0, unless they are set. */
static enum assay_error clear_derived(const struct assay_yaml *derived,
                                      const struct assay_yaml *set, const struct assay_kind *kind,
                                      struct detection_corruption *c, struct assay_diag *diag)
{
    for (size_t i = 0; derived != NULL && i < derived->count; i++) {
        const char *name = derived->items[i]->text;
        const struct assay_field *field = assay_field_by_name(kind, name);
        if (field != NULL && assay_yaml_get(set, name) == NULL) {
            if (c->change_count == DETECTION_CHANGES) {
                return refuse(set, diag, "too many fields");
            }
            c->changes[c->change_count++] = (struct detection_change){.field = field};
        }
    }
    return ASSAY_OK;
}

/* --- levels --- */

/* Whether there can be a rule of level must for a clause; `weaker` says why there is none. */
static bool obliges(const struct assay_catalogue *catalogue, const struct assay_yaml *id)
{
    static const char *const levels[] = {"must", "shall", "value", "layout"};
    for (size_t i = 0; i < catalogue->clause_count; i++) {
        const struct assay_clause *clause = &catalogue->clauses[i];
        for (size_t l = 0; l < sizeof levels / sizeof levels[0]; l++) {
            if (assay_yaml_is(id, clause->id) && strcmp(clause->level, levels[l]) == 0) {
                return clause->weaker == NULL;
            }
        }
    }
    return false;
}

static void find_level(const struct assay_format *format, struct detection_corruption *c)
{
    c->level = ASSAY_SHOULD;
    for (size_t i = 0; i < c->clauses->count; i++) {
        if (obliges(assay_catalogue_of(format), c->clauses->items[i])) {
            c->level = ASSAY_MUST;
        }
    }
}

/* --- an entry --- */

static const struct assay_kind *kind_of(const struct detection_table *table,
                                        const struct assay_yaml *node)
{
    return node != NULL && node->type == ASSAY_YAML_SCALAR
               ? assay_kind_by_name(table->format, node->text)
               : NULL;
}

static enum assay_error read_count(const struct assay_yaml *map, const char *key, uint64_t number,
                                   size_t *count, struct assay_diag *diag)
{
    const struct assay_yaml *node = assay_yaml_get(map, key);
    if (node != NULL && (!assay_yaml_u64(node, &number) || number == 0 || number > 4096)) {
        return refuse(node, diag, "a number from 1 to 4096 is wanted");
    }
    *count = (size_t)number;
    return ASSAY_OK;
}

static enum assay_error read_fill(const struct assay_yaml *map, int *fill, struct assay_diag *diag)
{
    const struct assay_yaml *node = assay_yaml_get(map, "fill");
    uint64_t number = 0;
    if (node != NULL && (!assay_yaml_u64(node, &number) || number > UINT8_MAX)) {
        return refuse(node, diag, "a byte is wanted");
    }
    *fill = node != NULL ? (int)number : -1;
    return ASSAY_OK;
}

static enum assay_error read_entry(const struct detection_table *table,
                                   const struct assay_yaml *map, struct detection_corruption *c,
                                   struct assay_diag *diag)
{
    static const char *const keys[] = {
        "title", "clauses", "shown-by", "missed", "gap",   "do",    "on",   "when", "count",
        "set",   "record",  "storage",  "back",   "needs", "level", "fill", "in",   NULL};
    unsigned act = 0;
    unsigned shown = 0;
    enum assay_error error = map->type == ASSAY_YAML_MAP
                                 ? assay_yaml_only(map, keys, diag)
                                 : refuse(map, diag, "a kind of corruption is a mapping");
    error = error != ASSAY_OK ? error : read_name(map, "do", acts, &act, diag);
    error = error != ASSAY_OK ? error : read_name(map, "shown-by", shown_names, &shown, diag);
    error = error != ASSAY_OK ? error : read_count(map, "count", 1, &c->count, diag);
    error = error != ASSAY_OK ? error : read_count(map, "back", 0, &c->back, diag);
    error = error != ASSAY_OK ? error : read_fill(map, &c->fill, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    c->act = (enum detection_act)act;
    c->shown_by = (enum detection_shown)shown;
    c->title = text_of(map, "title");
    c->missed = text_of(map, "missed");
    c->gap = text_of(map, "gap");
    c->storage = text_of(map, "storage");
    c->clauses = assay_yaml_get(map, "clauses");
    c->on = assay_yaml_get(map, "on");
    c->when = assay_yaml_get(map, "when");
    c->needs = assay_yaml_get(map, "needs");
    c->record = kind_of(table, assay_yaml_get(map, "record"));
    c->spoken_of_by = text_of(map, "level");
    c->in = assay_yaml_get(map, "in");
    if (c->title == NULL || c->clauses == NULL || c->clauses->type != ASSAY_YAML_LIST) {
        return refuse(map, diag, "a kind of corruption has a title and a list of clauses");
    }
    if (c->missed == NULL && c->shown_by != DETECTION_BY_TRACE &&
        c->shown_by != DETECTION_BY_LEGAL &&
        (c->spoken_of_by == NULL || c->shown_by == DETECTION_BY_NOTHING)) {
        return refuse(map, diag, "what the trace does not always show has \"missed\"");
    }
    if (c->shown_by == (table->format->reads_images ? DETECTION_BY_FACTS : DETECTION_BY_PROGRAM)) {
        return refuse(map, diag, "the format's traces are not judged with that");
    }
    find_level(table->format, c);
    if ((c->on == NULL) != detection_acts_on_bytes(c)) {
        return refuse(map, diag, "what is done to records has \"on\", to stored bytes it has not");
    }
    if (c->act == DETECTION_INSERT && c->record == NULL) {
        return refuse(map, diag, "what is inserted has the kind \"record\"");
    }
    const struct assay_yaml *set = assay_yaml_get(map, "set");
    const struct assay_kind *kind = c->record != NULL ? c->record : kind_of(table, c->on);
    if (c->in != NULL && c->in->type != ASSAY_YAML_LIST) {
        return refuse(c->in, diag, "\"in\" is a list of workloads");
    }
    if (set == NULL) {
        return ASSAY_OK;
    }
    error = read_changes(set, kind, c, diag);
    return error != ASSAY_OK ? error : clear_derived(table->derived, set, kind, c, diag);
}

/* --- the selectors --- */

/* In quotes, but for words and numbers. */
static void put_quoted(struct assay_sink *sink, const char *text)
{
    if (text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0') {
        assay_sink_text(sink, text);
        return;
    }
    assay_sink_text(sink, "'");
    for (; *text != '\0'; text++) {
        assay_sink_write(sink, text, 1);
        if (*text == '\'') {
            assay_sink_text(sink, "'");
        }
    }
    assay_sink_text(sink, "'");
}

static void put_list(struct assay_sink *sink, const struct assay_yaml *node)
{
    if (node->type == ASSAY_YAML_SCALAR) {
        put_quoted(sink, node->text);
        return;
    }
    for (size_t i = 0; i < node->count; i++) {
        assay_sink_text(sink, i == 0 ? "[" : ", ");
        put_list(sink, node->items[i]);
    }
    assay_sink_text(sink, "]");
}

static void put_selector(struct assay_sink *sink, const struct detection_corruption *c,
                         size_t number)
{
    assay_sink_printf(sink, "  - {id: DETECT-%04zu, title: t, level: must, clauses: ", number + 1);
    put_list(sink, c->clauses);
    assay_sink_text(sink, ", on: ");
    if (c->on != NULL) {
        put_list(sink, c->on);
    } else {
        assay_sink_text(sink, "end");
    }
    if (c->when != NULL) {
        assay_sink_text(sink, ", when: ");
        put_quoted(sink, c->when->text);
    }
    if (c->needs != NULL) {
        assay_sink_text(sink, ", needs: ");
        put_list(sink, c->needs);
    }
    assay_sink_text(sink, ", require: 'false', say: here}\n");
}

/* A mapping of scalars and mappings, unchanged. */
static void put_map(struct assay_sink *sink, const struct assay_yaml *map, unsigned indent)
{
    for (size_t i = 0; i < map->count; i++) {
        const struct assay_yaml *value = map->items[2 * i + 1];
        assay_sink_printf(sink, "%*s%s:", (int)indent, "", map->items[2 * i]->text);
        if (value->type == ASSAY_YAML_MAP) {
            assay_sink_text(sink, "\n");
            put_map(sink, value, indent + 2);
        } else {
            assay_sink_text(sink, " ");
            put_list(sink, value);
            assay_sink_text(sink, "\n");
        }
    }
}

static void put_state(struct assay_sink *sink, const struct assay_yaml *state)
{
    if (state != NULL && state->type == ASSAY_YAML_MAP) {
        assay_sink_text(sink, "state:\n");
        put_map(sink, state, 2);
    }
}

/* The rule compiler reads files. */
static enum assay_error load_selectors(struct detection_table *table, struct assay_diag *diag)
{
    char path[] = "/tmp/assay-detection-XXXXXX";
    const char *const paths[] = {path};
    struct assay_sink sink;
    const int fd = mkstemp(path);
    if (fd < 0) {
        return assay_fail(diag, ASSAY_NOT_WRITABLE, ASSAY_NO_OFFSET, "%s cannot be written", path);
    }
    assay_sink_fd(&sink, fd);
    assay_sink_printf(&sink, "format: %s\n", table->format->name);
    put_state(&sink, assay_yaml_get(table->file.root, "state"));
    assay_sink_text(&sink, "rules:\n");
    for (size_t i = 0; i < table->count; i++) {
        put_selector(&sink, &table->list[i], i);
    }
    enum assay_error error = assay_sink_close(&sink, diag);
    close(fd);
    error = error != ASSAY_OK
                ? error
                : assay_catalogue_load(table->format, paths, 1, assay_catalogue_of(table->format),
                                       &table->selectors, diag);
    unlink(path);
    return error;
}

/* --- the table --- */

static enum assay_error read_table(struct detection_table *table, struct assay_diag *diag)
{
    static const char *const keys[] = {"format", "with",        "traces", "derived",
                                       "state",  "corruptions", NULL};
    const struct assay_yaml *root = table->file.root;
    const struct assay_yaml *list =
        root->type == ASSAY_YAML_MAP ? assay_yaml_get(root, "corruptions") : NULL;
    const char *format = root->type == ASSAY_YAML_MAP ? text_of(root, "format") : NULL;
    if (list == NULL || list->type != ASSAY_YAML_LIST || format == NULL) {
        return refuse(root, diag, "a table has a format and a list of corruptions");
    }
    enum assay_error error = assay_yaml_only(root, keys, diag);
    table->format = assay_format_by_name(format);
    table->derived = assay_yaml_get(root, "derived");
    table->list = calloc(list->count + 1, sizeof *table->list);
    if (table->format == NULL || table->list == NULL) {
        return refuse(root, diag, "there is no such format");
    }
    const char *with = text_of(root, "with");
    snprintf(table->title, sizeof table->title, "%s%s%s", table->format->title,
             with != NULL ? " with " : "", with != NULL ? with : "");
    if (table->derived != NULL && table->derived->type != ASSAY_YAML_LIST) {
        return refuse(table->derived, diag, "\"derived\" is a list of names of fields");
    }
    if (error == ASSAY_OK) {
        error = detection_read_traces(table, assay_yaml_get(root, "traces"), diag);
    }
    for (size_t i = 0; i < list->count && error == ASSAY_OK; i++) {
        error = read_entry(table, list->items[i], &table->list[table->count++], diag);
    }
    return error;
}

enum assay_error detection_table_load(const char *name, struct detection_table *table,
                                      struct assay_diag *diag)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.yaml", DETECTION_TABLES, name);
    *table = (struct detection_table){.name = name};
    enum assay_error error = assay_yaml_load(path, &table->file, diag);
    error = error != ASSAY_OK ? error : read_table(table, diag);
    return error != ASSAY_OK ? error : load_selectors(table, diag);
}

void detection_table_free(struct detection_table *table)
{
    assay_catalogue_free(table->selectors);
    free(table->list);
    free(table->traces);
    free(table->configs);
    assay_yaml_free(&table->file);
}
