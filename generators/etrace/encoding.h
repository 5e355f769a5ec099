/* The reference encoder and the writer of its packets, as they are made for a stream. */
#ifndef ASSAY_GENERATORS_ETRACE_ENCODING_H
#define ASSAY_GENERATORS_ETRACE_ENCODING_H

#include "generators/etrace/from_execution.h"
#include "generators/etrace/unit_data.h"

struct etrace_encoding {
    struct etrace_unit *unit;
    struct etrace_data_unit data;
    bool traces_data; /* `data` is in use: the parameters are those of data trace */
    struct assay_encoder *encoder;
    uint64_t packets;       /* that were written */
    enum assay_error error; /* of writing them */
    struct assay_diag *diag;
};

/* Opens all; the packets of both units are written to the sink. ASSAY_NO_MEMORY, and what the
 * encoder says of the parameters. The encoding stays where it is until it is closed, also when this
 * fails; the diag is borrowed as long. */
enum assay_error etrace_encoding_open(struct etrace_encoding *encoding,
                                      const struct etrace_generate_options *options,
                                      struct assay_sink *sink, struct assay_diag *diag);

/* What an atomic access had as one of the two values from which it computed `stored` if `other` was
 * the other one; for most operations nothing can be said, and it is what was stored. */
uint64_t etrace_encoding_undo(unsigned operation, uint64_t stored, uint64_t other);

/* Closes both. `error` is that of making the stream; the result that, or else one of closing, or of
 * the sink. */
enum assay_error etrace_encoding_close(struct etrace_encoding *encoding, enum assay_error error,
                                       struct assay_sink *sink, struct assay_diag *diag);

#endif
