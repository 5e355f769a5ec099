/* Vectors (schema assay-vector/1): small texts that the reference encoder turns into traces, with
 * the expected result of a validator or a decoder.
 */
#ifndef ASSAY_VALIDATOR_VECTOR_H
#define ASSAY_VALIDATOR_VECTOR_H

#include "common/arena.h"
#include "common/yaml.h"
#include "image/image.h"
#include "io/sink.h"
#include "model/facts.h"
#include "validator/engine/check.h"

enum assay_expectation {
    ASSAY_EXPECT_NOTHING,  /* the vector is only a way to write a trace */
    ASSAY_EXPECT_FAILS,    /* exactly the named rules fail */
    ASSAY_EXPECT_PASSES,   /* the named rules are exercised, no rule fails */
    ASSAY_EXPECT_EVENTS,   /* a decoder gives these events */
    ASSAY_EXPECT_REFUSES,  /* a decoder refuses the input, with this code */
    ASSAY_EXPECT_CONFORMS, /* no rule of level must fails */
    ASSAY_EXPECT_VIOLATES  /* a rule of level must fails that checks one of the named clauses */
};

/* Bases that extend each other, from the one that a vector names to the last. */
#define ASSAY_VECTOR_MAX_BASES 4

/* Streams of a capture. */
#define ASSAY_VECTOR_MAX_STREAMS 256

struct assay_vector_stream;

struct assay_vector {
    struct assay_yaml_file file; /* the vector's own; owns its texts, as each base its own */
    struct assay_yaml_file
        bases[ASSAY_VECTOR_MAX_BASES]; /* the bases that it extends, the nearest first */
    size_t base_count;
    struct assay_arena memory; /* of what is put together from several files */
    const struct assay_format *format;
    enum assay_expectation expectation;
    /* FAILS, PASSES: list of rule ids; EVENTS: a mapping with `list`, a list of mappings, and maybe
     * `layer` and `runs`; REFUSES: the code; CONFORMS, VIOLATES: list of clause ids. A vector that
     * only states `silent` is one of PASSES with an empty list: no rule fails. */
    const struct assay_yaml *expected;
    const char *layer;               /* EVENTS: the layer that the events are of, or null */
    bool runs;                       /* EVENTS: runs are events, and not expanded */
    const struct assay_yaml *silent; /* list of ids of rules that are not exercised, or null */
    const char *why;
    const struct assay_yaml *config; /* mapping of the format's parameters, or null */
    const char *storage;             /* of config, or null */
    struct assay_image_set *images;  /* of the program; or null */
    unsigned framing;                /* enum assay_framing: how packets are put into the bytes */
    uint32_t source_id;              /* of a stream of a capture: its id there; else 0 */
    unsigned profile; /* by which it is judged: 1 + its number; 0: as the trace says */
    struct assay_facts facts;
    const struct assay_yaml *interpret; /* or null */
    const struct assay_yaml *execution; /* or null */
    const struct assay_yaml *trace;     /* list of all events, those of the bases first */
    const struct assay_yaml *after;     /* or null */
    struct assay_vector_stream
        *streams;                      /* those that the trace carries, of a format that carries */
    struct assay_stream_setup *setups; /* streams, and what is given for each */
    size_t stream_count;
};

/* A stream that a vector's trace carries: a vector in the vector. Its bytes are put into the trace
 * by the items `stream` of that. Without a trace, they are in other events of the capture. Without
 * a format, nothing is known of the stream but that it is there. */
struct assay_vector_stream {
    uint32_t id;
    struct assay_vector vector; /* has no streams */
};

/* Where the bases of a vector that is in memory come from: a file by its path, which is the
 * vector's path with its last part replaced. */
struct assay_vector_files {
    enum assay_error (*read)(void *context, const char *path, struct assay_yaml_file *file,
                             struct assay_diag *diag);
    void *context;
};

/* Reads a vector and the bases that it extends; unknown keys, kinds and fields are errors at their
 * positions, which may be in a base. */
enum assay_error assay_vector_load(const char *path, struct assay_vector *vector,
                                   struct assay_diag *diag);
/* The same from a text in memory. A vector that names a base is refused when `files` is null. */
enum assay_error assay_vector_parse(const char *path, const char *text, size_t size,
                                    const struct assay_vector_files *files,
                                    struct assay_vector *vector, struct assay_diag *diag);

/* Bytes of a part of an image at most, repetitions included. */
#define ASSAY_VECTOR_MAX_PART (16U << 20)

/* How often the bytes of a part of the image, a mapping that was read, come one after the other. */
size_t assay_vector_repeat(const struct assay_yaml *part);

/* The vector as an input of a check, except for its bytes and recorded executions, its own and
 * those of its streams. It borrows from the vector. */
struct assay_input assay_vector_input(const struct assay_vector *vector, const char *name);

void assay_vector_free(struct assay_vector *vector);

/* Writes the trace, with what `after` does to its bytes. */
enum assay_error assay_vector_encode(const struct assay_vector *vector, struct assay_sink *sink,
                                     struct assay_diag *diag);

/* Writes the recorded execution of a vector that has one. */
enum assay_error assay_vector_execution(const struct assay_vector *vector, struct assay_sink *sink,
                                        struct assay_diag *diag);

/* Writes a manifest for a trace of the vector and its recorded execution (or null), which are files
 * in the folder of the manifest or below it: with format, profile, configuration and facts, and the
 * parts of its image as files beside it, NAME.image-0 ... for NAME.assay.yaml. So it has the
 * streams of the vector, whose files are NAME.0x10.image-0 ... and NAME.0x10.execution. */
enum assay_error assay_vector_manifest(const struct assay_vector *vector, const char *manifest,
                                       const char *trace, const char *execution,
                                       struct assay_diag *diag);

/* The readings that the vector sets, on top of the defaults; `readings` has room for one number a
 * interpretation of the catalogue. */
enum assay_error assay_vector_readings(const struct assay_vector *vector,
                                       const struct assay_catalogue *catalogue, uint16_t *readings,
                                       struct assay_diag *diag);

#endif
