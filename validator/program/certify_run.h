/* What `assay certify` does once the command line is understood. Each function returns the exit
 * status, after having said what is wrong. */
#ifndef ASSAY_VALIDATOR_PROGRAM_CERTIFY_RUN_H
#define ASSAY_VALIDATOR_PROGRAM_CERTIFY_RUN_H

#include <stdint.h>

#include "validator/compare/decoder.h"
#include "validator/program/program.h"

enum { ASSAY_CERTIFY_RULE_FILES = 16 };

struct assay_certify_given {
    const char *output;  /* the folder that is made */
    const char *profile; /* a file instead of a built-in profile; or null */
    const char *rules[ASSAY_CERTIFY_RULE_FILES];
    size_t rule_count;
    const char *sign;  /* a secret key; or null */
    const char *key;   /* a public key; or null */
    const char *level; /* that is demanded of a certificate, as the next three; or null */
    const char *features;
    const char *producer;
    bool allow_modified;
    const char *traces; /* a folder; or null */
    int passphrase_fd;  /* negative: the terminal */
    bool run_commands;
    const char *reference;          /* a command that executes a program and records it; or null */
    enum assay_isolation isolation; /* of commands */
    uint64_t seconds;               /* that a command may take */
    uint64_t room;                  /* bytes of a file that it writes */
    uint64_t jobs;
};

/* Judges a submission, and writes the certificate. */
int assay_certify_submission(const struct assay_certify_given *given, const char *submission);

/* Verifies the folder of a certificate. */
int assay_certify_verify(const struct assay_certify_given *given, const char *folder);

/* Writes the table of the certificates in folders, as Markdown or as JSON (certify_table.c). */
int assay_certify_table(const struct assay_certify_given *given, char *const *folders, size_t count,
                        bool json);

/* Makes a pair of keys. */
int assay_certify_new_key(const struct assay_certify_given *given, const char *path);

/* Lists the profiles of this build, with their levels and features. */
int assay_certify_list_profiles(void);

#endif
