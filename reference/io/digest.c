#include "io/digest.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

/* Why libcrypto failed. It records a reason unless it is out of memory. */
static enum assay_error reason(void)
{
    const unsigned long error = ERR_peek_last_error();
    return error == 0 || ERR_GET_REASON(error) == ERR_R_MALLOC_FAILURE ? ASSAY_NO_MEMORY
                                                                       : ASSAY_UNSUPPORTED;
}

static void give_up(struct assay_digest *digest)
{
    digest->error = digest->error != ASSAY_OK ? digest->error : reason();
    EVP_MD_CTX_free(digest->context);
    digest->context = NULL;
}

void assay_digest_begin(struct assay_digest *digest)
{
    digest->error = ASSAY_OK;
    ERR_clear_error();
    /* Without its own context, for which there may be no memory, the library crashes. */
    digest->context = OSSL_LIB_CTX_get0_global_default() != NULL ? EVP_MD_CTX_new() : NULL;
    if (digest->context == NULL || EVP_DigestInit_ex(digest->context, EVP_sha256(), NULL) != 1) {
        give_up(digest);
    }
}

void assay_digest_add(struct assay_digest *digest, const void *data, size_t size)
{
    if (digest->context != NULL && EVP_DigestUpdate(digest->context, data, size) != 1) {
        give_up(digest);
    }
}

enum assay_error assay_digest_end(struct assay_digest *digest, char text[ASSAY_DIGEST_TEXT])
{
    unsigned char hash[EVP_MAX_MD_SIZE];
    text[0] = '\0';
    if (digest->context == NULL || EVP_DigestFinal_ex(digest->context, hash, NULL) != 1) {
        give_up(digest);
        return digest->error;
    }
    EVP_MD_CTX_free(digest->context);
    digest->context = NULL;
    memcpy(text, "sha256:", 7);
    for (unsigned i = 0; i < 32; i++) {
        snprintf(text + 7 + 2 * (size_t)i, 3, "%02x", hash[i]);
    }
    return ASSAY_OK;
}
