/* Generators of traces: what each format can be generated from. */
#ifndef ASSAY_GENERATORS_GENERATOR_H
#define ASSAY_GENERATORS_GENERATOR_H

#include "execution/execution.h"
#include "io/sink.h"
#include "model/framing.h"
#include "model/model.h"
#include "model/parameters.h"

/* The settings of generators, written once: the members of struct assay_generate_settings and the
 * options of `assay generate`. A generator states which of them it takes.
 * X(member, type, option, argument, least, most, help). A NUMBER is between the two, a TEXT is
 * null when it is not given, a FLAG has no argument. A number that is not given is 0. */
#define ASSAY_GENERATE_SETTINGS(X)                                                                 \
    X(limit, NUMBER, "events", "N", 1, UINT64_MAX,                                                 \
      "stop after N instructions (default: all; of a model 10000)")                                \
    X(thread, NUMBER, "thread", "N", 0, UINT32_MAX,                                                \
      "number of the recorded thread (default 0, the first), or of the core\nof a log")            \
    X(all_threads, FLAG, "all-threads", NULL, 0, 0,                                                \
      "of STF: all recorded threads in one trace, with the switches\nbetween them")                \
    X(seed, NUMBER, "seed", "N", 0, UINT64_MAX,                                                    \
      "what the model is drawn from: the same seed gives the same trace (default 0)")              \
    X(level, TEXT, "level", "NAME", 0, 0, "of ASTF: basicplus (default for a model) or basic")     \
    X(storage, TEXT, "storage", "NAME", 0, 0,                                                      \
      "raw (default); of ASTF also xz, lzma, zlib, gzip;\nof STF also gzip, xz, lzma, zstd, zstf") \
    X(profile, TEXT, "profile", "NAME", 0, 0,                                                      \
      "of STF: stf-1.3 (default), or stf-1.6 as the public library reads it")                      \
    X(repeat, NUMBER, "repeat", "N", 1, UINT64_MAX,                                                \
      "of STF, ETE and E-Trace: the recorded execution N times in a row;\n"                        \
      "a manifest then names no recording")                                                        \
    X(operands, FLAG, "operands", NULL, 0, 0,                                                      \
      "of STF: registers that loads write, as far as they are known")                              \
    X(vlen, NUMBER, "vlen", "N", 8, 65536,                                                         \
      "of STF 1.6: bits of a vector register, for the header of a trace\nwith vector "             \
      "instructions")                                                                              \
    X(period, NUMBER, "period", "N", 1, UINT64_MAX,                                                \
      "instructions between periodic timestamps (default 5000)")                                   \
    X(no_timestamps, FLAG, "no-timestamps", NULL, 0, 0, "write no timestamps")                     \
    X(evl, NUMBER, "evl", "N", 0, 15,                                                              \
      "vector length at the start: bits / 128 - 1 (default: that of\nthe recording, or 0)")        \
    X(streaming_evl, NUMBER, "streaming-evl", "N", 0, 15, "the same in Streaming SVE mode")        \
    X(metadata, TEXT, "metadata", "TEXT", 0, 0, "a string at the beginning of the trace")          \
    X(no_description, FLAG, "no-description", NULL, 0, 0,                                          \
      "write no strings about program, recorder and clock")                                        \
    X(speculation, NUMBER, "speculation", "N", 0, 1024,                                            \
      "of ETE: P0 elements that can be speculative, MAXSPEC (default 0)")                          \
    X(commit_mode, FLAG, "commit-mode", NULL, 0, 0,                                                \
      "of ETE: COMMOPT is 1, Cycle Count packets commit nothing")                                  \
    X(mispredictions, NUMBER, "mispredictions", "N", 1, UINT64_MAX,                                \
      "of ETE: a wrong path about every N P0 instructions (default: none)")                        \
    X(return_stack, FLAG, "return-stack", NULL, 0, 0, "of ETE and E-Trace: with return stack")     \
    X(cycle_counts, NUMBER, "cycle-counts", "N", 4, 4095,                                          \
      "of ETE: count cycles; Cycle Counts are of at least N")                                      \
    X(broadcast, FLAG, "broadcast", NULL, 0, 0,                                                    \
      "of ETE: branch broadcasting, the target of each branch is traced")                          \
    X(sync, NUMBER, "sync", "N", 1, UINT64_MAX,                                                    \
      "of ETE: an A-sync about every N bytes (default: one at the beginning)")                     \
    X(gaps, NUMBER, "gaps", "N", 1, UINT64_MAX,                                                    \
      "of ETE and E-Trace: a filter leaves out parts, about every N instructions\n(default: "      \
      "none)")                                                                                     \
    X(overflows, NUMBER, "overflows", "N", 1, UINT64_MAX,                                          \
      "of ETE: trace is lost about every N P0 instructions (default: never)")                      \
    X(q_elements, NUMBER, "q-elements", "N", 1, UINT64_MAX,                                        \
      "of ETE: Q elements, after about every N branches (default: none)")                          \
    X(contexts, NUMBER, "contexts", "N", 1, 65536,                                                 \
      "of ETE: N context identifiers in turn, another one whenever the\nsystem gives control "     \
      "back")                                                                                      \
    X(any_packets, FLAG, "any-packets", NULL, 0, 0,                                                \
      "of ETE: draw the packets from all that say the same; default:\nthe shortest ones")          \
    X(resync, NUMBER, "resync", "N", 1, UINT32_MAX,                                                \
      "of E-Trace: synchronise about every N packets (default: at the\nbeginning)")                \
    X(predictor, NUMBER, "predictor", "N", 1, 15,                                                  \
      "of E-Trace: branch prediction with 2^N entries")                                            \
    X(target_cache, NUMBER, "target-cache", "N", 1, 15,                                            \
      "of E-Trace: a jump target cache of 2^N entries")                                            \
    X(full_addresses, FLAG, "full-addresses", NULL, 0, 0,                                          \
      "of E-Trace: addresses instead of differences")                                              \
    X(sequential_jumps, FLAG, "sequential-jumps", NULL, 0, 0,                                      \
      "of E-Trace: do not report targets that LUI or AUIPC gives")                                 \
    X(ratified, FLAG, "ratified", NULL, 0, 0,                                                      \
      "of E-Trace: the wire format of version 2.0 (default: that of 1.1.1)")

