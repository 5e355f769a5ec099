#include "json_schema.h"

#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 1024 };
static const char definitions[] = "#/$defs/";

/* Makes references to other files local; names the file, or leaves it as it was. */
static void make_local(json_t *value, char *file, size_t size)
{
    const char *key;
    json_t *member;
    size_t i;
    json_array_foreach(value, i, member)
    {
        make_local(member, file, size);
    }
    json_object_foreach(value, key, member)
    {
        const char *text = json_string_value(member);
        const char *local = text != NULL ? strstr(text, definitions) : NULL;
        if (strcmp(key, "$ref") == 0 && local != NULL && local != text) {
            snprintf(file, size, "%.*s", (int)(local - text), text);
            json_object_set_new(value, key, json_string(local));
        } else {
            make_local(member, file, size);
        }
    }
}

json_t *json_schema_load(const char *path)
{
    char name[PATH / 2] = "";
    char other[PATH];
    json_error_t error;
    json_t *schema = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    make_local(schema, name, sizeof name);
    if (schema != NULL && name[0] != '\0') {
        const char *slash = strrchr(path, '/');
        const int folder = slash != NULL ? (int)(slash - path) + 1 : 0;
        snprintf(other, sizeof other, "%.*s%s", folder, path, name);
        json_t *lent = json_load_file(other, JSON_REJECT_DUPLICATES, &error);
        json_t *own = json_object_get(schema, "$defs");
        if (own == NULL) {
            own = json_object();
            json_object_set_new(schema, "$defs", own);
        }
        json_object_update_missing(own, json_object_get(lent, "$defs"));
        json_decref(lent);
    }
    return schema;
}

static bool fault(const char *what, const json_t *schema, const json_t *value)
{
    char *expected = json_dumps(schema, JSON_ENCODE_ANY | JSON_COMPACT);
    char *found = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    fprintf(stderr, "%s\n  expected %s\n  found    %.300s\n", what, expected, found);
    free(expected);
    free(found);
    return false;
}

static bool is_type(const char *type, const json_t *value)
{
    return (strcmp(type, "object") == 0 && json_is_object(value)) ||
           (strcmp(type, "array") == 0 && json_is_array(value)) ||
           (strcmp(type, "string") == 0 && json_is_string(value)) ||
           (strcmp(type, "integer") == 0 && json_is_integer(value)) ||
           (strcmp(type, "number") == 0 && json_is_number(value)) ||
           (strcmp(type, "boolean") == 0 && json_is_boolean(value)) ||
           (strcmp(type, "null") == 0 && json_is_null(value));
}

static bool type_matches(const json_t *type, const json_t *value)
{
    size_t i;
    json_t *one;
    json_array_foreach(type, i, one)
    {
        if (is_type(json_string_value(one), value)) {
            return true;
        }
    }
    return json_is_string(type) && is_type(json_string_value(type), value);
}

static bool pattern_matches(const char *pattern, const char *text)
{
    regex_t regex;
    if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0) {
        return false;
    }
    const bool matches = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return matches;
}

static bool in_list(const json_t *list, const json_t *value)
{
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one)
    {
        if (json_equal(one, value)) {
            return true;
        }
    }
    return false;
}

static bool any_matches(const json_t *root, const json_t *list, const json_t *value, bool closed)
{
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one)
    {
        /* Only what has the right type is checked against a schema, so that no fault is told of the
         * others. */
        const char *reference = json_string_value(json_object_get(one, "$ref"));
        const json_t *type = json_object_get(one, "type");
        const bool fits = reference != NULL ? json_is_string(value) : type_matches(type, value);
        if (fits && json_matches(root, one, value, closed)) {
            return true;
        }
    }
    return false;
}

static bool members_match(const json_t *root, const json_t *schema, const json_t *value,
                          bool closed)
{
    const json_t *properties = json_object_get(schema, "properties");
    const json_t *others = json_object_get(schema, "additionalProperties");
    const char *key;
    json_t *member;
    size_t i;
    json_array_foreach(json_object_get(schema, "required"), i, member)
    {
        if (json_object_get(value, json_string_value(member)) == NULL) {
            return fault(json_string_value(member), schema, value);
        }
    }
    json_object_foreach((json_t *)(uintptr_t)value, key, member)
    {
        const json_t *rule = json_object_get(properties, key);
        rule = rule != NULL ? rule : others;
        if (rule == NULL && closed) {
            return fault(key, schema, value);
        }
        if (rule != NULL && !json_matches(root, rule, member, closed)) {
            return false;
        }
    }
    return true;
}

/* Whether there are fewer than the schema wants. */
static bool lacks(const json_t *schema, const char *keyword, size_t count)
{
    return count < (size_t)json_integer_value(json_object_get(schema, keyword));
}

bool json_matches(const json_t *root, const json_t *schema, const json_t *value, bool closed)
{
    if (json_is_true(schema)) {
        return true; /* anything is allowed there */
    }
    const char *reference = json_string_value(json_object_get(schema, "$ref"));
    const json_t *type = json_object_get(schema, "type");
    const json_t *constant = json_object_get(schema, "const");
    const json_t *list = json_object_get(schema, "enum");
    const json_t *any = json_object_get(schema, "anyOf");
    const json_t *least = json_object_get(schema, "minimum");
    const char *pattern = json_string_value(json_object_get(schema, "pattern"));
    if (reference != NULL) {
        const json_t *target =
            json_object_get(json_object_get(root, "$defs"), reference + sizeof definitions - 1);
        return target != NULL ? json_matches(root, target, value, closed)
                              : fault("no such definition", schema, value);
    }
    if ((type != NULL && !type_matches(type, value)) ||
        (constant != NULL && !json_equal(constant, value)) ||
        (list != NULL && !in_list(list, value)) ||
        (any != NULL && !any_matches(root, any, value, closed)) ||
        (least != NULL && json_is_integer(value) &&
         json_integer_value(value) < json_integer_value(least)) ||
        (json_is_array(value) && lacks(schema, "minItems", json_array_size(value))) ||
        (json_is_object(value) && lacks(schema, "minProperties", json_object_size(value))) ||
        (pattern != NULL && json_is_string(value) &&
         !pattern_matches(pattern, json_string_value(value)))) {
        return fault("a value is not as the schema says", schema, value);
    }
    size_t i;
    json_t *item;
    json_array_foreach(value, i, item)
    {
        const json_t *items = json_object_get(schema, "items");
        if (items != NULL && !json_matches(root, items, item, closed)) {
            return false;
        }
    }
    return !json_is_object(value) || members_match(root, schema, value, closed);
}
