/* The record of the interface of the hart (4.2) as a table: what `assay check --execution` reads,
 * and what a simulation of an encoder is driven by (etrace/record.h). */
#ifndef ASSAY_GENERATORS_ETRACE_INTERFACE_H
#define ASSAY_GENERATORS_ETRACE_INTERFACE_H

#include "common/sink.h"
#include "etrace/unit.h"

/* The line of names. */
void etrace_interface_begin(struct assay_sink *sink);

/* A line: an instruction, or a trap without one. What is left out by a filter is in the record like
 * anything else. */
void etrace_interface_put(struct assay_sink *sink, const struct etrace_ingress *record);

/* A line that says that the hart is halted: what it does then is not in the record. */
void etrace_interface_halt(struct assay_sink *sink);

#endif
