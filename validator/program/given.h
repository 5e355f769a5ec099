/* Checks of the options that were given: repeated ones, and those that contradict each other. */
#ifndef ASSAY_VALIDATOR_PROGRAM_GIVEN_H
#define ASSAY_VALIDATOR_PROGRAM_GIVEN_H

#include "validator/program/program.h"

struct assay_given {
    const char
        *values[128]; /* by the option's letter; "" of one without argument; null: not given */
};

/* Records an option. `once` has the letters of options that can be given only once: a repeated one
 * is refused. 0, or the exit status. */
int assay_given_note(struct assay_given *given, const struct assay_command *command,
                     const char *once, int letter, const char *value);

bool assay_given(const struct assay_given *given, int letter);

/* Refuses what contradicts each other in whatever order it was given, of the options of `check`:
 * --format (f) and --profile (P) of another, --thread (t) where neither --execution (x) nor a
 * manifest gives an execution, --quiet (q) and --progress (p) always. 0, or the exit status. */
int assay_given_check(const struct assay_given *given, const struct assay_command *command,
                      const char *const *operands, size_t count);

#endif
