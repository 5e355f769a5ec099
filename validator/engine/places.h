/* Where findings of a carried stream are in the input that carries it. Private to validator/. */
#ifndef ASSAY_VALIDATOR_PLACES_H
#define ASSAY_VALIDATOR_PLACES_H

#include "validator/engine/input.h"

struct assay_places {
    uint64_t *in_stream; /* offsets of all retained findings, ascending, each once */
    uint64_t *in_input;  /* where they are in the input */
    size_t count;
};

/* Of all findings of a stream of an input. For a stream that is the input itself there is nothing
 * to find out. ASSAY_NO_MEMORY is the only error. */
enum assay_error assay_places_read(struct assay_places *places, struct assay_input_run *run,
                                   size_t stream);

/* Where a byte of the stream is in the input. */
uint64_t assay_places_find(const struct assay_places *places, uint64_t offset);

void assay_places_free(struct assay_places *places);

#endif
