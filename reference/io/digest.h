/* SHA-256 of bytes. */
#ifndef ASSAY_COMMON_DIGEST_H
#define ASSAY_COMMON_DIGEST_H

#include <stddef.h>

#include "common/error.h"

/* "sha256:" and 64 hexadecimal digits, terminated. */
enum { ASSAY_DIGEST_TEXT = 7 + 64 + 1 };

struct assay_digest {
    void *context; /* private */
    enum assay_error error;
};

/* Errors of these two functions are reported by assay_digest_end. */
void assay_digest_begin(struct assay_digest *digest);
void assay_digest_add(struct assay_digest *digest, const void *data, size_t size);

/* Ends the digest and writes "sha256:...". On error `text` is "": ASSAY_NO_MEMORY, or
 * ASSAY_UNSUPPORTED when libcrypto is configured without SHA-256. */
enum assay_error assay_digest_end(struct assay_digest *digest, char text[ASSAY_DIGEST_TEXT]);

#endif
