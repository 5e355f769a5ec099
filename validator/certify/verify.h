/* Verification of the folder of a certificate. */
#ifndef ASSAY_CERTIFY_VERIFY_H
#define ASSAY_CERTIFY_VERIFY_H

#include "validator/certify/certification.h"
#include "validator/certify/key.h"

struct assay_certificate {
    enum assay_certify_verdict verdict;
    bool is_signed;
    char keyid[ASSAY_KEY_ID_TEXT]; /* that it is signed by, as it says; verified if a key was given
                                    */
    char valid_until[16];          /* or "" */
    char producer[160];            /* name and version; what is longer is cut off */
    char profile[160];             /* name and level */
    bool own_profile;              /* the profile is none of the build that made it */
    bool own_rules;                /* rules or readings are not those of a release */
    bool made;                     /* commands of the submission were run for it */
    char tool[64];                 /* version of assay that made it */
    char catalogues[8][ASSAY_DIGEST_TEXT]; /* by which, without "sha256:" */
    size_t catalogue_count;
};

/* Checks every file of the folder by its digest, the certificate, and its signature: by the key,
 * or, if that is null, only that it is of this certificate. `today` (YYYY-MM-DD) is compared with
 * the expiry of waivers. ASSAY_CONTRADICTION: a file was altered, is missing or in excess, the
 * signature is of another key, or there is none, or the verdict is not what the demands say;
 * ASSAY_OUT_OF_RANGE: a waiver has expired. */
enum assay_error assay_certificate_verify(const char *folder, const struct assay_public_key *key,
                                          const char *today, struct assay_certificate *certificate,
                                          struct assay_diag *diag);

/* Whether the files of a certificate that was made again, in the folder `again`, are those of the
 * first one, byte for byte; signatures are left out. ASSAY_CONTRADICTION names the first that is
 * not. */
enum assay_error assay_certificate_compare(const char *folder, const char *again,
                                           struct assay_diag *diag);

#endif
