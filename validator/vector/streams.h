/* The streams that a vector gives for a capture: each is a vector in the vector. For vector.c. */
#ifndef ASSAY_VALIDATOR_STREAMS_H
#define ASSAY_VALIDATOR_STREAMS_H

#include "validator/vector/vector.h"

/* Reads the list `streams` of a vector whose format is known. */
enum assay_error assay_vector_read_streams(struct assay_vector *vector,
                                           const struct assay_vector_files *files,
                                           struct assay_diag *diag);

/* What a vector and a stream in it have in common: all but the version and the streams. `trace`
 * stays null when neither the file nor a base has one. */
enum assay_error assay_vector_read_content(struct assay_vector *vector,
                                           const struct assay_vector_files *files,
                                           struct assay_diag *diag);

#endif
