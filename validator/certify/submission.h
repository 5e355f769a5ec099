/* Submissions: what a producer hands in to be certified: what it claims, and its traces. The
 * grammar is in docs/certification.md. */
#ifndef ASSAY_CERTIFY_SUBMISSION_H
#define ASSAY_CERTIFY_SUBMISSION_H

#include "generators/challenge/challenge.h"
#include "io/digest.h"
#include "validator/certify/profile.h"

enum { ASSAY_CERTIFY_TRACES_MAX = 16384, ASSAY_CERTIFY_CHALLENGED_MAX = 1000000000 };

struct assay_certify_trace {
    const char *path;      /* of a trace, a manifest or a snapshot; relative to the submission */
    const char *execution; /* that it is compared with, or null */
    const char *facts;     /* a file, or null */
    const char *workload;  /* that was traced, or null */
    const struct assay_challenge_options *challenge; /* the same */
    const char *command; /* a line of the shell that makes it, or null */
    const struct assay_yaml *node;
};

/* A value that the producer says a parameter of its traces has. */
struct assay_certify_parameter {
    const char *name;
    const struct assay_yaml *value;
};

/* A digest that a file has to have. */
struct assay_certify_pin {
    const char *path;
    char sha256[ASSAY_DIGEST_TEXT];
    const struct assay_yaml *node;
    bool met; /* a file that was read has it */
};

struct assay_submission {
    const char *producer, *version, *vendor; /* its name and version; who makes it, or null */
    const struct assay_format *format;
    unsigned dialect;    /* 1 + the number of the format's profile that the traces are of;
                            0: as each says */
    const char *profile; /* name of the certification profile */
    const struct assay_yaml *profile_node;
    const char *level; /* of it */
    const struct assay_yaml *level_node;
    struct assay_certify_texts features;
    struct assay_certify_texts readings; /* "INT-ID=reading" */
    struct assay_certify_parameter *parameters;
    size_t parameter_count;
    struct assay_certify_trace *traces;
    size_t trace_count;
    uint64_t challenged; /* instructions of all challenges at most: they are executed again */
    struct assay_certify_texts waivers; /* paths of files */
    struct assay_certify_pin *pins;
    size_t pin_count;
    const char *text; /* the file, of `size` bytes */
    size_t size;
    struct assay_yaml_file file; /* private */
    struct assay_arena arena;    /* private */
};

/* Reads a submission. Paths that are absolute, or have a part "..", are ASSAY_OUT_OF_RANGE; the
 * files need not exist. Errors name file, line and column. It is to be freed in any case. */
enum assay_error assay_submission_load(const char *path, struct assay_submission *submission,
                                       struct assay_diag *diag);

/* The same of a text, which is borrowed. */
enum assay_error assay_submission_parse(const char *path, const char *text, size_t size,
                                        struct assay_submission *submission,
                                        struct assay_diag *diag);

/* Whether the files that it names are regular files inside the current folder, links followed:
 * ASSAY_NOT_FOUND, ASSAY_NOT_READABLE. */
enum assay_error assay_submission_check_files(const struct assay_submission *submission,
                                              struct assay_diag *diag);

/* Allowed for one that is zero-initialised. */
void assay_submission_free(struct assay_submission *submission);

#endif
