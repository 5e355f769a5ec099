/* Configuration files: YAML, lines NAME=VALUE, and syntaxes of formats. */
#include <stdlib.h>
#include <string.h>

#include "common/yaml.h"
#include "model/parameters.h"

enum { LINE_MAX_BYTES = 1024 };

/* The file to which values that are set from now on belong. */
static enum assay_error begin_file(struct assay_parameter_values *values, const char *path,
                                   struct assay_diag *diag)
{
    if (values->file_count == ASSAY_PARAMETER_FILES) {
        assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "a stream is configured by at most %d files",
                   ASSAY_PARAMETER_FILES);
        return ASSAY_LIMIT;
    }
    struct assay_diag shortened = {0}; /* cuts the name as messages do */
    assay_diag_path(&shortened, path);
    char *name = values->files[values->file_count++];
    _Static_assert(ASSAY_PARAMETER_PATH_MAX == sizeof shortened.path, "both are cut alike");
    memcpy(name, shortened.path, sizeof shortened.path);
    return ASSAY_OK;
}

static enum assay_error with_path(enum assay_error error, const char *path, struct assay_diag *diag)
{
    if (error != ASSAY_OK) {
        assay_diag_path(diag, path);
    }
    return error;
}

/* --- YAML --- */

static enum assay_error read_map(struct assay_parameter_values *values,
                                 const struct assay_yaml *map, struct assay_diag *diag)
{
    if (map->type != ASSAY_YAML_MAP) {
        return assay_yaml_fail(map, diag, ASSAY_WRONG_TYPE,
                               "a mapping of parameters to values is expected here");
    }
    for (size_t i = 0; i < map->count; i++) {
        const struct assay_yaml *key = map->items[2 * i];
        const struct assay_yaml *value = map->items[2 * i + 1];
        if (value->type != ASSAY_YAML_SCALAR) {
            return assay_yaml_fail(value, diag, ASSAY_WRONG_TYPE, "%s is one value", key->text);
        }
        const struct assay_parameter_setting setting = {.name = key->text,
                                                        .line = key->line,
                                                        .column = key->column,
                                                        .text = value->text,
                                                        .text_line = value->line,
                                                        .text_column = value->column,
                                                        .quoted = value->quoted};
        const enum assay_error error = assay_parameter_configure(values, &setting, diag);
        if (error != ASSAY_OK) {
            return error;
        }
    }
    return ASSAY_OK;
}

enum assay_error assay_parameters_read(struct assay_parameter_values *values, const char *path,
                                       const struct assay_yaml *map, struct assay_diag *diag)
{
    enum assay_error error = begin_file(values, path, diag);
    if (error == ASSAY_OK) {
        error = read_map(values, map, diag);
    }
    return with_path(error, path, diag);
}

static enum assay_error read_yaml(struct assay_parameter_values *values, const char *path,
                                  const char *text, size_t size, struct assay_diag *diag)
{
    struct assay_yaml_file file;
    enum assay_error error = assay_yaml_parse(path, text, size, &file, diag);
    if (error == ASSAY_OK) {
        error = read_map(values, file.root, diag);
        assay_yaml_free(&file);
    }
    return error;
}

/* --- lines NAME=VALUE --- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Cuts blanks off both ends of text[*first..*end). */
static void strip(const char *text, size_t *first, size_t *end)
{
    while (*first < *end && is_blank(text[*first])) {
        (*first)++;
    }
    while (*end > *first && is_blank(text[*end - 1])) {
        (*end)--;
    }
}

/* One line, without its end and what is a comment. */
static enum assay_error read_line(struct assay_parameter_values *values, const char *text,
                                  size_t length, uint32_t line, struct assay_diag *diag)
{
    size_t first = 0;
    size_t end = length;
    strip(text, &first, &end);
    if (first == end || text[first] == '[') {
        return ASSAY_OK;
    }
    const uint32_t column = (uint32_t)first + 1;
    if (end > LINE_MAX_BYTES) {
        return assay_fail_at(diag, ASSAY_LIMIT, line, column, "the line has more than %d bytes",
                             LINE_MAX_BYTES);
    }
    char copy[LINE_MAX_BYTES + 1];
    memcpy(copy, text, end);
    copy[end] = '\0';
    const char *equals = memchr(copy, '=', end);
    if (equals == NULL || strlen(copy) != end) {
        return assay_fail_at(diag, ASSAY_SYNTAX, line, column, "a line has to be NAME=VALUE");
    }
    size_t name_end = (size_t)(equals - copy);
    size_t value = name_end + 1;
    strip(copy, &first, &name_end);
    strip(copy, &value, &end);
    if (first == name_end || value == end) {
        return assay_fail_at(diag, ASSAY_SYNTAX, line, column, "a line has to be NAME=VALUE");
    }
    copy[name_end] = '\0';
    const struct assay_parameter_setting setting = {.name = copy + first,
                                                    .line = line,
                                                    .column = column,
                                                    .text = copy + value,
                                                    .text_line = line,
                                                    .text_column = (uint32_t)value + 1};
    return assay_parameter_configure(values, &setting, diag);
}

/* The name that a line gives a value, without the blanks around it; of *length bytes, 0 for none.
 */
