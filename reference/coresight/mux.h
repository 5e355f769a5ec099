/* The formatter: puts the streams of several sources into frames, the reverse of the decoder. A
 * policy varies what the protocol leaves open. Private to the format. */
#ifndef ASSAY_CORESIGHT_MUX_H
#define ASSAY_CORESIGHT_MUX_H

#include "coresight/coresight.h"
#include "io/sink.h"

/* What a formatter may do besides what it has to: how often, in chances of 256 at each place where
 * it can be. All 0: as few bytes as possible. */
struct cs_policy {
    uint64_t seed;
    uint8_t repeat;    /* the id of the source is written again */
    uint8_t pad;       /* some bytes of no source */
    uint8_t half_sync; /* between two pairs of bytes of a frame */
    uint8_t full_sync; /* between two frames */
    uint8_t trigger;
    uint8_t flush; /* a flush response */
};

struct cs_mux {
    struct assay_sink *sink; /* borrowed */
    struct cs_policy policy;
    uint64_t random;
    uint8_t frame[CS_FRAME];
    unsigned fill;      /* bytes of the frame that are written, at most CS_SLOTS - 1 */
    unsigned continued; /* frames since the last id */
    uint8_t id;         /* the current source; CS_ID_UNKNOWN: its id has to be written */
};

/* Prepares a formatter; a null policy is one of all 0. */
void cs_mux_begin(struct cs_mux *mux, struct assay_sink *sink, const struct cs_policy *policy);

/* Adds bytes of a source. Those that do not fill a frame wait for more. `id` is below CS_IDS and
 * not CS_ID_NEVER. */
void cs_mux_put(struct cs_mux *mux, uint8_t id, const uint8_t *data, size_t size);

/* Completes the frame, if one has begun, with bytes of no source. What comes next has its id
 * written. */
void cs_mux_flush(struct cs_mux *mux);

#endif
