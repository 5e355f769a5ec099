/* Running vectors: for the tests of the corpus, of the mutants and of the two back ends. */
#ifndef ASSAY_VALIDATOR_TESTS_VECTOR_RUNNER_H
#define ASSAY_VALIDATOR_TESTS_VECTOR_RUNNER_H

#include "validator/engine/check.h"
#include "validator/vector/vector.h"

/* A vector, ready to run: its bytes and, where it has one, its recorded execution. */
struct ready_vector {
    char *path;
    const char *name; /* the file's name in path */
    struct assay_vector vector;
    struct assay_sink bytes;
    struct assay_sink execution; /* empty when there is none */
    uint16_t *readings;
};

struct ready_corpus {
    struct ready_vector *list;
    size_t count;
};

/* Loads all *.yaml below a folder, sorted by name; ends the program with a message when one cannot
 * be read. */
struct ready_corpus load_corpus(const char *folder);
void free_corpus(struct ready_corpus *corpus);

/* What the vector's decoder works on, but for a recorded execution. */
struct assay_decode_input vector_input(const struct ready_vector *vector,
                                       struct assay_source *source);

/* Runs a vector with a catalogue. The options are filled for it; the caller closes the check. */
struct vector_run {
    struct assay_check_options options;
    const struct assay_catalogue *catalogues[1];
    const uint16_t *readings[1];
    struct assay_check *check;
    const struct assay_results *results;
};

void run_vector(struct vector_run *run, const struct ready_vector *vector,
                const struct assay_catalogue *catalogue, bool evaluate);
void end_run(struct vector_run *run);

/* A vector's events, kept: copies that a test may judge as often as it likes. */
struct recorded {
    const struct ready_vector *vector;
    struct assay_event *events;
    size_t count;
    unsigned profile; /* by which it was read */
};

/* Fills *recorded, which is all 0; ends the program when the decoder cannot be opened. */
void record_vector(struct recorded *recorded, const struct ready_vector *vector);
void free_recorded(struct recorded *recorded);

#endif