static const char *name_of_line(const char *text, size_t size, size_t *length)
{
    const char *equals = memchr(text, '=', size);
    size_t first = 0;
    *length = equals != NULL ? (size_t)(equals - text) : 0;
    strip(text, &first, length);
    *length -= first;
    return text + first;
}

/* A name whose value is not kept can occur once, as any other. `text` ends where its line begins.
 */
static enum assay_error check_again(const char *text, size_t size, const char *name, size_t length,
                                    uint32_t line, struct assay_diag *diag)
{
    uint32_t before = 1;
    for (size_t at = 0; at < size; before++) {
        const char *newline = memchr(text + at, '\n', size - at); /* each line has one */
        const size_t end = (size_t)(newline - text);
        size_t other_length = 0;
        const char *other = name_of_line(text + at, end - at, &other_length);
        if (other_length == length && memcmp(other, name, length) == 0) {
            assay_fail_at(diag, ASSAY_DUPLICATE, line, (uint32_t)(name - (text + size)) + 1,
                          "%.*s occurs twice", (int)length, name);
            assay_diag_hint(diag, "first at line %u", before);
            return ASSAY_DUPLICATE;
        }
        at = end + 1;
    }
    return ASSAY_OK;
}

/* The names of which nothing is kept are few, so that lines are looked through again few times. */
static bool is_ignored(const struct assay_parameter_values *values, const char *name, size_t length)
{
    char copy[64];
    if (length >= sizeof copy) {
        return false;
    }
    memcpy(copy, name, length);
    copy[length] = '\0';
    return assay_parameter_is_ignored(values->table, copy);
}

static enum assay_error read_lines(struct assay_parameter_values *values, const char *path,
                                   const char *text, size_t size, struct assay_diag *diag)
{
    (void)path;
    enum assay_error error = ASSAY_OK;
    uint32_t line = 1;
    for (size_t at = 0; at < size && error == ASSAY_OK; line++) {
        const char *newline = memchr(text + at, '\n', size - at);
        const size_t end = newline != NULL ? (size_t)(newline - text) : size;
        size_t length = 0;
        while (at + length < end && text[at + length] != '#' && text[at + length] != ';') {
            length++;
        }
        size_t name_length = 0;
        const char *name = name_of_line(text + at, length, &name_length);
        error = read_line(values, text + at, length, line, diag);
        if (error == ASSAY_OK && is_ignored(values, name, name_length)) {
            error = check_again(text, at, name, name_length, line, diag);
        }
        at = end + 1;
    }
    return error;
}

enum assay_error assay_parameters_lines(struct assay_parameter_values *values, const char *path,
                                        const char *text, size_t size, struct assay_diag *diag)
{
    enum assay_error error = begin_file(values, path, diag);
    if (error == ASSAY_OK) {
        error = read_lines(values, path, text, size, diag);
    }
    return with_path(error, path, diag);
}

/* --- files --- */

static bool has_extension(const char *path, const char *const *extensions)
{
    const size_t length = strlen(path);
    for (size_t i = 0; extensions[i] != NULL; i++) {
        const size_t tail = strlen(extensions[i]);
        if (length > tail && strcmp(path + length - tail, extensions[i]) == 0) {
            return true;
        }
    }
    return false;
}

static const struct assay_parameter_syntax *syntax_of(const struct assay_parameter_table *table,
                                                      const char *path)
{
    static const char *const lines_extensions[] = {".cfg", ".scf", NULL};
    static const struct assay_parameter_syntax lines = {"NAME=VALUE", lines_extensions, read_lines};
    static const char *const none[] = {NULL};
    static const struct assay_parameter_syntax yaml = {"YAML", none, read_yaml};
    for (size_t i = 0; i < table->syntax_count; i++) {
        if (has_extension(path, table->syntaxes[i].extensions)) {
            return &table->syntaxes[i];
        }
    }
    return has_extension(path, lines_extensions) ? &lines : &yaml;
}

/* Lines that are read as YAML, since their file is not named as one of lines. */
static void explain_lines(const char *text, size_t size, struct assay_diag *diag)
{
    if (diag != NULL && diag->hint[0] == '\0' && memchr(text, '=', size) != NULL) {
        assay_diag_hint(diag, "this is read as YAML; lines NAME=VALUE are read from a file whose "
                              "name ends in .cfg");
    }
}

enum assay_error assay_parameters_load(struct assay_parameter_values *values, const char *path,
                                       struct assay_diag *diag)
{
    char *text = NULL;
    size_t size = 0;
    enum assay_error error = assay_text_load(path, &text, &size, diag);
    if (error == ASSAY_OK) {
        error = size > ASSAY_YAML_MAX_BYTES
                    ? assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                                 "the file is larger than %zu MiB", ASSAY_YAML_MAX_BYTES >> 20)
                    : begin_file(values, path, diag);
        if (error == ASSAY_OK) {
            const struct assay_parameter_syntax *syntax = syntax_of(values->table, path);
            error = syntax->read(values, path, text, size, diag);
            if (error != ASSAY_OK && syntax->read == read_yaml) {
                explain_lines(text, size, diag);
            }
        }
        free(text);
    }
    return with_path(error, path, diag);
}
