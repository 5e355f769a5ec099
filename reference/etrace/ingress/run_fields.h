/* Fields of the events of the path: of its runs, and of where it is lost. */
#ifndef ASSAY_ETRACE_RUN_FIELDS_H
#define ASSAY_ETRACE_RUN_FIELDS_H

#include "etrace/path/path.h"

static inline enum etrace_stopped etrace_run_stopped(const struct assay_event *run)
{
    return (enum etrace_stopped)(run->cells[ETRACE_RUN_FLAGS] >> STOPPED_BIT & 7);
}

static inline enum etrace_entered etrace_run_entered(const struct assay_event *run)
{
    return (enum etrace_entered)(run->cells[ETRACE_RUN_FLAGS] >> ENTERED_BIT & 0xf);
}

static inline enum etrace_outcome etrace_run_outcome(const struct assay_event *run)
{
    return (enum etrace_outcome)(run->cells[ETRACE_RUN_FLAGS] >> OUTCOME_BIT & 3);
}

static inline uint64_t etrace_run_privilege(const struct assay_event *run)
{
    return run->cells[ETRACE_RUN_FLAGS] & 0xf;
}

static inline uint32_t etrace_run_count(const struct assay_event *run)
{
    return (uint32_t)run->cells[ETRACE_RUN_COUNT];
}

/* The kind of the packet that it is of. */
static inline unsigned etrace_run_packet(const struct assay_event *run)
{
    return run->from != NULL ? run->from->kind : (unsigned)ETRACE_end;
}

/* Why the path is lost. */
static inline unsigned etrace_lost_reason(const struct assay_event *lost)
{
    return lost->cells[ETRACE_RUN_FLAGS] >> REASON_BIT & 0xf;
}

#endif
