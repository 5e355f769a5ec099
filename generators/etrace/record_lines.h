/* The record of the interface of the hart that a generator writes: the columns of its instructions,
 * a line for each (4.2). */
#ifndef ASSAY_GENERATORS_ETRACE_RECORD_LINES_H
#define ASSAY_GENERATORS_ETRACE_RECORD_LINES_H

#include "generators/etrace/unit.h"
#include "io/sink.h"
#include "model/parameters.h"

struct record_lines {
    struct assay_sink *sink; /* borrowed; null: no record is wanted, and nothing is to be written */
    const struct assay_parameter_values *values; /* of the encoder, borrowed */
    uint64_t cycle;                              /* of the next line, if cycles count */
};

/* Of a hart that retires one instruction a cycle iretire counts instructions, of others
 * half-words (4.2.1). */
bool record_lines_are_single(const struct record_lines *lines);

/* The names of the columns, and the values of a line; null: the hart is halted. The caller adds
 * other columns, each after a comma, and the end of the line. */
void record_lines_write_names(const struct record_lines *lines);
void record_lines_write(struct record_lines *lines, const struct etrace_ingress *block);

#endif
