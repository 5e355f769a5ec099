/* Checking: inputs in, results out. What `assay check` does, as a library. */
#ifndef ASSAY_VALIDATOR_CHECK_H
#define ASSAY_VALIDATOR_CHECK_H

#include "validator/engine/results.h"

struct assay_source;
struct assay_source_parts;
struct assay_yaml;
struct assay_image_set;
struct assay_stop;

/* The description of a stream, and the files given with it. Zero-initialised: a stream whose format
 * is found by its magic, with nothing else. All of it is borrowed. */
struct assay_stream_setup {
    bool has_id; /* it is carried by a capture under `id` */
    uint32_t id;
    uint32_t source_id; /* the id under which a capture has its bytes, also where it is judged by
                           itself; 0: none is known */
    const struct assay_format *format; /* null: by the input's magic */
    unsigned profile;                  /* 1 + its number in the format; 0: as the stream says */
    const struct assay_facts *facts;   /* or null: none is known */
    /* Parameters other than defaults: a file, and a mapping with the path of the file that it
     * is in. Each may be null. */
    const char *config_file;
    const struct assay_yaml *config;
    const char *config_path;
    const struct assay_yaml *interpret; /* of a vector: readings, by the ids of interpretations; or
                                           null: the defaults, or what the run has */
    const struct assay_image_set *images; /* of the program, sealed; or null */
    unsigned framing;      /* enum assay_framing: how packets, or streams, are put into its bytes */
    bool framing_given;    /* the framing overrides that of a manifest, even if it is RAW */
    const char *execution; /* path of a recorded execution, or null */
    bool may_be_idle;      /* that the capture has nothing of it is no fault of either */
    const struct assay_diag *unjudged; /* why it cannot be judged, as what was given is wrong; or
                                          null */
    uint32_t execution_thread;         /* number of the thread in it that the stream is of, or
                                          ASSAY_EXECUTION_THREAD_FROM_TRACE (execution.h) */
};

/* An input: what is judged under one name. */
struct assay_input {
    /* Its name; of the file, where `parts` is null; "-" is standard input. If it is a manifest
     * (`*.assay.yaml`), the files that it names are judged; the members below override the
     * manifest. */
    const char *path;
    const struct assay_diag *refused; /* it is known that it cannot be judged, and why; or null */
    bool allow_outside;               /* the manifest may name files outside of its folder */
    bool never_outside;               /* no option permits that (struct assay_manifest_options) */
    const struct assay_source_parts *parts; /* the files that it consists of; or null */
    const char *const *part_names;          /* what reports call them */
    struct assay_stream_setup setup;
    const struct assay_stream_setup *streams; /* those that it carries, by their ids */
    size_t stream_count;
    const struct assay_stream_setup *others; /* of all other streams; null: they are reported and
                                                not judged */
};

/* The setup of a stream that an input carries; without a format when none is given for the id. */
struct assay_stream_setup assay_stream_setup_of(const struct assay_input *input, uint32_t id);

struct assay_input_run; /* engine/input.h */

/* Told of inputs while they are judged, by those that keep what judging gave (validator/record/).
 * Each function may be null. */
struct assay_recorder {
    /* Before an input is judged, on the threads of the jobs: *known if its result is known already.
     * Then the run has its result and tally, and is not judged; if not it is unchanged.
     * ASSAY_NO_MEMORY is the only error. */
    enum assay_error (*recall)(void *context, struct assay_input_run *run, bool *known);
    /* After it was judged, on the threads of the jobs. */
    void (*judged)(void *context, const struct assay_input_run *run);
    /* In the order of the inputs, once the result was added to the run's; an error ends the run. */
    enum assay_error (*added)(void *context, const struct assay_input_run *run);
    void *context;
};

struct assay_check_options {
    /* The rules: catalogues that are used for streams of their format, with which rules to leave
     * out and which readings to take; deselected[n] and readings[n] belong to catalogues[n], and
     * may be null. */
    const struct assay_catalogue *const *catalogues;
    size_t catalogue_count;
    const bool *const *deselected;
    const uint16_t *const *readings;
    const struct assay_waivers *waivers; /* of these catalogues; or null */
    unsigned max_findings;
    enum assay_level fail_on; /* violations below it do not count for the verdict */
    bool never_fail;          /* --fail-on never */
    bool evaluate;            /* evaluate the rules even where emitted checks exist */
    bool digest;              /* compute the SHA-256 of what is read */
    bool overview;            /* make overviews of streams (overview.h) */
    bool in_step;             /* each block is judged before the next one is decoded */
    unsigned jobs; /* inputs checked at the same time; with more than there are inputs also streams
                      that a capture carries; then, and with 1, other threads decompress,
                      decode and digest */
    const struct assay_stop *stop; /* once requested the run ends at the next block, and its results
                                      say so; or null */
    /* Called from time to time with the progress of an input, and at its end with `bytes` equal to
     * `size`; on the threads of the jobs; may be null. size is 0 when it is not known. */
    void (*progress)(void *context, const char *path, uint64_t bytes, uint64_t size);
    void *progress_context;
    /* Called with each block of a stream before it is judged; may be null. Only format and id of
     * the stream are set. */
    void (*show)(void *context, const struct assay_stream_result *stream,
                 const struct assay_block *block);
    void *show_context;
    /* Told each finding that is not waived: once its block was judged or, in a stream that is
     * carried, once the stream was; on the threads of the jobs; may be null. A rule may turn out
     * later not to apply to the trace, whose profile is certain only at its end: the results have
     * the last word. Of the stream only format and id are set. */
    void (*found)(void *context, const struct assay_found *found);
    /* Of assay_check_inputs: told of each input, by its number, that it is begun, and that its
     * result was added to the results, whose verdicts of rules are not final. Each in the order of
     * the inputs, on the threads of the jobs; may be null. */
    void (*begun)(void *context, size_t number, const char *path);
    void (*judged)(void *context, const struct assay_results *results, size_t number);
    void *found_context; /* of these three */
    /* Of assay_check_inputs; or null. Of an input whose result is known no findings are told. */
    const struct assay_recorder *recorder;
};

struct assay_check;

/* Begins a run. The options are the caller's and must outlive it. */
enum assay_error assay_check_open(const struct assay_check_options *options,
                                  struct assay_check **check, struct assay_diag *diag);

/* Checks inputs, in order; their results are added. What is wrong with an input is in its
 * result; only errors of the run itself (no memory) are returned. */
enum assay_error assay_check_inputs(struct assay_check *check, const struct assay_input *inputs,
                                    size_t count, struct assay_diag *diag);

/* Checks one input from a source, which becomes the run's, as does that of the recorded execution,
 * which may be null. The input's path is its name. */
enum assay_error assay_check_source(struct assay_check *check, const struct assay_input *input,
                                    struct assay_source *source, struct assay_source *execution,
                                    struct assay_diag *diag);

/* The results before anything is judged: only the digests and readings that the options say. */
const struct assay_results *assay_check_begun(const struct assay_check *check);

/* The results so far; borrowed, valid until the run is closed. The environment is left empty. */
const struct assay_results *assay_check_results(struct assay_check *check);

void assay_check_close(struct assay_check *check);

/* The format that an input's first bytes belong to by magic; null when none. The only error is that
 * memory is out. */
enum assay_error assay_detect_format(struct assay_source *source,
                                     const struct assay_format **format);

/* Says why an input is of no format that has a magic: ASSAY_UNKNOWN_FORMAT, or the error that
 * reading gave. */
enum assay_error assay_explain_unknown(struct assay_source *source, struct assay_diag *diag);

#endif
