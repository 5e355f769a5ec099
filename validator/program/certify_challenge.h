/* assay certify --challenge: programs that are drawn from a seed, written to a folder with their
 * predicted executions. */
#ifndef ASSAY_VALIDATOR_PROGRAM_CERTIFY_CHALLENGE_H
#define ASSAY_VALIDATOR_PROGRAM_CERTIFY_CHALLENGE_H

#include "generators/challenge/challenge.h"

struct assay_command;

struct assay_certify_challenge_given {
    const struct assay_command *command; /* whose options these are, for messages */
    const char *seed;                    /* as it was given; null: no challenge is wanted */
    bool has_architecture;
    struct assay_challenge_options options;
};

/* Takes an option by its letter; false: it is none of a challenge. *status is 0, or the exit status
 * after having said what is wrong. */
bool assay_certify_challenge_take(struct assay_certify_challenge_given *given, int option,
                                  const char *value, int *status);

/* Whether options of a challenge go together, and are allowed here: 0 or the exit status. */
int assay_certify_challenge_check(const struct assay_certify_challenge_given *given);

/* Writes the folder; the exit status. */
int assay_certify_challenge_write(const struct assay_certify_challenge_given *given,
                                  const char *folder);

#endif