enum assay_generate_setting {
#define X(member, type, option, argument, least, most, help) ASSAY_SETTING_##member,
    ASSAY_GENERATE_SETTINGS(X)
#undef X
        ASSAY_SETTING_COUNT
};

/* The settings of a set; sets are combined by |. */
#define ASSAY_TAKES(member) (UINT64_C(1) << ASSAY_SETTING_##member)

struct assay_generate_settings {
    const char *execution; /* file that the execution can be read from again, or null */
    unsigned isa;    /* enum assay_execution_isa: of the execution whose parameters are asked for */
    uint32_t source; /* the id of the trace's source in a capture; 0: it is alone */
    const struct assay_parameter_values *parameters; /* that were given, or null */
    struct assay_sink
        *record; /* to which the execution is written as the trace's own input, or null */
#define ASSAY_SETTING_NUMBER(member)                         uint64_t member;
#define ASSAY_SETTING_TEXT(member)                           const char *member;
#define ASSAY_SETTING_FLAG(member)                           bool member;
#define X(member, type, option, argument, least, most, help) ASSAY_SETTING_##type(member)
    ASSAY_GENERATE_SETTINGS(X)
#undef X
};

struct assay_generated {
    uint64_t records;
    uint64_t instructions;
    uint64_t without_access; /* memory instructions whose accesses are not recorded ... */
    uint64_t lacking;       /* ... and of those the ones that made an access, or may have: with them
                               the trace is incomplete */
    uint64_t without_event; /* diversions of control whose cause the format requires, but which is
                               not recorded */
    uint64_t ambiguous;     /* packets that decoders can misunderstand, whatever the encoder does */
};

/* A stream of a capture that a model makes. */
struct assay_model_source {
    uint32_t id;                /* by which the carrier tells it from others; not 0 */
    const char *format, *model; /* names of what makes it */
    struct assay_generate_settings settings;
};

/* A model of a machine, of which traces are generated. One without `make` executes a random program
 * (generators/random/program.h), and the trace is generated from that. */
struct assay_model {
    const char *name;
    const char *summary;
    enum assay_execution_isa isa; /* of the random program ... */
    bool system;                  /* ... which is executed at several levels */
    uint64_t takes;               /* settings of `make`: a set of ASSAY_TAKES */
    bool has_facts;               /* `make` gives platform facts, which the trace is judged with */
    /* The streams of the capture that `make` gives, which has no recorded execution itself; an id
     * of 0 ends the list. Null: it is no capture. */
    const struct assay_model_source *sources;
    enum assay_framing framing; /* of what `make` gives */
    /* As assay_model_make. */
    enum assay_error (*make)(const struct assay_generate_settings *settings,
                             struct assay_sink *trace, struct assay_sink *execution,
                             struct assay_sink *facts, struct assay_generated *generated,
                             struct assay_diag *diag);
};

