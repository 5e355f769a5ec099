/* What the parts of the trace unit share: unit.c follows the execution, speculation.c invents wrong
 * paths. */
#ifndef ASSAY_GENERATORS_ETE_UNIT_PRIVATE_H
#define ASSAY_GENERATORS_ETE_UNIT_PRIVATE_H

#include "common/random.h"
#include "generators/ete/unit.h"

enum { ETE_UNIT_POSTPONED = 8 };

struct ete_unit {
    struct ete_unit_options options;
    struct assay_sink *sink;
    struct ete_writer *writer;
    enum assay_error error; /* the first one; nothing is written after it */
    struct assay_diag diag;
    uint64_t random;
    uint64_t elements;

    bool tracing;
    bool session_due; /* a Trace Info comes before the next Trace On */
    bool enter_due;   /* an exception was taken: the next address is said */
    uint64_t resume_at;
    uint64_t synced_at; /* bytes before the last A-sync */
    struct ete_unit_context context, shown;

    /* Addresses that returns go to, as the analyzer of the trace has them on top of its stack. */
    uint64_t stack[ETE_UNIT_STACK];
    unsigned stacked;

    uint64_t cycles; /* since the last Cycle Count */
    bool cycles_unknown;
    uint64_t time, timestamp;
    uint64_t since_timestamp; /* instructions */

    /* Instructions are numbered from 0 on. */
    uint64_t executed;
    uint64_t shown_end;     /* P0 elements so far show what was before this one, ... */
    uint64_t committed_end; /* ... those that are committed what was before this one */
    uint64_t lost_from;     /* while not tracing: what the trace does not show begins here */
    /* For each P0 element that is not committed the value of shown_end after it: a ring. */
    uint64_t ends[ETE_UNIT_DEPTH_MOST];
    uint64_t oldest;
    uint64_t depth;

    /* Branches that were not taken, and are said by the Source Address of the next one that is:
     * the values of shown_end after each. */
    uint64_t postponed[ETE_UNIT_POSTPONED];
    unsigned postponed_count;
};

/* True once in `times`; 0: never. */
static inline bool ete_unit_chance(struct ete_unit *u, uint64_t times)
{
    return times > 0 && assay_random_once_in(&u->random, times);
}

static inline uint64_t ete_unit_below(struct ete_unit *u, uint64_t limit)
{
    return assay_random_below(&u->random, limit);
}

/* Writes an element with the value of one cell; the second one writes the element as it is. */
void ete_unit_put(struct ete_unit *u, enum ete_kind kind, unsigned cell, uint64_t value);
void ete_unit_put_element(struct ete_unit *u, const struct ete_element *element);

/* A P0 element was written, which shows the instructions before `end`. */
void ete_unit_add_p0(struct ete_unit *u, uint64_t end);

/* Writes the atom of the instruction that was executed last, by which it was predicted, and if the
 * prediction was wrong, what corrects it. `explicit_target` is set where the target of an indirect
 * branch has to be said. */
void ete_unit_speculate(struct ete_unit *u, const struct ete_executed_p0 *p0,
                        bool *explicit_target);

#endif
