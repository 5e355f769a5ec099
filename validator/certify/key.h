/* Keys and signatures of certificates: Ed25519, by libsodium; the envelope is DSSE.
 *
 * A public key is a file as RFC 8410 has it (PEM, SubjectPublicKeyInfo), which other tools read,
 * too. A secret key is a file of JSON, whose seed is encrypted by a passphrase (Argon2id, XSalsa20
 * with Poly1305). A key is named by the SHA-256 of its SubjectPublicKeyInfo. */
#ifndef ASSAY_CERTIFY_KEY_H
#define ASSAY_CERTIFY_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "io/sink.h"

enum {
    ASSAY_PUBLIC_KEY_BYTES = 32,
    ASSAY_SECRET_KEY_BYTES = 64,
    ASSAY_KEY_ID_TEXT = 64 + 1, /* hexadecimal, terminated */
    ASSAY_PASSPHRASE_MAX = 1024 /* bytes */
};

struct assay_public_key {
    uint8_t bytes[ASSAY_PUBLIC_KEY_BYTES];
    char id[ASSAY_KEY_ID_TEXT];
};

struct assay_secret_key {
    uint8_t bytes[ASSAY_SECRET_KEY_BYTES];
    char id[ASSAY_KEY_ID_TEXT];
};

/* How much it costs to try a passphrase. */
struct assay_key_cost {
    uint64_t operations;
    uint64_t memory; /* bytes */
};

/* What is used for keys that sign. */
extern const struct assay_key_cost assay_key_cost;

/* Makes a pair: the secret key at `path`, for its owner alone, the public one at `path`.pub.
 * Neither takes the place of a file. An empty passphrase is ASSAY_OUT_OF_RANGE. */
enum assay_error assay_key_make(const char *path, const char *passphrase,
                                const struct assay_key_cost *cost, char id[ASSAY_KEY_ID_TEXT],
                                struct assay_diag *diag);

/* Reads a secret key. ASSAY_CONTRADICTION: the passphrase is wrong, or the file was altered. The
 * key is to be wiped. */
enum assay_error assay_secret_key_load(const char *path, const char *passphrase,
                                       struct assay_secret_key *key, struct assay_diag *diag);
void assay_secret_key_wipe(struct assay_secret_key *key);

enum assay_error assay_public_key_load(const char *path, struct assay_public_key *key,
                                       struct assay_diag *diag);

/* Parses JSON, without keys that occur twice: null, with ASSAY_NO_MEMORY told, or ASSAY_SYNTAX,
 * which is not. */
struct json_t;
enum assay_error assay_certify_json(const char *text, size_t size, struct json_t **value,
                                    struct assay_diag *diag);

/* Writes a DSSE envelope with a payload of in-toto, signed. */
enum assay_error assay_envelope_write(const struct assay_secret_key *key, const void *payload,
                                      size_t size, struct assay_sink *sink,
                                      struct assay_diag *diag);

/* Whether an envelope of one to 16 signatures is one of this payload; with a key, also that the key
 * made one of them, whatever its keyid. `id` becomes the name of that key; without a key it becomes
 * the first keyid, or "" where there is none or it is longer than ours. ASSAY_CONTRADICTION: it is
 * not, or each signature is of another key or another text. */
enum assay_error assay_envelope_check(const char *text, size_t length, const void *payload,
                                      size_t size, const struct assay_public_key *key,
                                      char id[ASSAY_KEY_ID_TEXT], struct assay_diag *diag);

#endif
