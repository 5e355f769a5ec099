/* Workloads: whether a trace is of the program that the submission says. A name alone is the
 * producer's word; the recorded execution that the trace is compared with shows it. */
#ifndef ASSAY_CERTIFY_WORKLOADS_H
#define ASSAY_CERTIFY_WORKLOADS_H

#include "common/error.h"
#include "validator/vector/corpus.h"

/* The list of the workloads of this build, generators/workloads/workloads.yaml; one text. */
extern const struct assay_corpus_text assay_certify_workloads[];
extern const size_t assay_certify_workloads_count;

struct assay_certification;

enum assay_certify_workload_state {
    ASSAY_WORKLOAD_NONE,   /* the submission names none */
    ASSAY_WORKLOAD_NAMED,  /* it names one, and there is nothing to tell it by: no recording that
                              the trace was compared with, one that is a table, or a name that the
                              list does not have */
    ASSAY_WORKLOAD_SHOWN,  /* the threads of a recorded execution that the trace is of have, of each
                              class of control flow and memory operations, as many as the workload
                              has at least, also without what is not in the trace */
    ASSAY_WORKLOAD_REFUTED /* each recorded execution is of something else */
};

struct assay_certify_workload {
    enum assay_certify_workload_state state;
    const char *lacking; /* REFUTED: what the recorded execution lacks, in words */
    const char
        *impossible; /* why no machine can have executed what a recording has; null: it can */
};

struct assay_yaml;

/* The entry of a workload in that list; null: there is none of the name. */
const struct assay_yaml *assay_certify_workload_named(const struct assay_yaml *workloads,
                                                      const char *name);

/* Reads the recorded executions of all traces that name a workload; afterwards
 * `certification->workloads` has an entry for each trace. ASSAY_CONTRADICTION: one is no longer the
 * file that was judged with. */
enum assay_error assay_certify_recognise(struct assay_certification *certification,
                                         struct assay_diag *diag);

#endif
