/* Runs a decoder that nobody trusts, once for each trace, or as one process that is asked for one
 * trace after the other: with limits of time, memory and output, and where the program
 * bwrap (bubblewrap) can be used, without network, in name spaces of its own, on a file system of
 * which it can write nothing but its work folder. */
#ifndef ASSAY_COMPARE_DECODER_H
#define ASSAY_COMPARE_DECODER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "common/stop.h"

enum assay_isolation { ASSAY_ISOLATION_AUTO, ASSAY_ISOLATION_BWRAP, ASSAY_ISOLATION_NONE };

struct assay_decoder_command {
    const char
        *command;    /* a line of the shell, in which {} is the trace, {manifest} its manifest */
    bool persistent; /* the process stays, and reads these from its standard input */
    enum assay_isolation isolation;
    bool bounded;                  /* of bwrap, by assay_decoder_isolate: all files together are
                                      limited by `output`, too */
    unsigned seconds;              /* time for one trace */
    uint64_t memory;               /* bytes of address space of each process; 0: no limit */
    uint64_t output;               /* bytes on standard output */
    const struct assay_stop *stop; /* ends a run when it is requested; null: nothing does */
    char line[4096]; /* the command with its arguments in place, of assay_decoder_prepare */
};

/* How a run ended. */
enum assay_decoder_end {
    ASSAY_DECODER_EXITED,   /* by itself, with `status` */
    ASSAY_DECODER_SIGNAL,   /* by the signal `status` */
    ASSAY_DECODER_HANG,     /* it was killed when its time was over */
    ASSAY_DECODER_FLOOD,    /* it was killed when it had written more than it may */
    ASSAY_DECODER_STOPPED,  /* it was killed because a stop was requested */
    ASSAY_DECODER_ANSWERED, /* a process that stays has written the line of the end */
    ASSAY_DECODER_SURPLUS,  /* the same, and went on, or had not read what it was asked: killed */
};

enum { ASSAY_DECODER_SAID = 512 };

struct assay_decoder_run {
    enum assay_decoder_end end;
    int status;
    FILE *output;                  /* what it wrote to standard output; from its beginning */
    uint64_t written;              /* bytes of that */
    bool unread;                   /* of a process that stays: it has not read what it was asked */
    char said[ASSAY_DECODER_SAID]; /* the beginning of its standard error, terminated */
};

/* Decides whether programs are isolated: after it `isolation` is not AUTO. ASSAY_UNSUPPORTED where
 * bwrap is demanded and cannot be used. */
enum assay_error assay_decoder_isolate(struct assay_decoder_command *decoder,
                                       struct assay_diag *diag);

/* Runs `line` in a folder, an absolute path, which it may write; as assay_decoder_run otherwise. */
enum assay_error assay_decoder_run_in(const struct assay_decoder_command *decoder,
                                      const char *folder, const char *trace, const char *manifest,
                                      struct assay_decoder_run *run, struct assay_diag *diag);

/* Checks the command, and decides whether the decoder is isolated: after it `isolation` is not
 * AUTO. ASSAY_SYNTAX for a command without {}, or with it where the decoder stays;
 * ASSAY_UNSUPPORTED where bwrap is demanded and cannot be used. */
enum assay_error assay_decoder_prepare(struct assay_decoder_command *decoder,
                                       struct assay_diag *diag);

/* Runs the decoder on a trace; paths are absolute. Where ASSAY_OK is returned, the caller closes
 * run->output. Errors are of the system. May be called by several threads. */
enum assay_error assay_decoder_run(const struct assay_decoder_command *decoder, const char *trace,
                                   const char *manifest, struct assay_decoder_run *run,
                                   struct assay_diag *diag);

#endif
