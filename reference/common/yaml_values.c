#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/arena.h"
#include "common/yaml.h"

const struct assay_yaml *assay_yaml_get(const struct assay_yaml *map, const char *key)
{
    if (map == NULL || map->type != ASSAY_YAML_MAP) {
        return NULL;
    }
    for (size_t i = 0; i < map->count; i++) {
        if (strcmp(map->items[2 * i]->text, key) == 0) {
            return map->items[2 * i + 1];
        }
    }
    return NULL;
}

bool assay_yaml_is(const struct assay_yaml *node, const char *text)
{
    return node != NULL && node->type == ASSAY_YAML_SCALAR && strlen(node->text) == node->length &&
           strcmp(node->text, text) == 0;
}

enum assay_error assay_yaml_take_text(const struct assay_yaml *map, const char *key, bool required,
                                      struct assay_arena *arena, const char **text,
                                      struct assay_diag *diag)
{
    const struct assay_yaml *node = assay_yaml_get(map, key);
    if (node == NULL && !required) {
        return ASSAY_OK;
    }
    if (node == NULL || node->type != ASSAY_YAML_SCALAR || node->length == 0) {
        return assay_yaml_fail(node != NULL ? node : map, diag, ASSAY_SYNTAX,
                               "\"%s\" is missing or is not a text", key);
    }
    if (node->text[strspn(node->text, " \t\r\n")] == '\0') {
        return assay_yaml_fail(node, diag, ASSAY_SYNTAX, "\"%s\" holds nothing but blanks", key);
    }
    *text = assay_arena_text(arena, node->text, node->length);
    return *text != NULL ? ASSAY_OK
                         : assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool assay_yaml_u64(const struct assay_yaml *node, uint64_t *value)
{
    if (node == NULL || node->type != ASSAY_YAML_SCALAR || node->quoted || node->length == 0 ||
        node->length > 40) {
        return false;
    }
    char digits[48];
    size_t n = 0;
    for (size_t i = 0; i < node->length; i++) {
        if (node->text[i] != '_') {
            digits[n++] = node->text[i];
        }
    }
    digits[n] = '\0';
    const bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    const char *first = hex ? digits + 2 : digits;
    if (*first == '\0' ||
        strspn(first, hex ? "0123456789abcdefABCDEF" : "0123456789") != strlen(first)) {
        return false;
    }
    errno = 0;
    *value = strtoull(first, NULL, hex ? 16 : 10);
    return errno == 0;
}

bool assay_yaml_is_number(const struct assay_yaml *node)
{
    if (node == NULL || node->type != ASSAY_YAML_SCALAR || node->quoted) {
        return false;
    }
    const char *end = node->text + node->length;
    const bool hex = node->length > 2 && node->text[0] == '0' && (node->text[1] | 0x20) == 'x';
    bool any = false;
    for (const char *c = node->text + (hex ? 2 : 0); c < end; c++) {
        if (*c != '_' && (hex ? hex_digit(*c) < 0 : *c < '0' || *c > '9')) {
            return false;
        }
        any = any || *c != '_';
    }
    return any;
}

bool assay_yaml_flag(const struct assay_yaml *node, bool *value)
{
    if (node == NULL || node->type != ASSAY_YAML_SCALAR || node->quoted) {
        return false;
    }
    *value = strcmp(node->text, "true") == 0;
    return *value || strcmp(node->text, "false") == 0;
}

enum assay_error assay_yaml_fail(const struct assay_yaml *node, struct assay_diag *diag,
                                 enum assay_error error, const char *format, ...)
{
    char message[sizeof diag->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    assay_fail_at(diag, error, node->line, node->column, "%s", message);
    assay_diag_path(diag, node->path);
    return error;
}

enum assay_error assay_yaml_only(const struct assay_yaml *map, const char *const *known,
                                 struct assay_diag *diag)
{
    if (map->type != ASSAY_YAML_MAP) {
        return assay_yaml_fail(map, diag, ASSAY_WRONG_TYPE, "a mapping is expected here");
    }
    for (size_t i = 0; i < map->count; i++) {
        const struct assay_yaml *key = map->items[2 * i];
        bool found = false;
        for (size_t k = 0; known[k] != NULL && !found; k++) {
            found = strcmp(known[k], key->text) == 0;
        }
        if (!found) {
            assay_yaml_fail(key, diag, ASSAY_UNKNOWN_NAME, "the key \"%s\" is not known here",
                            key->text);
            const char *near = assay_nearest(key->text, known);
            if (near != NULL) {
                assay_diag_hint(diag, "did you mean \"%s\"?", near);
            }
            return ASSAY_UNKNOWN_NAME;
        }
    }
    return ASSAY_OK;
}

enum { NEAREST_MAX = 63 };

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    const unsigned ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Whether two letters are the same, capital or not. */
static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Two neighbours that are the other way round. */
static bool transposed(const char *a, const char *b)
{
    return same_letter(a[0], b[1]) && same_letter(a[1], b[0]);
}

/* Distance of two names of at most NEAREST_MAX letters: how many letters are inserted, left out,
 * replaced, or exchanged with the next one (optimal string alignment). */
static unsigned distance(const char *a, const char *b)
{
    const size_t m = strlen(a);
    const size_t n = strlen(b);
    unsigned rows[3][NEAREST_MAX + 1] = {{0}}; /* of the letter of `a`, and of the two before it */
    for (unsigned j = 0; j <= n; j++) {
        rows[0][j] = j;
    }
    for (unsigned i = 1; i <= m; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i - 1) % 3];
        row[0] = i;
        for (unsigned j = 1; j <= n; j++) {
            row[j] =
                min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + !same_letter(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && transposed(&a[i - 2], &b[j - 2])) {
                const unsigned exchanged = rows[(i - 2) % 3][j - 2] + 1;
                row[j] = exchanged < row[j] ? exchanged : row[j];
            }
        }
    }
    return rows[m % 3][n];
}

struct assay_near assay_near_begin(const char *given)
{
    const size_t length = strlen(given);
    /* Of a name that is too long for a comparison nothing is near. */
    return (struct assay_near){.given = given,
                               .distance = length > NEAREST_MAX ? 0 : (unsigned)(length / 3) + 2};
}

void assay_near_try(struct assay_near *near, const char *name)
{
    if (near->distance == 0 || strlen(name) > NEAREST_MAX) {
        return;
    }
    const unsigned d = distance(near->given, name);
    if (d < near->distance) {
        near->distance = d;
        near->best = name;
    }
}

const char *assay_nearest(const char *given, const char *const *list)
{
    struct assay_near near = assay_near_begin(given);
    for (size_t i = 0; list[i] != NULL; i++) {
        assay_near_try(&near, list[i]);
    }
    return near.best;
}

bool assay_hex_bytes(const char *text, size_t length, uint8_t *out, size_t *size)
{
    int high = -1;
    *size = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == ' ' || text[i] == '\n' || text[i] == '\t') {
            if (high >= 0) {
                return false;
            }
            continue;
        }
        const int digit = hex_digit(text[i]);
        if (digit < 0) {
            return false;
        }
        if (high < 0) {
            high = digit;
        } else {
            out[(*size)++] = (uint8_t)(high << 4 | digit);
            high = -1;
        }
    }
    return high < 0;
}
