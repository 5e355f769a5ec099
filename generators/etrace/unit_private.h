/* The state of the reference encoder. */
#ifndef ASSAY_GENERATORS_ETRACE_UNIT_PRIVATE_H
#define ASSAY_GENERATORS_ETRACE_UNIT_PRIVATE_H

#include "etrace/interface/qualify.h"
#include "etrace/program/calls.h"
#include "etrace/program/predictor.h"
#include "etrace/program/targets.h"
#include "generators/etrace/unit.h"

/* Outcomes of branches that no packet has reported yet (6.7.2, 6.8). */
struct etrace_unreported {
    uint32_t map;      /* bit n: branch n was not taken, of the first 31 */
    uint64_t count;    /* branches */
    bool mispredicted; /* one of them was; always where the predictor is not in use */
    bool failed;       /* more than 31 were predicted, and one that is not counted was not */
};

/* Why an address is reported. */
struct etrace_reason {
    bool target;   /* of an uninferable discontinuity */
    bool notified; /* its report was requested */
    bool last;     /* before a trap, a change of privilege or resynchronisation */
    bool ends;     /* before the end of tracing, which ended_upd says of a target (6.5.1) */
};

struct etrace_unit {
    struct etrace_unit_setup setup;
    uint64_t layout[ETRACE_PARAMETER_COUNT]; /* the options in effect */
    struct etrace_predictor predictor;
    struct etrace_calls calls;
    struct etrace_targets targets;
    struct etrace_unreported unreported;
    uint64_t reported; /* the last address in a packet */
    uint64_t resync;   /* counted since the last synchronisation */
    struct etrace_qualifier qualifier;

    struct etrace_ingress current; /* whose packets are due when the next record is known */
    bool has_current;
    struct etrace_ingress previous; /* the instruction before it, if it was traced */
    bool has_previous;
    bool in_sequence; /* the one before that was traced, too, and no trap came between the two */
    bool start_due;   /* a synchronisation packet was due for it, but its address had to go first */
    struct etrace_ingress trap; /* that was signalled before the current instruction */
    bool trapped;
    uint64_t context; /* that a packet gave last */
    bool context_due; /* it has changed, and is to be reported imprecisely */

    bool unsettled; /* the last packet reports a target that decoders may have passed before, and
                       does not say that a packet of format 3 follows */

    bool flagged; /* the packet of the current instruction flags updiscon */

    /* Of the previous instruction. */
    bool discontinuity; /* its target has to be reported */
    bool returned;      /* it was a return whose target is on the stack */
    bool mispredicted;  /* it was a return that went elsewhere */
    uint64_t depth;     /* `mispredicted`: of the stack before it */
    /* Since the last call, and since the last return. */
    bool returns_since_call;
    bool branches_since_return; /* which no packet has reported */
    uint64_t *inferred; /* by depth: 1 + the outcomes before the last return that was inferred there
                           since the last packet; 0: none was */
    bool passed_return; /* a return was inferred since the last packet */
    uint64_t
        ambiguous;    /* packets that name a depth of such a return, without an outcome after it */
    uint64_t strayed; /* returns that a counter took for others */
};

static inline bool etrace_unit_is_on(const struct etrace_unit *unit, enum etrace_parameter option)
{
    return unit->layout[option] != 0;
}

/* --- packets (unit_packets.c) --- */

/* Format 3, subformats 0 to 3. */
void etrace_unit_synchronise(struct etrace_unit *unit);
void etrace_unit_report_trap(struct etrace_unit *unit);
void etrace_unit_report_alone(struct etrace_unit *unit); /* a trap without its handler */
void etrace_unit_report_context(struct etrace_unit *unit);
void etrace_unit_support(struct etrace_unit *unit, bool enable, unsigned qual_status);

/* Formats 0, 1 and 2 with the address of the current instruction; format 0 or 1 without. */
void etrace_unit_report_address(struct etrace_unit *unit, const struct etrace_reason *reason);
void etrace_unit_report_branches(struct etrace_unit *unit);

#endif
