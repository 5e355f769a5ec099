/* Challenges: programs that are drawn from a seed (generators/challenge/). A submission names the
 * one that a trace is of; its program and its predicted execution are made again from that, and
 * what the trace was judged with has to be the same, byte for byte. */
#ifndef ASSAY_CERTIFY_CHALLENGE_H
#define ASSAY_CERTIFY_CHALLENGE_H

#include <jansson.h>

#include "common/yaml.h"
#include "generators/challenge/challenge.h"
#include "io/digest.h"
#include "io/sink.h"

struct assay_certification;

enum { ASSAY_CHALLENGE_TEXT = 288, ASSAY_CHALLENGE_ARCHITECTURE = 16 };

/* The architecture with a name: "aarch64"; "riscv64", which is "rv64imac", or "rv64i" and some of
 * the letters m, a and c, in this order. False: there is none. */
bool assay_challenge_architecture(const char *name, struct assay_challenge_options *options);

/* Its name, and "linux" or "bare". */
void assay_challenge_architecture_name(const struct assay_challenge_options *options,
                                       char name[ASSAY_CHALLENGE_ARCHITECTURE]);
const char *assay_challenge_form(const struct assay_challenge_options *options);

/* Fills in what was not given, and is 0: instructions, and of a bare program base and level. */
void assay_challenge_complete(struct assay_challenge_options *options);

/* A mapping that says which challenge, in one line; and its reader, which refuses unknown keys, and
 * a generator of another version. */
void assay_challenge_write(const struct assay_challenge_options *options,
                           char text[ASSAY_CHALLENGE_TEXT]);
enum assay_error assay_challenge_read(const struct assay_yaml *map,
                                      struct assay_challenge_options *options,
                                      struct assay_diag *diag);

/* "sha256:..." of the files of a challenge. */
struct assay_challenge_reference {
    char program[ASSAY_DIGEST_TEXT], execution[ASSAY_DIGEST_TEXT];
    struct assay_challenge_facts facts;
};

/* Writes both files to open descriptors, which can be read, and gives their digests. */
enum assay_error assay_challenge_reference(const struct assay_challenge_options *options,
                                           int program, int execution,
                                           struct assay_challenge_reference *reference,
                                           struct assay_diag *diag);

/* What became of the challenge that a trace is said to be of. */
struct assay_certify_challenged {
    uint64_t executed;      /* instructions of the predicted execution */
    const char *difference; /* why what it was judged with is not the challenge; null: it is */
    bool met;               /* it has as much of the execution as is due; set by the decision */
};

/* Makes the challenges of the submission again, and compares their files with those that were
 * judged with; afterwards `certification->challenged` has an entry for each trace. */
enum assay_error assay_certify_challenges(struct assay_certification *certification,
                                          struct assay_diag *diag);

/* Whether an earlier trace shows the same challenge: with another number of rounds, or at another
 * address, it is no other. */
bool assay_certify_challenge_is_repeated(const struct assay_certification *certification,
                                         size_t trace);

/* "seed 42, aarch64, linux" */
enum { ASSAY_CHALLENGE_NAME = 64 };
void assay_challenge_name(const struct assay_challenge_options *options,
                          char name[ASSAY_CHALLENGE_NAME]);

/* What the demands of a certificate say of challenges, as one line; "" where there are none. */
void assay_certify_challenges_said(const json_t *demands, char *text, size_t room);

#endif
