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

/* In what two events differ. */
enum assay_aspect {
    ASSAY_IN_OUTPUT,         /* no two events: what is written is none */
    ASSAY_IN_KIND,           /* `kind` is due */
    ASSAY_IN_FIELD,          /* the value of `field` of `kind` */
    ASSAY_IN_ABSENT_FIELD,   /* the decoder does not give `field` of `kind` */
    ASSAY_IN_UNKNOWN_FIELD,  /* it gives `field`, which `kind` does not have */
    ASSAY_IN_ABSENT_EVENT,   /* it ends before `kind` */
    ASSAY_IN_SURPLUS_EVENT,  /* it goes on with `kind` after the last event */
    ASSAY_IN_UNNOTICED_FAULT /* `field` is the code of the malformed event */
};

enum { ASSAY_COMPARED_TEXT = 640, ASSAY_COMPARED_VALUE = 64, ASSAY_COMPARED_BEFORE = 3 };

/* An event as JSON, the field that differs behind its kind, without derived fields, number and
 * layer; "" where there is none. A long one is cut. */
struct assay_compared_event {
    char text[ASSAY_COMPARED_TEXT];
    unsigned mark, marked;            /* where the field that differs stands, and its bytes */
    char value[ASSAY_COMPARED_VALUE]; /* of it, for people */
};

struct assay_comparison {
    enum assay_difference difference;
    enum assay_aspect aspect;
    bool malformed;  /* the expected events have a malformed one in a layer that is given */
    bool refused;    /* the decoder says in its last line that it refuses the trace */
    bool no_memory;  /* private */
    bool numbered;   /* ASSAY_IN_FIELD: both values are numbers, which are in `numbers` */
    uint64_t events; /* that were compared, and are the same */
    char layer[16];  /* of the difference */
    uint64_t index;  /* in it, from 0 */
    char kind[48], field[64];
    uint64_t numbers[2]; /* expected, found */
    char what[256];      /* what differs */
    char why[160];       /* of a refusal, as the decoder says it */
    struct assay_compared_event expected, found;
    /* The expected events before it, the latest first, which are those of the decoder, too. */
    char before[ASSAY_COMPARED_BEFORE][ASSAY_COMPARED_TEXT];
};

/* Compares, of the layers of the format, those that the decoder's first line names, or of these
 * `layer` alone, where it is not null. What is compared: the order of events, their kinds, and
 * their fields, but for `i`; `at` and `bits`, and what the reference decoder derives, and constant
 * fields, where the decoder gives them. The decoder's own `derived` is not read. Its first line can
 * name in `omits` fields, kinds and fields of a kind (kind.field) that it never gives, and with
 * "derived" all kinds that are the reference decoder's own. After an expected malformed event
 * nothing is compared. Both files are read from their beginnings. ASSAY_NO_MEMORY; or the expected
 * events are not to be read. */
enum assay_error assay_events_compare(FILE *expected, FILE *found,
                                      const struct assay_format *format, const char *layer,
                                      struct assay_comparison *comparison, struct assay_diag *diag);

#endif
