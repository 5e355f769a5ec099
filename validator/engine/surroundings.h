/* The events that are shown around a violation: those of its group (struct assay_kind, grouping),
 * and one on each side. Maintained for each layer of a stream, at almost no cost as long as there
 * are no findings. Private to validator/. */
#ifndef ASSAY_VALIDATOR_SURROUNDINGS_H
#define ASSAY_VALIDATOR_SURROUNDINGS_H

#include "common/arena.h"
#include "validator/engine/judge.h"

/* How many events at most are shown before the one of a finding, and after it. */
enum { ASSAY_SHOWN_BEFORE = 16, ASSAY_SHOWN_AFTER = 8 };

/* An event at the end of a block, which is gone when the next one of its layer comes. Most are
 * small: they are copied, and written as a line on request; of others the line is stored. */
struct assay_kept_event;

/* A finding whose group continues after its block. */
struct assay_open_finding;

struct assay_surroundings {
    const struct assay_format *format;
    struct assay_arena *arena; /* of the findings */
    bool grouped;              /* kinds of the layer open or close groups */
    /* The current block. */
    const struct assay_event *events;
    uint32_t count;
    struct assay_kept_event *kept; /* the last events of the blocks before, the latest last */
    size_t kept_count;
    struct assay_open_finding *open;
    size_t open_count, open_capacity;
};

/* For a layer of a format; false when memory is out. */
bool assay_surroundings_open(struct assay_surroundings *s, const struct assay_format *format,
                             unsigned layer, struct assay_arena *arena);

/* Begins a block: findings of the blocks before get their events that come only now. False, as
 * below, when memory is out. */
bool assay_surroundings_begin(struct assay_surroundings *s, const struct assay_event *events,
                              uint32_t count);

/* Sets what a finding shows: event number `at` of the block, and what is around it so far. */
bool assay_surroundings_show(struct assay_surroundings *s, struct assay_finding *finding,
                             uint32_t at);

/* A finding that is kept gets the events that the next blocks bring, if it lacks some. */
bool assay_surroundings_await(struct assay_surroundings *s, struct assay_finding *finding);

/* Ends the block. */
void assay_surroundings_end(struct assay_surroundings *s);

void assay_surroundings_close(struct assay_surroundings *s);

/* A copy of an event, as struct assay_finding has it; null when memory is out. */
const struct assay_event *assay_surroundings_copy(struct assay_arena *arena,
                                                  const struct assay_format *format,
                                                  const struct assay_event *event);

/* How many of its bytes such a copy has. */
size_t assay_surroundings_bytes(const struct assay_format *format, const struct assay_event *event);

#endif
