/* What a vector takes from the bases that it extends. For vector.c. */
#ifndef ASSAY_VALIDATOR_VECTOR_BASE_H
#define ASSAY_VALIDATOR_VECTOR_BASE_H

#include "validator/vector/vector.h"

/* The keys of a vector, and the keys of them that a base may have; null-terminated. */
extern const char *const assay_vector_keys[];
extern const char *const assay_vector_base_keys[];

/* Reads the base that the vector names, that base's own base, and so on, into vector->bases.
 * `files` may be null: then a vector that names a base is refused. */
enum assay_error assay_vector_open_bases(struct assay_vector *vector,
                                         const struct assay_vector_files *files,
                                         struct assay_diag *diag);

/* The value of a key: the vector's own, or else the one of the nearest base that has it, or null.
 */
const struct assay_yaml *assay_vector_inherited(const struct assay_vector *vector, const char *key);

/* Fills vector->trace: the events of the bases, changed as each `with` says, then the vector's;
 * null when none of them has a trace. */
enum assay_error assay_vector_join_trace(struct assay_vector *vector, struct assay_diag *diag);

#endif
