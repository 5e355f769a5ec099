/* The progress of a run over all inputs, in one line of a terminal. */
#ifndef ASSAY_VALIDATOR_PROGRAM_PROGRESS_H
#define ASSAY_VALIDATOR_PROGRAM_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "validator/engine/check.h"

struct assay_progress_input {
    uint64_t size; /* stored bytes; 0: not known */
    uint64_t done; /* of these, or of all that there were so far */
    bool begun, ended;
};

struct assay_progress {
    pthread_mutex_t lock; /* inputs are judged on several threads */
    const struct assay_input *inputs;
    struct assay_progress_input *states;
    size_t count;
    size_t last;         /* the input of the last call: where the next search begins */
    size_t ended;        /* inputs */
    uint64_t size, done; /* of all whose size is known */
    uint64_t unbounded;  /* bytes of those whose size is not */
    struct timespec begun, shown;
};

/* False when memory is out; then nothing is shown. */
bool assay_progress_begin(struct assay_progress *progress, const struct assay_input *inputs,
                          size_t count);

/* For assay_check_options: the context is the progress. */
void assay_progress_show(void *context, const char *path, uint64_t bytes, uint64_t size);

/* Writes what is known after so many seconds, without an end of line: "3 of 12, b.stf  120 of 480
 * MB (25%), 60 MB/s, 6 s left". The remaining time is shown from the first second on. */
void assay_progress_line(const struct assay_progress *progress, const char *path, double seconds,
                         char *out, size_t size);

/* Clears the line. */
void assay_progress_end(struct assay_progress *progress);

#endif
