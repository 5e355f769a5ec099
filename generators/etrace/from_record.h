/* Streams of E-Trace from records of the interface of the hart, or from tables of retired
 * instructions: what the reference encoder sends for what a hart gave. */
#ifndef ASSAY_GENERATORS_ETRACE_FROM_RECORD_H
#define ASSAY_GENERATORS_ETRACE_FROM_RECORD_H

#include "generators/etrace/from_execution.h"

/* Reads the table to its end, or to the limit, and writes the stream of its instruction trace, and
 * with the parameters of data trace also that of its accesses. Of a block of several instructions
 * the first and the last one are encoded, on which alone packets depend. Of a table of
 * retired instructions, whose types follow from where it goes on, it also writes the record. The
 * table and the sinks stay the caller's. ASSAY_SYNTAX: it is no record. ASSAY_UNSUPPORTED: options
 * for executions were given; the record lacks signals that the parameters need, or one is to be
 * made of it. ASSAY_NOT_FOUND: no instruction of it is traced. */
enum assay_error etrace_generate_from_record(struct assay_source *table,
                                             const struct etrace_generate_options *options,
                                             struct assay_sink *sink,
                                             struct etrace_generated *generated,
                                             struct assay_diag *diag);

#endif
