#include "validator/compare/values.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { HEX_DIGITS = 16 };

/* "0x..." or "-0x...", with at most 64 bits. */
static bool number_of_text(const char *text, uint64_t *number)
{
    const bool negative = text[0] == '-';
    const char *digits = text + negative;
    if (strncmp(digits, "0x", 2) != 0) {
        return false;
    }
    digits += 2;
    const size_t count = strspn(digits, "0123456789abcdefABCDEF");
    if (count == 0 || count > HEX_DIGITS || digits[count] != '\0') {
        return false;
    }
    const uint64_t magnitude = strtoull(digits, NULL, 16);
    *number = negative ? 0 - magnitude : magnitude;
    return true;
}

bool assay_value_number(const json_t *value, uint64_t *number)
{
    if (json_is_boolean(value)) {
        *number = json_is_true(value);
        return true;
    }
    if (json_is_integer(value)) {
        *number = (uint64_t)json_integer_value(value);
        return true;
    }
    return json_is_string(value) && number_of_text(json_string_value(value), number);
}

bool assay_value_of_field(const struct assay_field *field, const json_t *value, uint64_t *number)
{
    return assay_value_number(value, number) ||
           (field != NULL && field->names != NULL && json_is_string(value) &&
            assay_enum_value(field->names, json_string_value(value), number));
}

bool assay_values_equal(const struct assay_field *field, const json_t *expected,
                        const json_t *found)
{
    uint64_t x = 0;
    uint64_t y = 0;
    if (assay_value_of_field(field, expected, &x) && assay_value_of_field(field, found, &y)) {
        return x == y;
    }
    if (field != NULL && field->type == ASSAY_BYTES && json_is_string(expected) &&
        json_is_string(found)) {
        return strcasecmp(json_string_value(expected), json_string_value(found)) == 0;
    }
    return json_equal(expected, found) != 0;
}
