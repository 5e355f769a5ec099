/* Reads JSON texts by jansson, in a way that holds when memory is out. Jansson's loader then goes
 * on with a name or a text that lacks a character, so that another value is read than is there, or
 * frees what it never allocated. So its functions that allocate do not return to it when they fail:
 * reading ends at once, and what was allocated for it is freed. */
#ifndef ASSAY_REPORTS_JSON_LOAD_H
#define ASSAY_REPORTS_JSON_LOAD_H

#include <jansson.h>

#include "common/error.h"

/* Has jansson allocate by such functions, in the whole process. A program calls it once, before it
 * has threads and values of jansson; without it only those failures are noticed that jansson tells
 * of, as in a program that uses the library. */
void assay_json_guard_memory(void);

/* A value, which becomes the caller's. ASSAY_NO_MEMORY; otherwise ASSAY_SYNTAX, with `wrong`. */
enum assay_error assay_json_load(const char *text, size_t size, size_t flags, json_t **value,
                                 json_error_t *wrong);

/* The same of a file; ASSAY_NOT_READABLE, with the reason in wrong->text, if it cannot be opened.
 */
enum assay_error assay_json_load_file(const char *path, size_t flags, json_t **value,
                                      json_error_t *wrong);

#endif
