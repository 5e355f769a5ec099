/* Verification of the folder of a certificate. */
#ifndef ASSAY_CERTIFY_VERIFY_H
#define ASSAY_CERTIFY_VERIFY_H

#include "validator/certify/certification.h"
#include "validator/certify/key.h"

struct json_t;

/* What the reader of a certificate demands of it; null: anything. */
struct assay_certificate_demanded {
    const char *profile; /* the name of one of this build, or a file, which has to be the profile */
    const char *level;   /* of the profile: it, or one that extends it */
    const char *features; /* names, with commas */
    const char *producer; /* its name, or its name and version with a space */
    bool modified;        /* a profile, rules and readings that are none of Assay's are allowed */
    const struct assay_public_key *key; /* that it is signed by */
    const char *today;                  /* YYYY-MM-DD, for the expiry of waivers */
    /* Gets the predicate of a certificate that is all this, but for the expiry; or null. */
    enum assay_error (*found)(void *context, const struct json_t *predicate);
    void *context;
};

struct assay_certificate {
    enum assay_certify_verdict verdict;
    bool is_signed;
    char keyid[ASSAY_KEY_ID_TEXT]; /* that it is signed by, as it says; verified if a key was given
                                    */
    char valid_until[16];          /* or "" */
    char producer[240];            /* name, version and vendor; what is longer is cut off */
    char profile[160];             /* name and level */
    bool own_profile;              /* the profile is none of the build that made it */
    bool own_rules;                /* rules or readings are others than the catalogue's */
    bool released;                 /* the catalogues are those of a release */
    bool made;                     /* commands of the submission were run for it */
    bool repeats;                  /* programs were executed again for it, where it was due */
    size_t traces, own_recordings; /* how many traces it has, and how many of them are compared with
                                      the producer's recording */
    char challenges[256]; /* which ones its traces show, with those that are not met; or "" */
    char tool[64];        /* version of assay that made it */
    char catalogues[8][ASSAY_DIGEST_TEXT]; /* by which, without "sha256:" */
    size_t catalogue_count;
};

/* Checks every file of the folder by its digest and against the others (consistency.h), the
 * certificate, and its signature: by the key, or, if there is none, only that it is of this
 * certificate. ASSAY_CONTRADICTION: a file was altered, is missing or in excess, the signature is
 * of another key, or there is none, the verdict is not what the demands say, or the certificate is
 * not the one that is demanded; ASSAY_OUT_OF_RANGE: a waiver has expired; ASSAY_NOT_FOUND and
 * others: the file of the profile that is demanded cannot be read. */
enum assay_error assay_certificate_verify(const char *folder,
                                          const struct assay_certificate_demanded *demanded,
                                          struct assay_certificate *certificate,
                                          struct assay_diag *diag);

/* Whether the files of a certificate that was made again, in the folder `again`, are those of the
 * first one, byte for byte; signatures are left out. ASSAY_CONTRADICTION names the first that is
 * not. */
enum assay_error assay_certificate_compare(const char *folder, const char *again,
                                           struct assay_diag *diag);

#endif
