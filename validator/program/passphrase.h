/* Passphrases: from the terminal, or from a descriptor; never from the command line. */
#ifndef ASSAY_VALIDATOR_PROGRAM_PASSPHRASE_H
#define ASSAY_VALIDATOR_PROGRAM_PASSPHRASE_H

#include "common/error.h"
#include "validator/certify/key.h"

/* Reads a passphrase: the first line of the descriptor `fd`, or, if that is negative, what is typed
 * at the terminal, unseen, after `prompt`; twice if it is a new one. ASSAY_NOT_READABLE: there is
 * no terminal, or nothing on the descriptor. ASSAY_CONTRADICTION: the two are not the same. The
 * text is to be wiped. */
enum assay_error assay_passphrase_read(int fd, const char *prompt, bool is_new,
                                       char text[ASSAY_PASSPHRASE_MAX + 1],
                                       struct assay_diag *diag);

void assay_passphrase_wipe(char text[ASSAY_PASSPHRASE_MAX + 1]);

#endif
