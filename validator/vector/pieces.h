/* The streams of a capture while their bytes are put into it, piece by piece. For encode.c. */
#ifndef ASSAY_VALIDATOR_PIECES_H
#define ASSAY_VALIDATOR_PIECES_H

#include "validator/vector/vector.h"

/* The bytes of one stream. */
struct assay_pieces {
    const struct assay_vector_stream *stream;
    struct assay_sink bytes; /* all of them, in memory */
    size_t *ends;            /* of each event: where its bytes end */
    size_t event_count;
    size_t event; /* the one that the next byte is of; event_count: of none */
    size_t at;    /* so many bytes are put */
};

/* Puts what an item `stream: {id: .., events: ..}` says into the capture that `encoder` writes.
 * `list` has the pieces of all streams of the vector. What the sink of the encoder says is asked of
 * that: then `*written` is the error, and the result ASSAY_OK. */
enum assay_error assay_pieces_put(const struct assay_vector *capture, struct assay_pieces *list,
                                  const struct assay_yaml *item, struct assay_encoder *encoder,
                                  enum assay_error *written, struct assay_diag *diag);

/* An error when bytes of a stream are left that no item has put. */
enum assay_error assay_pieces_finish(const struct assay_vector *capture,
                                     const struct assay_pieces *list, struct assay_diag *diag);

/* Frees the list, which may be null. */
void assay_pieces_free(const struct assay_vector *capture, struct assay_pieces *list);

#endif
