/* Where findings of a stream are in its input: in the capture that carries the stream, and in the
 * files that the input consists of. Private to validator/. */
#ifndef ASSAY_VALIDATOR_PLACES_H
#define ASSAY_VALIDATOR_PLACES_H

#include "validator/engine/session.h"

struct assay_source_parts;

struct assay_places {
    uint64_t *in_stream; /* of a carried stream: offsets of all retained findings, ascending,
                            each once */
    uint64_t *in_input;  /* where they are in the input */
    size_t count;
    bool unknown;                           /* where they are in the input could not be found */
    const struct assay_source_parts *parts; /* the input's files; null: offsets are of none */
};

/* Gathers the offsets of all findings of a session whose stream is carried by an input, and looks
 * them up by the carrier: `bytes` is a source of the input, which becomes the function's, or null
 * when it can no longer be read, which is ASSAY_READ_FAILED where there are findings. Other errors
 * are ASSAY_NO_MEMORY and those of the carrier's `locate`. After an error findings are still found,
 * as `unlocated`. */
enum assay_error assay_places_read(struct assay_places *places, const struct assay_session *session,
                                   const struct assay_carrier_ops *carrier, unsigned framing,
                                   struct assay_source *bytes, struct assay_diag *diag);

/* Sets offset, file and file_offset of a finding. */
void assay_places_find(const struct assay_places *places, struct assay_located_finding *placed);

void assay_places_free(struct assay_places *places);

#endif
