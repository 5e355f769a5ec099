/* STF traces from recorded executions of RISC-V programs in user mode, and of machines. */
#ifndef ASSAY_GENERATORS_STF_FROM_EXECUTION_H
#define ASSAY_GENERATORS_STF_FROM_EXECUTION_H

#include "execution/execution.h"
#include "io/sink.h"
#include "stf/stf.h"

struct stf_generate_options {
    unsigned profile;      /* enum stf_profile_id: 1.3, or 1.6 as the public library writes it */
    const char *storage;   /* "raw", "gzip", "xz", "zstd", "zstf"; null: raw */
    uint32_t thread;       /* the thread that is traced ... */
    bool all_threads;      /* ... or all, piece by piece as the recording has them */
    uint64_t limit;        /* instructions; 0: all */
    uint64_t repeat;       /* how many times that is traced; 0 and 1: once */
    const char *execution; /* its file; null where it cannot be read again, as for repeat > 1 */
    uint32_t vlen;         /* bits of a vector register, of 1.6; 0: the header does not say it */
    bool operands;         /* registers that loads write are recorded where they are known */
    const char *metadata;  /* one more comment, or null */
};

struct stf_generated {
    uint64_t records;
    uint64_t instructions;
    uint64_t without_event;  /* diversions of control whose cause is not known */
    uint64_t without_access; /* instructions with accesses of which no content is known */
};

/* Reads the execution to its end and writes the trace. The execution and the sink stay the
 * caller's. ASSAY_UNSUPPORTED: the execution is not of RISC-V, or has no contents of accesses, or
 * is to be repeated but cannot be read again, or has several threads of the same id.
 * ASSAY_NOT_FOUND: it has no such thread. */
enum assay_error stf_generate_from_execution(struct assay_execution *execution,
                                             const struct stf_generate_options *options,
                                             struct assay_sink *sink,
                                             struct stf_generated *generated,
                                             struct assay_diag *diag);

#endif