/* A trace that an exported corpus has beside the vectors. */
struct assay_sample {
    const char *name; /* unique in its format */
    const char *model;
    const char *why; /* what it shows */
    struct assay_generate_settings settings;
};

struct assay_generator {
    const struct assay_format *format;
    const struct assay_model *models;   /* a null name ends the list */
    const struct assay_sample *samples; /* the same */

    /* The settings that from_execution takes: a set of ASSAY_TAKES. */
    uint64_t takes;
    /* Derives the settings that were not given (`given` is a set of ASSAY_TAKES) from the
     * execution. It reads the execution, which cannot be used afterwards; its errors are left to
     * from_execution. Null: there is nothing to derive. */
    void (*look_ahead)(struct assay_execution *execution, uint64_t given,
                       struct assay_generate_settings *settings);
    bool configures; /* from_execution takes parameters, and can write a record */
    /* Null: the format has models only.
     * Reads the execution to its end, or to the limit, and writes the trace. The execution and the
     * sink stay the caller's. ASSAY_UNSUPPORTED: the format cannot show this execution.
     * ASSAY_NOT_FOUND: the execution has no such thread. */
    enum assay_error (*from_execution)(struct assay_execution *execution,
                                       const struct assay_generate_settings *settings,
                                       struct assay_sink *sink, struct assay_generated *generated,
                                       struct assay_diag *diag);
    /* The same of a table that `record` or a simulator writes: the trace is what the reference
     * encoder sends for it. The table and the sink stay the caller's. Null: the format has no such
     * table. */
    enum assay_error (*from_record)(struct assay_source *table,
                                    const struct assay_generate_settings *settings,
                                    struct assay_sink *sink, struct assay_generated *generated,
                                    struct assay_diag *diag);
    /* Writes what the interface between processor and trace unit gives for that trace, as a table
     * that the format's decoder takes for a recorded execution; nothing where the recording does
     * not show it. Null: the format has no such table. */
    enum assay_error (*record)(struct assay_execution *execution,
                               const struct assay_generate_settings *settings,
                               struct assay_sink *sink, struct assay_diag *diag);
    /* Sets the parameters of traces that from_execution makes with these settings. Null: the format
     * has none. */
    void (*configure)(const struct assay_generate_settings *settings,
                      struct assay_parameter_values *values);
};

/* The model of a name, null when there is none; and the settings that it takes. */
const struct assay_model *assay_model_of(const struct assay_generator *generator, const char *name);
uint64_t assay_model_takes(const struct assay_generator *generator,
                           const struct assay_model *model);

/* Writes a trace of a model; to `execution` and `facts`, unless null, the recorded execution that
 * it shows, and the platform facts of the machine, if it has some. The sinks stay the caller's.
 * ASSAY_NO_MEMORY; ASSAY_LIMIT: more instructions than a random program executes. */
enum assay_error assay_model_make(const struct assay_generator *generator,
                                  const struct assay_model *model,
                                  const struct assay_generate_settings *settings,
                                  struct assay_sink *trace, struct assay_sink *execution,
                                  struct assay_sink *facts, struct assay_generated *generated,
                                  struct assay_diag *diag);

/* The settings of a source's stream in a capture that is made with `capture`; what generates it, or
 * null where the build does not have the format. */
const struct assay_generator *assay_source_generator(const struct assay_model_source *source);
struct assay_generate_settings assay_source_settings(const struct assay_model_source *source,
                                                     const struct assay_generate_settings *capture);

/* Makes the stream of a source, as assay_model_make does. ASSAY_UNSUPPORTED: the build does not
 * have its format. */
enum assay_error assay_source_make(const struct assay_model_source *source,
                                   const struct assay_generate_settings *capture,
                                   struct assay_sink *trace, struct assay_sink *execution,
                                   struct assay_generated *generated, struct assay_diag *diag);

/* All generators of the build; null ends the list. */
extern const struct assay_generator *const assay_generators[];

/* The generator of a format; null when there is none. */
const struct assay_generator *assay_generator_of(const struct assay_format *format);

#endif
