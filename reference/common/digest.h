/* SHA-256 of files and texts. */
#ifndef ASSAY_COMMON_DIGEST_H
#define ASSAY_COMMON_DIGEST_H

#include <stddef.h>

#include "common/error.h"

/* "sha256:" and 64 hexadecimal digits, terminated. */
enum { ASSAY_DIGEST_TEXT = 7 + 64 + 1 };

struct assay_digest {
    void *context; /* private */
};

void assay_digest_begin(struct assay_digest *digest);
void assay_digest_add(struct assay_digest *digest, const void *data, size_t size);

/* Adds the bytes of a file. */
enum assay_error assay_digest_file(struct assay_digest *digest, const char *path,
                                   struct assay_diag *diag);

/* Ends the digest; `text` is "sha256:" and zeros when memory was out at the beginning. */
void assay_digest_end(struct assay_digest *digest, char text[ASSAY_DIGEST_TEXT]);

#endif
