/* What tests ask of a JSON document. */
#ifndef ASSAY_REPORTS_TESTS_JSON_SUPPORT_H
#define ASSAY_REPORTS_TESTS_JSON_SUPPORT_H

#include "json_schema.h"
#include "reports/report.h"

/* The value of a text, which must be JSON. */
json_t *json_read(const char *text);

/* That a value is as the schema of a file says, and has nothing else. */
void expect_matches(const json_t *value, const char *schema_path);

/* What a writer writes, which must be as the schema says. */
json_t *json_written(const char *writer, const struct assay_results *results,
                     const char *schema_path);

/* The value at a path such as "inputs.0.path". */
const json_t *at(const json_t *value, const char *path);

void expect_text(const json_t *value, const char *path, const char *expected);
void expect_number(const json_t *value, const char *path, json_int_t expected);

/* The names of an object's members, in order. */
void expect_keys(const json_t *object, const char *expected);

#endif
