/* Vectors (schema assay-vector/1): small texts that the reference encoder turns into traces, with
 * what a validator or a decoder must make of them.
 */
#ifndef ASSAY_VALIDATOR_VECTOR_H
#define ASSAY_VALIDATOR_VECTOR_H

#include "common/facts.h"
#include "common/sink.h"
#include "common/yaml.h"
#include "validator/engine/catalogue.h"

enum assay_expectation {
    ASSAY_EXPECT_NOTHING, /* the vector is only a way to write a trace */
    ASSAY_EXPECT_FAILS,   /* exactly the named rules fail */
    ASSAY_EXPECT_PASSES,  /* the named rules are exercised, no rule fails */
    ASSAY_EXPECT_EVENTS,  /* a decoder gives these events */
    ASSAY_EXPECT_REFUSES  /* a decoder refuses the input, with this code */
};

struct assay_vector {
    struct assay_yaml_file file; /* owns all texts */
    const struct assay_format *format;
    enum assay_expectation expectation;
    const struct assay_yaml *expected; /* list of rule ids; list of events; the code */
    const char *why;
    const char *storage; /* or null */
    unsigned profile;    /* by which it is judged: 1 + its number; 0: as the trace says */
    struct assay_facts facts;
    const struct assay_yaml *interpret; /* or null */
    const struct assay_yaml *execution; /* or null */
    const struct assay_yaml *trace;
    const struct assay_yaml *after; /* or null */
};

/* Reads a vector; unknown keys, kinds and fields are errors at their places. */
enum assay_error assay_vector_load(const char *path, struct assay_vector *vector,
                                   struct assay_diag *diag);
/* The same from a text in memory. */
enum assay_error assay_vector_parse(const char *path, const char *text, size_t size,
                                    struct assay_vector *vector, struct assay_diag *diag);
void assay_vector_free(struct assay_vector *vector);

/* Writes the trace, with what `after` does to its bytes. */
enum assay_error assay_vector_encode(const struct assay_vector *vector, struct assay_sink *sink,
                                     struct assay_diag *diag);

/* Writes the recorded execution of a vector that has one. */
enum assay_error assay_vector_execution(const struct assay_vector *vector, struct assay_sink *sink,
                                        struct assay_diag *diag);

/* The readings that the vector sets, on top of the defaults; `readings` has room for one number a
 * interpretation of the catalogue. */
enum assay_error assay_vector_readings(const struct assay_vector *vector,
                                       const struct assay_catalogue *catalogue, uint16_t *readings,
                                       struct assay_diag *diag);

#endif
