/* The folder that a certification leaves. */
#ifndef ASSAY_CERTIFY_FOLDER_H
#define ASSAY_CERTIFY_FOLDER_H

#include "io/sink.h"
#include "validator/certify/certification.h"

#define ASSAY_CERTIFICATE        "certificate.json"
#define ASSAY_CERTIFICATE_SIGNED "certificate.dsse.json"
#define ASSAY_CERTIFICATE_SUMS   "SHA256SUMS"

/* The predicate's type, and the schema of the predicate. */
#define ASSAY_STATEMENT_TYPE     "https://in-toto.io/Statement/v1"
#define ASSAY_CERTIFICATE_TYPE   "assay:certificate/1"
#define ASSAY_CERTIFICATE_SCHEMA "assay-certificate/1"

struct assay_secret_key;

/* Writes all files of the certificate to a folder that is there and empty, signed if there is a
 * key. The same certification gives the same bytes. */
enum assay_error assay_certify_write(const struct assay_certification *certification,
                                     const struct assay_secret_key *key, const char *folder,
                                     struct assay_diag *diag);

/* The files of a folder of a certificate, by name: what SHA256SUMS lists, and what is in it. */
struct assay_certify_listing {
    const char **names;
    size_t count, room;
    struct assay_arena arena;
};

/* Lists a folder but for SHA256SUMS. What is no regular file is ASSAY_CONTRADICTION. The listing is
 * to be freed in any case. */
enum assay_error assay_certify_list(const char *folder, struct assay_certify_listing *listing,
                                    struct assay_diag *diag);
void assay_certify_listing_free(struct assay_certify_listing *listing);

/* The SHA-256 of a file of a folder, "sha256:...". ASSAY_NOT_FOUND and the like; ASSAY_NO_MEMORY.
 */
enum assay_error assay_certify_digest(const char *folder, const char *name,
                                      char sha256[ASSAY_DIGEST_TEXT], struct assay_diag *diag);

/* A file of a folder that is verified, of at most `most` bytes; the caller frees the text. A file
 * that is missing or larger is ASSAY_CONTRADICTION. */
enum assay_error assay_certify_load(const char *folder, const char *name, size_t most, char **text,
                                    size_t *size, struct assay_diag *diag);

/* Says what is wrong with a file of a folder. ASSAY_CONTRADICTION. */
enum assay_error assay_certify_refuse(const char *folder, const char *name, struct assay_diag *diag,
                                      const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The text of SHA256SUMS for the files of a folder, as sha256sum writes it. */
enum assay_error assay_certify_sums(const char *folder, const struct assay_certify_listing *listing,
                                    struct assay_sink *sums, struct assay_diag *diag);

#endif
