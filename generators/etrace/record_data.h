/* The accesses of a record of the interface as data trace: requests after the packets of their
 * instruction, responses as they come. */
#ifndef ASSAY_GENERATORS_ETRACE_RECORD_DATA_H
#define ASSAY_GENERATORS_ETRACE_RECORD_DATA_H

#include "etrace/interface/record.h"
#include "generators/etrace/encoding.h"

struct record_data {
    struct etrace_encoding *encoding;
    const struct assay_parameter_values *values;
    bool filters;              /* which accesses are traced does not depend on the instructions */
    struct etrace_access held; /* its packet is due when those of its instruction were sent */
    struct record_request {
        struct etrace_access access; /* type NONE: there is none */
        bool traced;
    } request[ETRACE_DATA_INDEXES]; /* by id */
};

void record_data_open(struct record_data *data, struct etrace_encoding *encoding,
                      const struct assay_parameter_values *values);

/* The access and the response of a line, after what retired in it; `traced`: that is. */
void record_data_take(struct record_data *data, const struct etrace_block *block, bool traced);

/* Sends the packet that is held: a trap comes, or tracing ends. */
void record_data_flush(struct record_data *data);

#endif
