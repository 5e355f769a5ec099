/* The recorded execution beside the trace: which executed instruction each encoding record stands
 * for, what that instruction accessed, and how execution came to it and went on. */
#ifndef ASSAY_STF_TRUTH_H
#define ASSAY_STF_TRUTH_H

#include "stf/frame.h"
#include "stf/model.h"

struct stf_truth;
struct assay_execution;

/* Takes ownership of the execution; *truth is null when it is null. `thread` is the number in it of
 * the thread that the trace is of, or ASSAY_EXECUTION_THREAD_TOLD. The model and the framing are
 * those of the trace. */
enum assay_error stf_truth_open(struct assay_execution *execution, uint32_t thread,
                                const struct stf_model *model, const struct stf_framing *framing,
                                struct stf_truth **truth, struct assay_diag *diag);
void stf_truth_close(struct stf_truth *truth);

/* The bytes of the trace that are there behind the next record: to `end`, and the `last` ones or
 * not. A record that differs is understood by those behind it. */
void stf_truth_ahead(struct stf_truth *truth, const uint8_t *end, bool last);

/* A record that the model has been given: its kind, what stands behind its descriptor, and where
 * the next record is. Writes the derived words that layout.def has for the recorded execution. */
void stf_truth_record(struct stf_truth *truth, enum stf_kind kind, const uint8_t *data,
                      const uint8_t *next, uint64_t *words);

/* The end of the trace: reads the recording to its end and counts what no record stands for. */
void stf_truth_end(struct stf_truth *truth, uint64_t *words);

/* Why the recording could not be read on, if it could not; else null. A recording that is damaged,
 * or ends without its end, cannot be held against a trace from there on. */
const struct assay_diag *stf_truth_fault(const struct stf_truth *truth);

#endif
