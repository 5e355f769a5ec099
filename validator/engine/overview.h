/* An overview of a stream: how many events of each kind are in which part of it, and the values of
 * the fields that the format's tables call tracks. Its size depends on neither the length of the
 * stream nor the number of its events.
 */
#ifndef ASSAY_VALIDATOR_OVERVIEW_H
#define ASSAY_VALIDATOR_OVERVIEW_H

#include "common/arena.h"
#include "model/model.h"

/* The most intervals that a stream is divided into. Each is 2^shift bytes; when an event comes that
 * is beyond the last one, pairs of them are joined. */
enum { ASSAY_INTERVALS = 256 };

/* The greatest shift: by it every offset is in an interval. */
enum { ASSAY_MOST_SHIFT = 56 };

/* The values of a track in an interval. */
struct assay_track_values {
    uint64_t count; /* of events that have the field; the others are 0 if this is */
    uint64_t least;
    uint64_t most;
    uint64_t last;
    uint64_t sum; /* modulo 2^64 */
};

/* The fields of one name of the kinds of a layer. */
struct assay_track {
    const struct assay_field *field; /* of the first of these kinds */
    unsigned layer;
};

/* The most tracks that a stream has; further ones are left out. */
enum { ASSAY_MOST_TRACKS = 16 };

/* Those of a format, in the order of its tables; how many. */
size_t assay_tracks_of(const struct assay_format *format,
                       struct assay_track tracks[ASSAY_MOST_TRACKS]);

struct assay_overview {
    unsigned shift;        /* an interval is 2^shift bytes of the decoded stream */
    size_t interval_count; /* up to that of the last event */
    const uint16_t *kinds; /* that occur, in ascending order */
    size_t kind_count;
    const uint64_t *counts; /* events of kinds[n] in interval i: counts[n * interval_count + i] */
    const struct assay_track *tracks; /* that occur, in the order of assay_tracks_of */
    size_t track_count;
    const struct assay_track_values *values; /* of a track and an interval, in the same way */
};

/* Makes an overview. Only opening and ending allocate. */
struct assay_sampler;

/* Null when memory is out. */
struct assay_sampler *assay_sampler_open(const struct assay_format *format);

/* Events are placed by their offsets, in any order. */
void assay_sampler_add(struct assay_sampler *sampler, const struct assay_block *block);

/* The overview of the events so far, in the arena. Null when memory is out. */
const struct assay_overview *assay_sampler_end(const struct assay_sampler *sampler,
                                               struct assay_arena *arena);

/* Allowed for null. */
void assay_sampler_close(struct assay_sampler *sampler);

/* A copy in another arena; null when memory is out. */
const struct assay_overview *assay_overview_copy(const struct assay_overview *overview,
                                                 struct assay_arena *arena);

#endif
