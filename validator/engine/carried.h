/* The streams that a capture carries. Private to validator/. */
#ifndef ASSAY_VALIDATOR_CARRIED_H
#define ASSAY_VALIDATOR_CARRIED_H

#include "validator/engine/input.h"

/* Judges streams of a capture, on as many threads as are the input's, and adds their results in the
 * order of the ids; then those that were announced and are not among them, as not judged. So the
 * result does not depend on the threads. Errors as for assay_stream_add. */
enum assay_error assay_carried_run(struct assay_input_run *input, const uint32_t *ids,
                                   size_t count);

#endif
