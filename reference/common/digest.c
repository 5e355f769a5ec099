#include "common/digest.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void assay_digest_begin(struct assay_digest *digest)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context != NULL && EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1) {
        EVP_MD_CTX_free(context);
        context = NULL;
    }
    digest->context = context;
}

void assay_digest_add(struct assay_digest *digest, const void *data, size_t size)
{
    if (digest->context != NULL) {
        EVP_DigestUpdate(digest->context, data, size);
    }
}

enum assay_error assay_digest_file(struct assay_digest *digest, const char *path,
                                   struct assay_diag *diag)
{
    uint8_t buffer[1 << 14];
    FILE *in = fopen(path, "rbe");
    if (in == NULL) {
        assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET, "cannot be read: %s",
                   strerror(errno));
        assay_diag_path(diag, path);
        return ASSAY_NOT_READABLE;
    }
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, in)) > 0;) {
        assay_digest_add(digest, buffer, n);
    }
    fclose(in);
    return ASSAY_OK;
}

void assay_digest_end(struct assay_digest *digest, char text[ASSAY_DIGEST_TEXT])
{
    uint8_t hash[EVP_MAX_MD_SIZE] = {0};
    if (digest->context != NULL) {
        EVP_DigestFinal_ex(digest->context, hash, NULL);
        EVP_MD_CTX_free(digest->context);
        digest->context = NULL;
    }
    memcpy(text, "sha256:", 7);
    for (unsigned i = 0; i < 32; i++) {
        snprintf(text + 7 + 2 * (size_t)i, 3, "%02x", hash[i]);
    }
}
