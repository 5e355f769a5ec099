/* A keeper: a process between this one and a program that nobody trusts. It starts the program, and
 * when that has ended, or is to be ended, kills every process that came from it, also those that
 * left its process group and its session. So nothing of a program outlives its run, even where it
 * is not isolated. Private to validator/compare/. */
#ifndef ASSAY_COMPARE_KEEPER_H
#define ASSAY_COMPARE_KEEPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct assay_keeper {
    pid_t pid;
    int leash;  /* when it is closed, the program is to end */
    int result; /* tells how it ended */
};

/* What becomes the program: descriptors that it needs, and the function that executes it and does
 * not return. Called in a new process, between fork and exec: it calls what is safe in signal
 * handlers only. */
struct assay_kept {
    void (*become)(const void *context);
    const void *context;
    int in;       /* its input; -1: it has none of the caller's */
    int out, err; /* its outputs */
};

/* Starts the program; false, with errno, if that is impossible. The caller closes its copies of
 * input and outputs. May be called by several threads. */
bool assay_keeper_start(struct assay_keeper *keeper, const struct assay_kept *kept);

/* How a program ended. */
enum assay_kept_end {
    ASSAY_KEPT_ENDED,   /* by itself: *status as waitpid gives it */
    ASSAY_KEPT_RUNNING, /* it still ran, and was killed */
    ASSAY_KEPT_ESCAPED  /* it, or what came from it, cannot be killed */
};

/* Waits so long for the program's end, or until the descriptor `until` can be read (-1: there is
 * none), then kills what is left of it. The keeper is gone after it. */
enum assay_kept_end assay_keeper_end(struct assay_keeper *keeper, int64_t milliseconds, int until,
                                     int *status);

#endif
