/* The reference encoder of data trace: accesses of retired instructions to packets (4.3, chapter
 * 7). All accesses are traced whose instructions are given. */
#ifndef ASSAY_GENERATORS_ETRACE_UNIT_DATA_H
#define ASSAY_GENERATORS_ETRACE_UNIT_DATA_H

#include "etrace/data/accesses.h"
#include "etrace/packets/data.h"

struct etrace_data_unit {
    uint64_t layout[ETRACE_PARAMETER_COUNT];
    struct etrace_data sent; /* what readers know of the packets so far */
    uint64_t compress;       /* DataCompress (table 2.2); 3 takes both in turns */
    uint64_t packets;
    void (*packet)(void *context, enum etrace_kind kind, const uint64_t *cells);
    void *context;
};

/* Takes the options that are among the values; DataCompress is 0 where it is not given. */
void etrace_data_unit_open(struct etrace_data_unit *unit,
                           const struct assay_parameter_values *values);

/* A packet of instruction trace was sent. */
void etrace_data_unit_follow(struct etrace_data_unit *unit, enum etrace_kind kind,
                             const uint64_t *cells);

/* Whether an access is split: its data come later. */
bool etrace_data_unit_splits(const struct etrace_data_unit *unit,
                             const struct etrace_access *access);

/* Sends the packet of an access, or of its request under the id of it, which must not be in use;
 * data that are not known are 0. Accesses of types OTHER and MANY are left out. */
void etrace_data_unit_put(struct etrace_data_unit *unit, const struct etrace_access *access);

/* Sends the response to an access that is split, whose request was sent: its status says whether it
 * failed. */
void etrace_data_unit_respond(struct etrace_data_unit *unit, const struct etrace_access *access);

#endif
