/* ASTF traces of a model machine: one PE with four exception levels, whose programs, data and
 * events are drawn from a seed. It executes legal A64, and its trace follows the specification
 * clause by clause, independently of the rules, so that a finding on such a trace is a fault of the
 * model or of a rule.
 *
 * The same options give the same bytes on every machine. */
#ifndef ASSAY_GENERATORS_ASTF_MODEL_H
#define ASSAY_GENERATORS_ASTF_MODEL_H

#include "generators/generator.h"
#include "io/sink.h"

struct astf_model_options {
    uint64_t seed;
    uint64_t limit;       /* Instruction records */
    bool basic;           /* level Basic: one exception level is recorded; else BasicPlus */
    bool timestamps;      /* Timestamp records are used */
    uint64_t period;      /* instructions between periodic Timestamps, where time has moved on */
    const char *storage;  /* "raw", "xz", "lzma", "zlib", "gzip"; null: raw */
    const char *metadata; /* a string at the beginning, or null */
};

/* Writes the trace; `execution`, unless null, gets the recorded execution of what it shows, and
 * `facts`, unless null, the platform facts of the machine as YAML. The sinks stay the caller's. */
enum assay_error astf_model_generate(const struct astf_model_options *options,
                                     struct assay_sink *trace, struct assay_sink *execution,
                                     struct assay_sink *facts, struct assay_generated *generated,
                                     struct assay_diag *diag);

#endif
