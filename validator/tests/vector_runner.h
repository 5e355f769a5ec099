/* Running vectors: for the tests of the corpus, of the mutants and of the two back ends. */
#ifndef ASSAY_VALIDATOR_TESTS_VECTOR_RUNNER_H
#define ASSAY_VALIDATOR_TESTS_VECTOR_RUNNER_H

#include "model/reader.h"
#include "validator/engine/check.h"
#include "validator/vector/vector.h"

/* A vector, ready to run: its bytes and, where it has one, its recorded execution. So is each
 * stream of a capture whose format its vector gives: with the bytes that the capture carries of it.
 */
struct ready_vector {
    char *path;
    char *name;   /* the file's name in path; of a stream with its id: "NAME.yaml, stream 0x10" */
    bool carried; /* it is a stream of a capture, */
    uint32_t stream; /* under this id */
    struct assay_vector vector;
    struct assay_sink bytes;
    struct assay_sink execution; /* empty when there is none */
    uint16_t *readings;
    struct assay_parameter_values *parameters; /* by its configuration; null: the format has none */
};

struct ready_corpus {
    struct ready_vector *list; /* those that were asked for, part of `all` */
    size_t count;
    const struct assay_format *format; /* of all in the list; null: of any format */
    bool filtered; /* only some vectors were loaded: nothing can be said of the whole corpus */
    struct ready_vector *all;
    size_t all_count, capacity;
};

/* Loads all *.yaml below a folder, except for folders whose names begin with '_', which hold bases,
 * and the streams that they carry; sorted by format and name. Ends the program with a message when
 * one cannot be read. The environment variable ASSAY_VECTORS has patterns of names, separated by
 * commas: then only those vectors are loaded. */
struct ready_corpus load_corpus(const char *folder);
/* The same of one format, which is named, with those of its streams that other formats' vectors
 * carry; null: of all formats. */
struct ready_corpus load_corpus_of(const char *folder, const char *format);
void free_corpus(struct ready_corpus *corpus);

/* Whether a catalogue is that of the vectors in the list, or one of theirs. */
bool corpus_has_catalogue(const struct ready_corpus *corpus,
                          const struct assay_catalogue *catalogue);

/* What the vector's decoder works on, except for a recorded execution. It holds the parameters of
 * one decoder: the vector's, as they were before any stream told more. */
struct assay_decode_input vector_input(const struct ready_vector *vector,
                                       struct assay_source *source);

/* Runs a vector with a catalogue. The options are filled for it; the caller closes the check. */
struct vector_run {
    struct assay_check_options options;
    const struct assay_catalogue *catalogue;
    const uint16_t *readings;
    struct assay_check *check;
    const struct assay_results *results;
};

void run_vector(struct vector_run *run, const struct ready_vector *vector,
                const struct assay_catalogue *catalogue, bool evaluate);
/* Runs a capture with all its streams, which have no recorded executions, with all catalogues. */
void run_capture(struct vector_run *run, const struct ready_vector *vector, bool evaluate);
void end_run(struct vector_run *run);

/* Whether a rule is in the list of a vector of rules (`passes`, `fails`). */
bool vector_names(const struct ready_vector *vector, const char *rule);

/* The stream of a capture under an id; null when its vector does not give its format. */
const struct ready_vector *carried_stream(const struct ready_corpus *corpus,
                                          const struct ready_vector *capture, uint32_t id);

/* Whether a vector is there for a rule, by the name of its file. */
bool vector_is_about(const struct ready_vector *vector, const char *rule);

/* Whether this verdict on a rule contradicts what the vector states of the rule: that it fails or
 * does not; that it passes; that it is not exercised (a vector named RULE.silent). Of a diagnosis
 * "fails" says that it is recognised; a vector with violations says nothing of those that it does
 * not name. */
bool vector_contradicts(const struct ready_vector *vector, const struct assay_rule *rule,
                        enum assay_verdict verdict);

/* The events that a vector of events states: of the layer that it names, or of all, with runs
 * expanded. The next one is null at the end, and valid until the one after it is asked for. */
struct vector_reader {
    const struct ready_vector *vector;
    struct assay_decoder *decoder;
    struct assay_reader reader;
};

void open_events(struct vector_reader *reader, const struct ready_vector *vector);
const struct assay_event *next_event(struct vector_reader *reader);
void close_events(struct vector_reader *reader);

/* A vector's events, kept: copies that a test may judge as often as it likes. */
struct recorded {
    const struct ready_vector *vector;
    struct assay_event *events; /* of all layers; `from` is one of these events, too */
    size_t count;
    unsigned profile;                          /* by which it was read */
    struct assay_parameter_values *parameters; /* in effect; null: the format has none */
};

/* What a judge of the events has besides the trace (enum assay_need), except for a
 * recorded execution. */
uint8_t recorded_given(const struct recorded *recorded);

/* Gives events of one or more layers to a judge, each layer in blocks of its own. */
enum assay_error judge_in_layers(struct assay_judge *judge, const struct assay_format *format,
                                 const struct assay_event *events, size_t count);

/* Fills *recorded, which is all 0; ends the program when the decoder cannot be opened. */
void record_vector(struct recorded *recorded, const struct ready_vector *vector);
/* The same for other bytes, read with the facts, the profile and the recorded execution of
 * recorded->vector. Of many events the first are recorded, MOST_RECORDED and what is left of a
 * block: a packet can stand for millions of runs. */
enum { MOST_RECORDED = 1 << 18 };
void record_bytes(struct recorded *recorded, const struct assay_sink *bytes);

/* As record_vector, where these conditions are asked in place of those of the built-in rules. */
void record_asked(struct recorded *recorded, const struct ready_vector *vector,
                  const struct assay_conditions *conditions);

/* An event with bytes and cells of its own, which have room for 64 bytes more. */
struct assay_event copy_event(const struct assay_format *format, const struct assay_event *event);
void free_event(const struct assay_event *event);

void free_recorded(struct recorded *recorded);

#endif
