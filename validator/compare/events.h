/* Compares the events that a decoder writes (JSON Lines, schema assay-events/1) with those of the
 * reference decoder. */
#ifndef ASSAY_COMPARE_EVENTS_H
#define ASSAY_COMPARE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "model/model.h"

enum assay_difference {
    ASSAY_SAME,         /* what the decoder gives is what is expected */
    ASSAY_DIFFERENT,    /* at `layer`, event `index` */
    ASSAY_NO_EVENTS,    /* what it writes is not assay-events/1 */
    ASSAY_FAULT_MISSED, /* it goes on, or ends, where the reference decoder has a malformed event */
};

enum { ASSAY_COMPARED_TEXT = 1024, ASSAY_COMPARED_BEFORE = 3 };

struct assay_comparison {
    enum assay_difference difference;
    bool malformed;  /* the expected events have a malformed one in a layer that is given */
    uint64_t events; /* that were compared, and are the same */
    bool no_memory;  /* private */
    char layer[16];  /* of the difference */
    uint64_t index;  /* in it, from 0 */
    char what[256];  /* what differs */
    /* Both sides, as JSON: "" where there is none. Long ones are cut. */
    char expected[ASSAY_COMPARED_TEXT], found[ASSAY_COMPARED_TEXT];
    /* The expected events before it, the latest first, which are those of the decoder, too. */
    char before[ASSAY_COMPARED_BEFORE][ASSAY_COMPARED_TEXT];
};

/* Compares, of the layers of the format, those that the decoder's first line names. What is
 * compared: the order of events, their kinds, and their fields, but for `i`; `at` and `bits`, and
 * what the reference decoder derives, and constant fields, where the decoder gives them. The
 * decoder's own `derived` is not read. Its first line can name in `omits` fields, kinds and fields
 * of a kind (kind.field) that it never gives. After an expected malformed event nothing is
 * compared. Both files are read from their beginnings. ASSAY_NO_MEMORY; or the expected events are
 * not to be read. */
enum assay_error assay_events_compare(FILE *expected, FILE *found,
                                      const struct assay_format *format,
                                      struct assay_comparison *comparison, struct assay_diag *diag);

#endif
