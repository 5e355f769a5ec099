/* When elements were executed: between which Timestamp elements. This matters where the memory of
 * the program changes in time. Then the layer `resolved` passes elements on when the
 * Timestamp after them is known, and emits a `period` with both times before them.
 *
 * A Timestamp is of its place: what precedes it was executed at or before that time, what follows
 * it at or after. After a Timestamp Marker the next Timestamp is of the place of the marker, or of
 * that of a later one, since trace units drop some: between the two it says nothing. A Timestamp of
 * 0 is none. */
#ifndef ASSAY_ETE_TIMESTAMP_WINDOW_H
#define ASSAY_ETE_TIMESTAMP_WINDOW_H

#include "ete/element_queue.h"

struct ete_periods {
    bool on;          /* the program's memory changes, and has times */
    uint64_t scanned; /* number in the queue up to which elements are in periods */
    uint64_t open;    /* number up to which all periods have ended */
    uint64_t last;    /* Timestamp, if `known` */
    bool known;
    unsigned markers; /* whose Timestamp has not come */
};

/* Whether a period begins after an element of this kind. */
bool ete_begins_period(const struct ete_queued *queued);

/* A period, to be put into the queue: where it begins, `at` the element. */
struct ete_queued ete_period_at(const struct ete_queued *at);

/* Ends the periods that the elements up to number `ready` end. Elements up to periods->open can
 * be passed on. If too many wait, or `at_end`, those that have begun end without a Timestamp. */
void ete_end_periods(struct ete_periods *periods, struct ete_queue *queue, uint64_t ready,
                     bool at_end);

#endif
