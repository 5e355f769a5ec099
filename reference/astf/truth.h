/* The recorded execution beside the trace: which executed instruction each Instruction record
 * stands for. */
#ifndef ASSAY_ASTF_TRUTH_H
#define ASSAY_ASTF_TRUTH_H

#include <stdint.h>

#include "common/error.h"

struct astf_truth;
struct assay_execution;

/* Takes ownership of the execution; *truth is null when it is null. */
enum assay_error astf_truth_open(struct assay_execution *execution, struct astf_truth **truth,
                                 struct assay_diag *diag);
void astf_truth_discard(struct assay_execution *execution);
void astf_truth_close(struct astf_truth *truth);

/* Takes the next executed instruction of the traced thread and writes the two words that the
 * derived fields executed_pc, executed_iword and executed stand in. When it is not the one of the
 * record, the two are brought together again: if the record's instruction is found among the next
 * ASTF_TRUTH_WINDOW executed ones, those before it were not recorded; if not, the record is taken
 * for one that stands in the place of another. */
enum { ASTF_TRUTH_WINDOW = 64 };
void astf_truth_follow(struct astf_truth *truth, uint64_t pc, uint32_t iword, uint64_t *words);

/* Why the recording could not be read on, if it could not; else null. A recording that is damaged,
 * or ends without its end, cannot be held against a trace from there on. */
const struct assay_diag *astf_truth_fault(const struct astf_truth *truth);

#endif
