/* Executing and writing a challenge that is laid out. Private to generators/challenge/. */
#ifndef ASSAY_GENERATORS_CHALLENGE_RUN_H
#define ASSAY_GENERATORS_CHALLENGE_RUN_H

#include "generators/challenge/challenge.h"
#include "generators/challenge/code.h"
#include "io/sink.h"

struct challenge_program {
    const struct assay_challenge_options *options;
    struct challenge_code *code;
    uint16_t top; /* where a round begins */
    struct assay_challenge_facts *facts;
    char name[64];
};

/* Executes the program to find how many rounds it has time for, and sets them in its data.
 * ASSAY_INTERNAL: it does what no challenge does. */
enum assay_error challenge_set_rounds(struct challenge_program *program);

/* Executes it, and writes the recording, if there is a sink. It sets the facts that follow. */
enum assay_error challenge_record(struct challenge_program *program, struct assay_sink *sink,
                                  struct assay_diag *diag);

/* Where the code of a program for Linux is in its file, and before its base. */
enum { CHALLENGE_CODE_OFFSET = 4096, CHALLENGE_LINUX_GAP = 65536 };

/* Writes the ELF file. */
void challenge_write_elf(const struct challenge_program *program, uint32_t parked,
                         struct assay_sink *sink);

#endif
