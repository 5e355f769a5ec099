/* Lists in the files of a certification. Private to validator/certify/. */
#ifndef ASSAY_CERTIFY_LISTS_H
#define ASSAY_CERTIFY_LISTS_H

#include "validator/certify/profile.h"

/* Adds the texts of the list `key` of a mapping, if it has one. A list that is empty, holds what is
 * no text, or a text twice, is an error. */
enum assay_error assay_certify_take_texts(const struct assay_yaml *map, const char *key,
                                          struct assay_arena *arena,
                                          struct assay_certify_texts *texts,
                                          struct assay_diag *diag);

/* The list `key` of mappings: null when it is absent, which is an error if it is `required`. */
enum assay_error assay_certify_list_of(const struct assay_yaml *map, const char *key, bool required,
                                       const struct assay_yaml **list, struct assay_diag *diag);

/* Refuses what is no mapping, or lacks nothing but has other keys than the known ones. */
enum assay_error assay_certify_mapping(const struct assay_yaml *map, const char *what,
                                       const char *const *known, struct assay_diag *diag);

/* The text of a file, kept in the arena. Errors name the file. */
enum assay_error assay_certify_text(const char *path, struct assay_arena *arena, const char **text,
                                    size_t *size, struct assay_diag *diag);

/* A digest that cannot be computed: memory is out, or OpenSSL is configured without it; either way
 * the run can go no further, and may be tried again. ASSAY_NO_MEMORY. */
enum assay_error assay_certify_no_digest(const char *why, struct assay_diag *diag);

#endif
