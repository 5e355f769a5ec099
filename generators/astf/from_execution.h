/* ASTF traces of level Basic from recorded executions of AArch64 programs.
 */
#ifndef ASSAY_GENERATORS_ASTF_FROM_EXECUTION_H
#define ASSAY_GENERATORS_ASTF_FROM_EXECUTION_H

#include "execution/execution.h"
#include "io/sink.h"

struct astf_generate_options {
    const char *storage;   /* "raw", "xz", "lzma", "zlib", "gzip"; null: raw */
    uint32_t thread;       /* the thread that is traced: a trace is of one PE */
    uint64_t limit;        /* instructions; 0: all */
    bool timestamps;       /* Timestamp records are used */
    uint64_t period;       /* instructions between periodic Timestamps, where time has moved on */
    uint8_t evl;           /* vector length that the thread begins with: bits / 128 - 1 */
    uint8_t streaming_evl; /* the same in Streaming SVE mode */
    bool describe;         /* strings at the beginning describe the recording */
    const char *metadata;  /* a string at the beginning, or null */
};

struct astf_generated {
    uint64_t records;
    uint64_t instructions;
    uint64_t without_access; /* memory instructions whose accesses are not recorded ... */
    uint64_t lacking;        /* ... and of those the ones that made one, or may have */
};

/* Reads the execution to its end and writes the trace. The execution and the sink stay the
 * caller's. ASSAY_UNSUPPORTED: the execution is not of AArch64. ASSAY_NOT_FOUND: it has no such
 * thread. */
enum assay_error astf_generate_from_execution(struct assay_execution *execution,
                                              const struct astf_generate_options *options,
                                              struct assay_sink *sink,
                                              struct astf_generated *generated,
                                              struct assay_diag *diag);

#endif
