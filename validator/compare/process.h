/* A decoder as a process: with its limits, isolated where that is wanted, and with pipes. Private
 * to validator/compare/. */
#ifndef ASSAY_COMPARE_PROCESS_H
#define ASSAY_COMPARE_PROCESS_H

#include "validator/compare/decoder.h"
#include "validator/compare/keeper.h"

struct assay_process {
    struct assay_keeper keeper;
    int in;       /* writes to its standard input, without waiting; -1: that is empty */
    int out, err; /* read its standard output and standard error; -1 when it has closed them */
};

/* What it is started with: the parameters of the command, and whether it is asked by its standard
 * input, for one trace after the other. */
struct assay_process_start {
    const char *folder; /* an absolute path; it is run there, and may write it */
    const char *trace, *manifest;
    bool persistent;
    bool keeps; /* what it writes to its folder is wanted */
};

enum assay_error assay_process_start(const struct assay_decoder_command *decoder,
                                     const struct assay_process_start *start,
                                     struct assay_process *process, struct assay_diag *diag);

/* Waits so long for its end, then ends it and all that came from it, and closes the pipes. run->end
 * is how the reading of its output ended, and becomes how the process did. ASSAY_READ_FAILED:
 * something of it cannot be ended. */
enum assay_error assay_process_end(struct assay_process *process,
                                   const struct assay_decoder_command *decoder,
                                   int64_t milliseconds, struct assay_decoder_run *run,
                                   struct assay_diag *diag);

/* A new folder for decoders, and its end. */
enum assay_error assay_process_folder(char folder[4096], struct assay_diag *diag);
void assay_process_remove_folder(const char *folder);

/* Of a clock that goes on evenly. */
int64_t assay_process_milliseconds(void);

/* "the decoder cannot be run: ..., " with the reason by errno. */
enum assay_error assay_process_fail(struct assay_diag *diag, const char *what);

#endif
