/* The recorded execution beside the trace: which executed instruction each Instruction record
 * stands for, what that instruction accessed, and where execution went from it. */
#ifndef ASSAY_ASTF_TRUTH_H
#define ASSAY_ASTF_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

struct astf_truth;
struct assay_execution;

/* Takes ownership of the execution; *truth is null when it is null. `thread` is the number in it of
 * the thread that the trace is of. */
enum assay_error astf_truth_open(struct assay_execution *execution, uint32_t thread,
                                 struct astf_truth **truth, struct assay_diag *diag);
void astf_truth_discard(struct assay_execution *execution);
void astf_truth_close(struct astf_truth *truth);

/* The functions below write an event's derived words where layout.def has them, and need no order
 * of calls but that of the records. */

/* The bytes of the trace that are there behind the next record: to `end`, and the `last` ones or
 * not. To be told before each block, and at least 2 * ASTF_TRUTH_AHEAD records where there are as
 * many: a record that differs is understood by those behind it. */
enum { ASTF_TRUTH_AHEAD = 1024 };
void astf_truth_ahead(struct astf_truth *truth, const uint8_t *end, bool last);

/* An Instruction record; `info` is the classification of its word. A trace may begin anywhere in
 * the execution and end anywhere; between, each record is of the instruction that was executed
 * next, or else the fewest differences are found that explain those ahead (course.h).
 *
 * A record of an instruction that trapped is of an attempt, and compared with what the execution
 * tells of attempts; but for SVC, which retires. */
void astf_truth_instr(struct astf_truth *truth, const uint8_t *record, uint64_t info,
                      uint64_t *words);

/* An Extra EA record. Accesses are compared at the last record of an instruction. */
void astf_truth_extra_ea(struct astf_truth *truth, const uint8_t *record, uint64_t *words);

/* A record that cannot be told: it may have held accesses of the instruction before. */
void astf_truth_malformed(struct astf_truth *truth);

/* Process and thread of the recording. */
void astf_truth_context(const struct astf_truth *truth, uint64_t *words);

/* The end of the trace: reads the recording to its end and counts what no record stands for. */
void astf_truth_end(struct astf_truth *truth, uint64_t *words);

/* Why the recording could not be read on, if it could not; else null. A recording that is damaged,
 * or ends without its end, cannot be held against a trace from there on. */
const struct assay_diag *astf_truth_fault(const struct astf_truth *truth);

#endif
