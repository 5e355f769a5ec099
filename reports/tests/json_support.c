#include "json_support.h"

#include <stdio.h>

#include "report_support.h"

json_t *json_read(const char *text)
{
    json_error_t error;
    json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (value == NULL) {
        fail_msg("line %d: %s\n%s", error.line, error.text, text);
    }
    return value;
}

void expect_matches(const json_t *value, const char *schema_path)
{
    json_t *schema = json_schema_load(schema_path);
    assert_non_null(schema);
    assert_true(json_matches(schema, schema, value, true));
    json_decref(schema);
}

json_t *json_written(const char *writer, const struct assay_results *results,
                     const char *schema_path)
{
    char *text = written(writer, results, &(struct assay_report_style){0});
    json_t *value = json_read(text);
    free(text);
    expect_matches(value, schema_path);
    return value;
}

const json_t *at(const json_t *value, const char *path)
{
    char part[64];
    while (*path != '\0') {
        const size_t length = strcspn(path, ".");
        assert_true(length < sizeof part);
        memcpy(part, path, length);
        part[length] = '\0';
        value = json_is_array(value) ? json_array_get(value, strtoul(part, NULL, 10))
                                     : json_object_get(value, part);
        path += length;
        path += *path == '.' ? 1 : 0;
    }
    return value;
}

void expect_text(const json_t *value, const char *path, const char *expected)
{
    const char *found = json_string_value(at(value, path));
    if (found == NULL) {
        fail_msg("%s is no text", path);
    }
    assert_string_equal(found, expected);
}

void expect_number(const json_t *value, const char *path, json_int_t expected)
{
    if (!json_is_integer(at(value, path))) {
        fail_msg("%s is no integer", path);
    }
    assert_int_equal(json_integer_value(at(value, path)), expected);
}

void expect_keys(const json_t *object, const char *expected)
{
    char keys[512] = "";
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)(uintptr_t)object, key, member)
    {
        strncat(keys, keys[0] != '\0' ? " " : "", sizeof keys - strlen(keys) - 1);
        strncat(keys, key, sizeof keys - strlen(keys) - 1);
    }
    assert_string_equal(keys, expected);
}
