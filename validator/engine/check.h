/* Checking: inputs in, results out. What `assay check` does, as a library. */
#ifndef ASSAY_VALIDATOR_CHECK_H
#define ASSAY_VALIDATOR_CHECK_H

#include "validator/engine/results.h"

struct assay_source;

struct assay_check_options {
    const struct assay_format *format; /* null: by the input's magic */
    unsigned profile;                  /* 1 + its number in that format; 0: as the inputs say */
    const struct assay_facts *facts;   /* or null */
    const char *execution;             /* path of a recorded execution, or null */
    uint32_t execution_thread;         /* number of the thread in it that the traces are of, or
                                          ASSAY_EXECUTION_THREAD_TOLD (execution.h) */
    /* The rules: catalogues that are used for inputs of their format, with which rules to leave out
     * and which readings to take; deselected[n] and readings[n] belong to catalogues[n], and may
     * be null. */
    const struct assay_catalogue *const *catalogues;
    size_t catalogue_count;
    const bool *const *deselected;
    const uint16_t *const *readings;
    unsigned max_findings;
    enum assay_level fail_on; /* violations below it do not count for the verdict */
    bool never_fail;          /* --fail-on never */
    bool evaluate;            /* evaluate the rules even where emitted checks exist */
    bool digest;              /* compute the SHA-256 of the inputs that are regular files */
    unsigned jobs; /* inputs checked at the same time; with more than there are inputs, or 1,
                      another thread decompresses, and with more another one decodes where it can */
    /* Told now and then how far an input is; may be null. size is 0 when it is not known. */
    void (*progress)(void *context, const char *path, uint64_t bytes, uint64_t size);
    void *progress_context;
};

struct assay_check;

/* Begins a run. The options are the caller's and must outlive it. */
enum assay_error assay_check_open(const struct assay_check_options *options,
                                  struct assay_check **check, struct assay_diag *diag);

/* Checks inputs, in order; their results are added. What is wrong with an input stands in its
 * result; only errors of the run itself (no memory) are returned. */
enum assay_error assay_check_paths(struct assay_check *check, const char *const *paths,
                                   size_t count, struct assay_diag *diag);

/* Checks one input from a source, which becomes the run's. */
enum assay_error assay_check_source(struct assay_check *check, const char *name,
                                    struct assay_source *source, struct assay_source *execution,
                                    struct assay_diag *diag);

/* The results so far; borrowed, valid until the run is closed. The environment is left empty. */
const struct assay_results *assay_check_results(struct assay_check *check);

void assay_check_close(struct assay_check *check);

/* The format that an input's first bytes belong to by magic; null when none. */
const struct assay_format *assay_detect_format(struct assay_source *source);

#endif
