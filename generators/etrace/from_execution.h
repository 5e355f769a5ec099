/* Streams of E-Trace from recorded executions of RISC-V programs. */
#ifndef ASSAY_GENERATORS_ETRACE_FROM_EXECUTION_H
#define ASSAY_GENERATORS_ETRACE_FROM_EXECUTION_H

#include "execution/execution.h"
#include "generators/etrace/unit.h"
#include "io/sink.h"

struct etrace_generate_options {
    const struct assay_parameter_values *values; /* of the encoder */
    unsigned framing;                            /* enum assay_framing */
    uint64_t max_resync; /* packets between synchronisations; 0: one at the beginning */
    uint64_t gaps;       /* a filter leaves out parts, about every so many instructions; 0: none */
    bool filters;        /* control registers among the values choose what is traced */
    struct assay_sink *record; /* to which the record of the interface is written; may be null */
    uint64_t seed;
    uint32_t thread;
    uint64_t limit;        /* instructions; 0: all */
    uint64_t repeat;       /* the execution so often in a row; 0 as 1 ... */
    const char *execution; /* ... this is its file; null where it cannot be read again */
};

struct etrace_generated {
    uint64_t packets;
    uint64_t instructions;  /* that are traced */
    uint64_t without_event; /* diversions of control of which the recording does not say what took
                               it away: tracing ends and begins again */
    uint64_t ambiguous;     /* packets that decoders can misunderstand (etrace_unit_ambiguous) */
};

/* Reads the execution to its end, or to the limit, and writes the stream. Of a program in user mode
 * the trace is that of U-mode: where the system works for it tracing ends. Of a machine traps are
 * traced as they are recorded. An ECALL is recorded, but does not retire, and is not traced. The
 * execution and the sink stay the caller's. ASSAY_UNSUPPORTED: the execution is not of RISC-V, or
 * does not show the privilege level, or is to be repeated and is no file. ASSAY_NOT_FOUND: it has
 * no such thread. */
enum assay_error etrace_generate_from_execution(struct assay_execution *execution,
                                                const struct etrace_generate_options *options,
                                                struct assay_sink *sink,
                                                struct etrace_generated *generated,
                                                struct assay_diag *diag);

#endif
