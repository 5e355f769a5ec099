/* Random mutated traces: records of a format's vectors, edited, mixed, damaged, encoded and decoded
 * again, so that a judge sees nothing that the decoder could not give it. The same seed gives the
 * same trace. */
#ifndef ASSAY_VALIDATOR_TESTS_RANDOM_TRACE_H
#define ASSAY_VALIDATOR_TESTS_RANDOM_TRACE_H

#include "validator/tests/vector_runner.h"

/* The recorded vectors of one format. */
struct trace_pool {
    const struct recorded **list;
    size_t count;
};

enum { RANDOM_TRACE_EVENTS = 96 };

struct random_trace {
    const struct recorded *base;                    /* lends facts, execution, profile */
    struct assay_event events[RANDOM_TRACE_EVENTS]; /* records to encode; owned */
    size_t count;
    const char *storage; /* or null: as the records say */
    bool stored;         /* the base's own bytes, with damage, in the place of records */
    uint16_t *readings;  /* by which it is judged; owned */
    uint64_t damage;     /* seed of what is done to the stored bytes; 0: nothing */
};

/* Makes a trace out of a vector of the pool, `base`, with records of others. */
void make_random_trace(struct random_trace *trace, const struct trace_pool *pool,
                       const struct recorded *base, uint64_t seed);

/* Takes a record out of the trace. */
void drop_record(struct random_trace *trace, size_t at);

/* What the decoder makes of the trace; the caller frees it (free_recorded). */
void record_random_trace(struct recorded *recorded, const struct random_trace *trace);

void free_random_trace(struct random_trace *trace);

#endif
