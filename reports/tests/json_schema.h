/* As much of JSON Schema as the schemas of reports use, so that writer and schema cannot part. */
#ifndef ASSAY_REPORTS_TESTS_JSON_SCHEMA_H
#define ASSAY_REPORTS_TESTS_JSON_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>

/* The schema of a file, or null. References to the definitions of another file of its folder,
 * "FILE#/$defs/NAME", are resolved: they become the schema's own. */
json_t *json_schema_load(const char *path);

/* Whether a value is as the schema says. With `closed` members that the schema does not name are
 * faults too. The first fault is told on standard error. */
bool json_matches(const json_t *root, const json_t *schema, const json_t *value, bool closed);

#endif
