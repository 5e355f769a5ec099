/* Whose the recorded executions are that traces are compared with. A trace that is compared with
 * the producer's own recording shows that both say the same; compared with Assay's, or with what a
 * simulator of the laboratory executed, it shows what the program does. Private to
 * validator/certify/, but for what a program has to give. */
#ifndef ASSAY_CERTIFY_RECORDINGS_H
#define ASSAY_CERTIFY_RECORDINGS_H

#include <stdbool.h>
#include <stdio.h>

#include "validator/engine/results.h"

/* X(enumerator, name in a certificate, what SUMMARY.txt says) */
#define ASSAY_CERTIFY_RECORDINGS(X)                                                                \
    X(NONE, "none", "with no recorded execution")                                                  \
    X(PART, "part", "with a recorded execution in some of its streams alone")                      \
    X(PRODUCER, "producer", "with the producer's recording")                                       \
    X(WORKLOAD, "workload", "with Assay's recording of the workload")                              \
    X(REPEATED, "repeated", "with a recording that executing the program again confirms")          \
    X(CHALLENGE, "challenge", "with the predicted execution of the challenge")

enum assay_certify_recording {
#define X(id, name, text) ASSAY_RECORDING_##id,
    ASSAY_CERTIFY_RECORDINGS(X)
#undef X
};

/* Whether every stream of a trace but what carries them was compared with a recorded execution, and
 * has some of it; `none` whether none was. */
bool assay_certify_is_compared(const struct assay_input_result *input, bool *none);

/* The name of the recordings of a trace, and what it means. */
const char *assay_certify_recording_name(enum assay_certify_recording recording);
/* By its name; null when there is none. */
const char *assay_certify_recording_text(const char *name);

struct assay_certify_recorded {
    enum assay_certify_recording recording;
    bool deterministic; /* each machine executes the workload alike, so that it can be Assay's */
    const char *difference; /* PRODUCER: how it differs from what was executed again, or why that
                               was not done; null: it was not wanted */
};

/* Executes a program again: `run` gives an open file with what was recorded. */
struct assay_certify_repeat {
    enum assay_error (*run)(void *context, const char *program, FILE **recording,
                            struct assay_diag *diag);
    void *context;
};

struct assay_certification;

/* Finds out; afterwards `certification->recorded` has an entry for each trace. Programs are
 * executed again where `certification->repeat` is not null, the workload is deterministic, and its
 * recording is not Assay's. Errors as of assay_certify_read_recording, and of `run`. */
enum assay_error assay_certify_recordings(struct assay_certification *certification,
                                          struct assay_diag *diag);

/* Adds the demand that each trace of a deterministic workload is compared with a recording that is
 * not the producer's word, where the level says so or programs are executed again. */
enum assay_error assay_certify_demand_recordings(struct assay_certification *certification);

#endif
