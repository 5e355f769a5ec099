#include "common/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "common/arena.h"
#include "common/file.h"

/* The tree is built from libyaml's events with an explicit stack. */
struct builder {
    struct assay_arena arena;
    struct assay_yaml *stack[ASSAY_YAML_MAX_DEPTH];
    size_t capacity[ASSAY_YAML_MAX_DEPTH];
    size_t item_count[ASSAY_YAML_MAX_DEPTH];
    struct assay_arena scratch; /* until the file is read */
    struct assay_yaml **keys;   /* in it: room to sort those of a mapping */
    unsigned depth;
    struct assay_yaml *root;
    const char *path; /* in the arena */
    struct assay_diag *diag;
};

static enum assay_error no_memory(struct builder *b)
{
    return assay_fail(b->diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

/* Whether a node can be the next key of a mapping. */
static enum assay_error check_key(struct builder *b, size_t items, const struct assay_yaml *key)
{
    if (key->type != ASSAY_YAML_SCALAR) {
        return assay_yaml_fail(key, b->diag, ASSAY_SYNTAX, "a key has to be a plain scalar");
    }
    if (items / 2 == ASSAY_YAML_MAX_PAIRS) {
        return assay_yaml_fail(key, b->diag, ASSAY_LIMIT, "a mapping has more than %d keys",
                               ASSAY_YAML_MAX_PAIRS);
    }
    if (strlen(key->text) != key->length) {
        return assay_yaml_fail(key, b->diag, ASSAY_SYNTAX, "a key cannot hold the character 0");
    }
    return ASSAY_OK;
}

static int by_position(const struct assay_yaml *a, const struct assay_yaml *b)
{
    return a->line != b->line ? (a->line > b->line) - (a->line < b->line)
                              : (a->column > b->column) - (a->column < b->column);
}

static int by_text(const void *a, const void *b)
{
    const struct assay_yaml *x = *(struct assay_yaml *const *)a;
    const struct assay_yaml *y = *(struct assay_yaml *const *)b;
    const int order = strcmp(x->text, y->text);
    return order != 0 ? order : by_position(x, y);
}

/* Refuses the first key that occurred before. Keys are sorted to find it, not hashed: a file could
 * be made of keys with the same hash. */
static enum assay_error check_unique(struct builder *b, const struct assay_yaml *map)
{
    const struct assay_yaml *first = NULL;
    const struct assay_yaml *again = NULL;
    if (b->keys == NULL &&
        (b->keys = assay_arena_take(&b->scratch, ASSAY_YAML_MAX_PAIRS * sizeof *b->keys)) == NULL) {
        return no_memory(b);
    }
    for (size_t i = 0; i < map->count; i++) {
        b->keys[i] = map->items[2 * i];
    }
    qsort(b->keys, map->count, sizeof *b->keys, by_text);
    for (size_t i = 1; i < map->count; i++) {
        const bool twice = strcmp(b->keys[i - 1]->text, b->keys[i]->text) == 0;
        if (twice && (again == NULL || by_position(b->keys[i], again) < 0)) {
            first = b->keys[i - 1];
            again = b->keys[i];
        }
    }
    if (again == NULL) {
        return ASSAY_OK;
    }
    assay_yaml_fail(again, b->diag, ASSAY_DUPLICATE, "the key \"%s\" occurs twice", again->text);
    assay_diag_hint(b->diag, "first at line %u", first->line);
    return ASSAY_DUPLICATE;
}

static enum assay_error attach(struct builder *b, struct assay_yaml *node)
{
    if (b->depth == 0) {
        b->root = node;
        return ASSAY_OK;
    }
    struct assay_yaml *parent = b->stack[b->depth - 1];
    size_t *items = &b->item_count[b->depth - 1];
    if (parent->type == ASSAY_YAML_MAP && *items % 2 == 0) {
        const enum assay_error error = check_key(b, *items, node);
        if (error != ASSAY_OK) {
            return error;
        }
    }
    parent->items = assay_arena_grow(&b->arena, parent->items, *items, &b->capacity[b->depth - 1],
                                     sizeof(struct assay_yaml *));
    if (parent->items == NULL) {
        return no_memory(b);
    }
    parent->items[(*items)++] = node;
    return ASSAY_OK;
}

static struct assay_yaml *new_node(struct builder *b, const yaml_event_t *event,
                                   enum assay_yaml_type type)
{
    struct assay_yaml *node = assay_arena_take(&b->arena, sizeof *node);
    if (node != NULL) {
        node->type = type;
        node->path = b->path;
        node->line = (uint32_t)event->start_mark.line + 1;
        node->column = (uint32_t)event->start_mark.column + 1;
    }
    return node;
}

static enum assay_error add_scalar(struct builder *b, const yaml_event_t *event)
{
    struct assay_yaml *node = new_node(b, event, ASSAY_YAML_SCALAR);
    if (node == NULL) {
        return no_memory(b);
    }
    node->length = event->data.scalar.length;
    node->text = assay_arena_text(&b->arena, (const char *)event->data.scalar.value, node->length);
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return node->text != NULL ? attach(b, node) : no_memory(b);
}

static enum assay_error begin(struct builder *b, const yaml_event_t *event,
                              enum assay_yaml_type type)
{
    struct assay_yaml *node = new_node(b, event, type);
    if (node == NULL) {
        return no_memory(b);
    }
    if (b->depth == ASSAY_YAML_MAX_DEPTH) {
        return assay_yaml_fail(node, b->diag, ASSAY_LIMIT,
                               "lists and mappings are nested more than %d deep",
                               ASSAY_YAML_MAX_DEPTH);
    }
    const enum assay_error error = attach(b, node);
    if (error == ASSAY_OK) {
        b->capacity[b->depth] = 0;
        b->item_count[b->depth] = 0;
        b->stack[b->depth++] = node;
    }
    return error;
}

static enum assay_error finish(struct builder *b)
{
    struct assay_yaml *node = b->stack[--b->depth];
    const size_t items = b->item_count[b->depth];
    node->count = node->type == ASSAY_YAML_MAP ? items / 2 : items;
    return node->type == ASSAY_YAML_MAP ? check_unique(b, node) : ASSAY_OK;
}

static enum assay_error refuse(struct builder *b, const yaml_event_t *event, const char *what)
{
    return assay_fail_at(b->diag, ASSAY_UNSUPPORTED, (uint32_t)event->start_mark.line + 1,
                         (uint32_t)event->start_mark.column + 1, "%s", what);
}

/* Anchors and tags of any node. */
static enum assay_error check_properties(struct builder *b, const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL;
    const yaml_char_t *tag = NULL;
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    if (anchor != NULL) {
        return refuse(b, event, "anchors are not supported here");
    }
    return tag != NULL ? refuse(b, event, "tags are not supported here") : ASSAY_OK;
}

static enum assay_error handle(struct builder *b, const yaml_event_t *event, bool *end)
{
    const enum assay_error error = check_properties(b, event);
    if (error != ASSAY_OK) {
        return error;
    }
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return add_scalar(b, event);
    case YAML_SEQUENCE_START_EVENT:
        return begin(b, event, ASSAY_YAML_LIST);
    case YAML_MAPPING_START_EVENT:
        return begin(b, event, ASSAY_YAML_MAP);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return finish(b);
    case YAML_ALIAS_EVENT:
        return refuse(b, event, "aliases are not supported here");
    case YAML_DOCUMENT_START_EVENT:
        return b->root == NULL ? ASSAY_OK : refuse(b, event, "a second document begins here");
    case YAML_STREAM_END_EVENT:
        *end = true;
        return ASSAY_OK;
    default:
        return ASSAY_OK;
    }
}

/* Bytes that are not text are reported by their offset only. */
static enum assay_error fail_reading(struct builder *b, const yaml_parser_t *parser,
                                     const char *text, size_t size)
{
    const size_t end = parser->problem_offset < size ? parser->problem_offset : size;
    uint32_t line = 1;
    uint32_t column = 1;
    for (size_t i = 0; i < end; i++) {
        line += text[i] == '\n';
        column = text[i] == '\n' ? 1 : column + 1;
    }
    return assay_fail_at(b->diag, ASSAY_SYNTAX, line, column, "%s",
                         parser->problem != NULL ? parser->problem : "not a text");
}

static enum assay_error fail_parsing(struct builder *b, const yaml_parser_t *parser,
                                     const char *text, size_t size)
{
    if (parser->error == YAML_MEMORY_ERROR) {
        return no_memory(b);
    }
    if (parser->error == YAML_READER_ERROR) {
        return fail_reading(b, parser, text, size);
    }
    return assay_fail_at(b->diag, ASSAY_SYNTAX, (uint32_t)parser->problem_mark.line + 1,
                         (uint32_t)parser->problem_mark.column + 1, "%s",
                         parser->problem != NULL ? parser->problem : "not YAML");
}

static enum assay_error build(struct builder *b, const char *text, size_t size)
{
    yaml_parser_t parser;
    if (yaml_parser_initialize(&parser) == 0) {
        return no_memory(b);
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    enum assay_error error = ASSAY_OK;
    for (bool end = false; error == ASSAY_OK && !end;) {
        yaml_event_t event;
        if (yaml_parser_parse(&parser, &event) == 0) {
            error = fail_parsing(b, &parser, text, size);
            break;
        }
        error = handle(b, &event, &end);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    if (error == ASSAY_OK && b->root == NULL) {
        error = assay_fail_at(b->diag, ASSAY_SYNTAX, 1, 1, "the file holds nothing");
    }
    return error;
}

enum assay_error assay_yaml_parse(const char *path, const char *text, size_t size,
                                  struct assay_yaml_file *file, struct assay_diag *diag)
{
    *file = (struct assay_yaml_file){0};
    struct builder b = {.diag = diag};
    struct assay_arena *kept = malloc(sizeof *kept);
    char *name = assay_arena_text(&b.arena, path, strlen(path));
    b.path = name;
    enum assay_error error =
        kept == NULL || name == NULL ? no_memory(&b)
        : size > ASSAY_YAML_MAX_BYTES
            ? assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                         "the file is larger than the %zu MiB that a YAML file may have here",
                         ASSAY_YAML_MAX_BYTES >> 20)
            : build(&b, text, size);
    assay_arena_free(&b.scratch);
    if (error != ASSAY_OK) {
        free(kept);
        assay_arena_free(&b.arena);
        *file = (struct assay_yaml_file){0};
        assay_diag_path(diag, path);
        return error;
    }
    *kept = b.arena;
    file->path = name;
    file->root = b.root;
    file->memory = kept;
    return ASSAY_OK;
}

/* Reads what is there of a file, up to ASSAY_YAML_MAX_BYTES and one more, into memory that grows
 * with it. False: there is no memory. */
static bool read_text(FILE *in, char **text, size_t *size)
{
    const size_t most = ASSAY_YAML_MAX_BYTES + 1;
    size_t capacity = 0;
    while (*size == capacity && capacity < most) {
        capacity = capacity == 0 ? 4096 : capacity < most / 4 ? 4 * capacity : most;
        char *more = realloc(*text, capacity);
        if (more == NULL) {
            return false;
        }
        *text = more;
        *size += fread(*text + *size, 1, capacity - *size, in);
    }
    return true;
}

enum assay_error assay_text_load(const char *path, char **text, size_t *size,
                                 struct assay_diag *diag)
{
    FILE *in = NULL;
    enum assay_error error = assay_file_open(path, &in, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    *text = NULL;
    *size = 0;
    if (!read_text(in, text, size)) {
        error = assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    } else if (ferror(in) != 0) {
        error = assay_fail(diag, ASSAY_READ_FAILED, ASSAY_NO_OFFSET, "cannot be read to its end");
    }
    fclose(in);
    if (error != ASSAY_OK) {
        free(*text);
    }
    return error;
}

enum assay_error assay_yaml_load(const char *path, struct assay_yaml_file *file,
                                 struct assay_diag *diag)
{
    char *text = NULL;
    size_t size = 0;
    *file = (struct assay_yaml_file){0};
    const enum assay_error error = assay_text_load(path, &text, &size, diag);
    if (error != ASSAY_OK) {
        assay_diag_path(diag, path);
        return error;
    }
    const enum assay_error parsed = assay_yaml_parse(path, text, size, file, diag);
    free(text);
    return parsed;
}

void assay_yaml_free(struct assay_yaml_file *file)
{
    struct assay_arena *arena = file->memory;
    if (arena != NULL) {
        assay_arena_free(arena);
        free(arena);
    }
    *file = (struct assay_yaml_file){0};
}
