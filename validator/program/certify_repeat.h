/* Executes the programs of a submission again, by a command of whoever certifies. */
#ifndef ASSAY_VALIDATOR_PROGRAM_CERTIFY_REPEAT_H
#define ASSAY_VALIDATOR_PROGRAM_CERTIFY_REPEAT_H

#include "validator/certify/recordings.h"
#include "validator/compare/decoder.h"
#include "validator/program/certify_run.h"

struct assay_certify_repeating {
    struct assay_certify_repeat repeat; /* for the certification; its context is this */
    struct assay_decoder_command command;
};

/* Prepares `given->reference`, which has {} in place of the program, and writes the recording to
 * standard output, with the limits and the isolation of commands. Errors as of
 * assay_decoder_prepare. `given` and `stop` must outlive it. */
enum assay_error assay_certify_repeat_begin(struct assay_certify_repeating *repeating,
                                            const struct assay_certify_given *given,
                                            const struct assay_stop *stop, struct assay_diag *diag);

#endif
