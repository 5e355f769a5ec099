/* The commands of a submission, which make its traces. */
#ifndef ASSAY_VALIDATOR_PROGRAM_CERTIFY_COMMANDS_H
#define ASSAY_VALIDATOR_PROGRAM_CERTIFY_COMMANDS_H

#include "common/stop.h"
#include "validator/certify/submission.h"
#include "validator/compare/decoder.h"
#include "validator/program/certify_run.h"

/* Whether the folder that the certificate is written to, which is there, is outside of the current
 * one, which commands can write. ASSAY_USAGE: it is not. */
enum assay_error assay_certify_check_output(const char *output, struct assay_diag *diag);

/* Runs them in the current folder, with limits of time and of the files that they write, isolated
 * as decoders are (compare/decoder.h). A trace that is there already is not made: ASSAY_DUPLICATE.
 * A command that fails, or leaves no trace, is ASSAY_NOT_FOUND. */
enum assay_error assay_certify_commands(const struct assay_submission *submission,
                                        const struct assay_certify_given *given,
                                        const struct assay_stop *stop, struct assay_diag *diag);

#endif
