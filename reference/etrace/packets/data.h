/* What data packets come to by those before them: addresses and data that are sent as differences
 * or by exclusive or, and requests without response (7.1.3, 4.3). */
#ifndef ASSAY_ETRACE_DATA_H
#define ASSAY_ETRACE_DATA_H

#include "etrace/etrace.h"

enum {
    ETRACE_DATA_SIZES = 16,        /* logarithms of sizes that a packet can have */
    ETRACE_DATA_WORDS = 8,         /* of 64 bits, of the widest data */
    ETRACE_DATA_INDEXES = 1 << 10, /* of requests */
    ETRACE_CSR_BITS = 12           /* of the number of a CSR */
};

/* The last address and data of one size. */
struct etrace_last {
    uint64_t location, value[ETRACE_DATA_WORDS];
    bool location_known, value_known;
    bool address_sent, data_sent; /* since the last synchronisation packet */
};

/* A request, by its index. */
struct etrace_request {
    uint64_t location;
    uint8_t pending; /* enum etrace_pending */
    uint8_t size;    /* logarithm of its bytes */
    bool location_known;
};

struct etrace_data {
    struct etrace_last of_size[ETRACE_DATA_SIZES];
    struct etrace_last of_csrs; /* the number of the last one; its data are of a size */
    struct etrace_request request[ETRACE_DATA_INDEXES];
    uint64_t outstanding; /* requests without response */
    bool begun;           /* a packet came */
    bool synchronised;    /* a synchronisation packet came, and nothing was lost since */
};

/* Nothing is known yet. */
void etrace_data_open(struct etrace_data *data);

/* Takes what is known from a packet of any kind, and writes the derived values of a data packet. */
void etrace_data_follow(struct etrace_data *data, enum etrace_kind kind, const uint64_t *layout,
                        uint64_t *cells);

/* Data packets are missing, or could not be understood: nothing is known any more. */
void etrace_data_lose(struct etrace_data *data);

/* Logarithm of the bytes of the atomic access that is pending under an index; `otherwise` when none
 * is known to be. */
uint64_t etrace_data_atomic_size(const struct etrace_data *data, uint64_t index,
                                 uint64_t otherwise);

#endif
