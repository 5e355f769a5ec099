/* The reference encoder and the writer of its packets, as they are made for a stream. */
#ifndef ASSAY_GENERATORS_ETRACE_ENCODING_H
#define ASSAY_GENERATORS_ETRACE_ENCODING_H

#include "generators/etrace/from_execution.h"

struct etrace_encoding {
    struct etrace_unit *unit;
    struct assay_encoder *encoder;
};

/* Opens both; the unit gives packets to `packet`, which puts them to the encoder. ASSAY_NO_MEMORY,
 * and what the encoder says of the parameters. To be closed also when it fails. */
enum assay_error
etrace_encoding_open(struct etrace_encoding *encoding,
                     const struct etrace_generate_options *options,
                     void (*packet)(void *context, enum etrace_kind kind, const uint64_t *cells),
                     void *context, struct assay_sink *sink, struct assay_diag *diag);

/* Closes both. `error` is that of making the stream; the result that, or else one of closing, or of
 * the sink. */
enum assay_error etrace_encoding_close(struct etrace_encoding *encoding, enum assay_error error,
                                       struct assay_sink *sink, struct assay_diag *diag);

#endif
