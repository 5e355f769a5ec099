/* Streams of ETE from recorded executions of AArch64 programs. */
#ifndef ASSAY_GENERATORS_ETE_FROM_EXECUTION_H
#define ASSAY_GENERATORS_ETE_FROM_EXECUTION_H

#include "execution/execution.h"
#include "generators/ete/unit.h"

struct ete_generate_options {
    struct ete_unit_options unit;
    bool wfx_is_p0;    /* TRCIDR2.WFXMODE */
    uint64_t contexts; /* identifiers in turn: another one each time that the system gives control
                          to the program; 0: that of the process */
    uint32_t thread;
    uint64_t limit;        /* instructions; 0: all */
    uint64_t repeat;       /* the execution so often in a row; 0 as 1 ... */
    const char *execution; /* ... this is its file; null where it cannot be read again */
};

struct ete_generated {
    uint64_t elements;
    uint64_t instructions;
    uint64_t without_event; /* diversions of control of which the recording does not say what took
                               it away: the trace goes on after a Trace On */
};

/* Reads the execution to its end, or to the limit, and writes the stream. Of a program in user mode
 * the trace is that of EL0: where the system works for it there is a gap. The execution and the
 * sink stay the caller's. ASSAY_UNSUPPORTED: the execution is not of AArch64, or does not show the
 * Exception level, or is to be repeated and is no file. ASSAY_NOT_FOUND: it has no such thread. */
enum assay_error ete_generate_from_execution(struct assay_execution *execution,
                                             const struct ete_generate_options *options,
                                             struct assay_sink *sink,
                                             struct ete_generated *generated,
                                             struct assay_diag *diag);

#endif
