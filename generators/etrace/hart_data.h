/* The data side of the interface of a hart (4.3, 4.4): ids of loads that are split, when their
 * responses come, and the columns of the record. */
#ifndef ASSAY_GENERATORS_ETRACE_HART_DATA_H
#define ASSAY_GENERATORS_ETRACE_HART_DATA_H

#include "generators/etrace/unit_data.h"
#include "io/sink.h"

enum { HART_FLIGHTS = 16 };

/* A split access without its response. */
struct hart_flight {
    struct etrace_access access; /* type NONE: there is none */
    bool traced;                 /* its request is in the trace */
};

struct hart_data {
    const struct etrace_data_unit *unit;
    struct hart_flight flight[HART_FLIGHTS]; /* in order of retirement */
    unsigned count;
    unsigned ids;
    uint64_t random;
};

void hart_data_open(struct hart_data *hart, const struct etrace_data_unit *unit, uint64_t seed);

/* The response that comes as the access retires, or in a cycle without one, if `access` is null. It
 * then has its status, and is no longer in flight. */
struct hart_flight hart_data_respond(struct hart_data *hart, const struct etrace_access *access);

/* Gives a split access its id; afterwards it is in flight. */
void hart_data_number(const struct hart_data *hart, struct etrace_access *access);
void hart_data_depart(struct hart_data *hart, const struct etrace_access *access, bool traced);

/* The names of the columns, and their values in a line, each after a comma. `access` may be null.
 */
void hart_data_write_names(const struct hart_data *hart, struct assay_sink *sink);
void hart_data_write(const struct hart_data *hart, const struct etrace_access *access,
                     const struct hart_flight *response, struct assay_sink *sink);

#endif
