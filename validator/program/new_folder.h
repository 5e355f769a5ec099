/* A folder of files that are written together: it is there with all of them, or not at all, and
 * never takes the place of anything. */
#ifndef ASSAY_VALIDATOR_PROGRAM_NEW_FOLDER_H
#define ASSAY_VALIDATOR_PROGRAM_NEW_FOLDER_H

#include "common/stop.h"

enum { ASSAY_FOLDER_PATH = 4096 };

struct assay_new_folder {
    struct assay_stop stop;        /* a signal asks to end the work; private */
    char place[ASSAY_FOLDER_PATH]; /* where it will be */
    char root[ASSAY_FOLDER_PATH];  /* where files are written until then */
};

/* Makes a folder beside `folder`, which may only be absent or an empty folder; else it is refused
 * now, and not after the work. `what` is what will be in it, for the hint: "the corpus is". Errors:
 * ASSAY_NOT_WRITABLE, ASSAY_WRITE_FAILED (no room), ASSAY_NO_MEMORY and ASSAY_LIMIT; then there is
 * nothing to end. From now on a signal does not end the program at once (interrupt.h). */
enum assay_error assay_new_folder_begin(struct assay_new_folder *new, const char *folder,
                                        const char *what, struct assay_diag *diag);

/* ASSAY_INTERRUPTED once a signal was received, after which the work shall go no further. */
enum assay_error assay_new_folder_check(const struct assay_new_folder *new,
                                        struct assay_diag *diag);

/* Puts the folder to its place if there was no error so far, and else removes it with its files.
 * Gives that error, or its own. If a signal was received the program ends by it. */
enum assay_error assay_new_folder_end(struct assay_new_folder *new, enum assay_error error,
                                      struct assay_diag *diag);

/* Removes it with its files: they were not meant to be kept. */
void assay_new_folder_discard(struct assay_new_folder *new);

#endif
