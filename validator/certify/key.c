#include "validator/certify/key.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/yaml.h"
#include "reports/json_load.h"

const struct assay_key_cost assay_key_cost = {crypto_pwhash_argon2id_OPSLIMIT_MODERATE,
                                              crypto_pwhash_argon2id_MEMLIMIT_MODERATE};

_Static_assert(ASSAY_PUBLIC_KEY_BYTES == crypto_sign_PUBLICKEYBYTES &&
                   ASSAY_SECRET_KEY_BYTES == crypto_sign_SECRETKEYBYTES,
               "the sizes are those of Ed25519");

/* The beginning of a SubjectPublicKeyInfo of Ed25519 (RFC 8410). */
static const uint8_t spki_head[] = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
                                    0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};
enum { SPKI_BYTES = sizeof spki_head + ASSAY_PUBLIC_KEY_BYTES };

static const char pem_begin[] = "-----BEGIN PUBLIC KEY-----\n";
static const char pem_end[] = "\n-----END PUBLIC KEY-----\n";
static const char schema[] = "assay-secret-key/1";

/* What a file may ask for when a passphrase is tried. */
static const struct assay_key_cost most_cost = {64, (uint64_t)1 << 30};

enum { SEALED_BYTES = crypto_sign_SEEDBYTES + crypto_secretbox_MACBYTES };

/* How a passphrase becomes the key that the seed is encrypted by. */
struct sealing {
    uint8_t salt[crypto_pwhash_argon2id_SALTBYTES];
    uint8_t nonce[crypto_secretbox_NONCEBYTES];
    uint8_t sealed[SEALED_BYTES];
    struct assay_key_cost cost;
};

static enum assay_error begin(struct assay_diag *diag)
{
    return sodium_init() >= 0
               ? ASSAY_OK
               : assay_fail(diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET, "libsodium cannot be used");
}

static enum assay_error fail_file(const char *path, enum assay_error error, const char *what,
                                  struct assay_diag *diag)
{
    assay_fail(diag, error, ASSAY_NO_OFFSET, "%s", what);
    assay_diag_path(diag, path);
    return error;
}

/* --- names --- */

static void spki_of(const uint8_t *public, uint8_t spki[SPKI_BYTES])
{
    memcpy(spki, spki_head, sizeof spki_head);
    memcpy(spki + sizeof spki_head, public, ASSAY_PUBLIC_KEY_BYTES);
}

static void name_key(const uint8_t *public, char id[ASSAY_KEY_ID_TEXT])
{
    uint8_t spki[SPKI_BYTES];
    uint8_t hash[crypto_hash_sha256_BYTES];
    spki_of(public, spki);
    crypto_hash_sha256(hash, spki, sizeof spki);
    sodium_bin2hex(id, ASSAY_KEY_ID_TEXT, hash, sizeof hash);
}

/* --- sealing --- */

static enum assay_error stretch(const char *passphrase, const struct sealing *sealing,
                                uint8_t key[crypto_secretbox_KEYBYTES], struct assay_diag *diag)
{
    return crypto_pwhash(key, crypto_secretbox_KEYBYTES, passphrase, strlen(passphrase),
                         sealing->salt, sealing->cost.operations, (size_t)sealing->cost.memory,
                         crypto_pwhash_ALG_ARGON2ID13) == 0
               ? ASSAY_OK
               : assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

static enum assay_error seal(const char *passphrase, const uint8_t *seed, struct sealing *sealing,
                             struct assay_diag *diag)
{
    uint8_t key[crypto_secretbox_KEYBYTES];
    randombytes_buf(sealing->salt, sizeof sealing->salt);
    randombytes_buf(sealing->nonce, sizeof sealing->nonce);
    const enum assay_error error = stretch(passphrase, sealing, key, diag);
    if (error == ASSAY_OK) {
        crypto_secretbox_easy(sealing->sealed, seed, crypto_sign_SEEDBYTES, sealing->nonce, key);
    }
    sodium_memzero(key, sizeof key);
    return error;
}

static enum assay_error unseal(const char *passphrase, const struct sealing *sealing, uint8_t *seed,
                               struct assay_diag *diag)
{
    uint8_t key[crypto_secretbox_KEYBYTES];
    enum assay_error error = stretch(passphrase, sealing, key, diag);
    if (error == ASSAY_OK &&
        crypto_secretbox_open_easy(seed, sealing->sealed, SEALED_BYTES, sealing->nonce, key) != 0) {
        error = assay_fail(diag, ASSAY_CONTRADICTION, ASSAY_NO_OFFSET,
                           "the passphrase is wrong, or the file was altered");
    }
    sodium_memzero(key, sizeof key);
    return error;
}

/* --- files --- */

/* Writes a new file with a mode. */
static enum assay_error put_file(const char *path, const char *text, unsigned mode,
                                 struct assay_diag *diag)
{
    struct assay_sink sink;
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0) {
        return fail_file(path, ASSAY_NOT_WRITABLE, strerror(errno), diag);
    }
    assay_sink_fd(&sink, fd);
    assay_sink_text(&sink, text);
    enum assay_error error = assay_sink_close(&sink, diag);
    if (close(fd) != 0 && error == ASSAY_OK) {
        error = fail_file(path, ASSAY_WRITE_FAILED, strerror(errno), diag);
    }
    if (error != ASSAY_OK) {
        (void)unlink(path);
    }
    return error;
}

static json_t *base64(const uint8_t *bytes, size_t size)
{
    const size_t room = sodium_base64_ENCODED_LEN(size, sodium_base64_VARIANT_ORIGINAL);
    char *text = malloc(room);
    json_t *value = NULL;
    if (text != NULL) {
        value =
            json_string(sodium_bin2base64(text, room, bytes, size, sodium_base64_VARIANT_ORIGINAL));
        free(text);
    }
    return value;
}

/* The bytes of a member: exactly so many. */
static bool take_bytes(const json_t *object, const char *name, uint8_t *bytes, size_t size)
{
    size_t taken = 0;
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL &&
           sodium_base642bin(bytes, size, text, strlen(text), NULL, &taken, NULL,
                             sodium_base64_VARIANT_ORIGINAL) == 0 &&
           taken == size;
}

static enum assay_error put_secret(const char *path, const struct sealing *sealing, const char *id,
                                   struct assay_diag *diag)
{
    json_t *object = json_pack(
        "{s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:o}", "schema", schema, "keyid", id, "kdf",
        "argon2id13", "operations", (json_int_t)sealing->cost.operations, "memory",
        (json_int_t)sealing->cost.memory, "salt", base64(sealing->salt, sizeof sealing->salt),
        "nonce", base64(sealing->nonce, sizeof sealing->nonce), "sealed",
        base64(sealing->sealed, sizeof sealing->sealed));
    char *text = object != NULL ? json_dumps(object, JSON_INDENT(2) | JSON_PRESERVE_ORDER) : NULL;
    json_decref(object);
    if (text == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    const enum assay_error error = put_file(path, text, 0600, diag);
    free(text);
    return error;
}

static enum assay_error put_public(const char *path, const uint8_t *public, struct assay_diag *diag)
{
    uint8_t spki[SPKI_BYTES];
    char line[sodium_base64_ENCODED_LEN(SPKI_BYTES, sodium_base64_VARIANT_ORIGINAL)];
    char text[256];
    spki_of(public, spki);
    sodium_bin2base64(line, sizeof line, spki, sizeof spki, sodium_base64_VARIANT_ORIGINAL);
    snprintf(text, sizeof text, "%s%s%s", pem_begin, line, pem_end);
    return put_file(path, text, 0666, diag);
}

enum assay_error assay_key_make(const char *path, const char *passphrase,
                                const struct assay_key_cost *cost, char id[ASSAY_KEY_ID_TEXT],
                                struct assay_diag *diag)
{
    uint8_t seed[crypto_sign_SEEDBYTES];
    uint8_t public[ASSAY_PUBLIC_KEY_BYTES];
    uint8_t secret[ASSAY_SECRET_KEY_BYTES];
    struct sealing sealing = {.cost = *cost};
    char public_path[PATH_MAX];
    enum assay_error error = begin(diag);
    if (error != ASSAY_OK) {
        return error;
    }
    if (passphrase[0] == '\0') {
        return assay_fail(diag, ASSAY_OUT_OF_RANGE, ASSAY_NO_OFFSET, "the passphrase is empty");
    }
    if (snprintf(public_path, sizeof public_path, "%s.pub", path) >= PATH_MAX) {
        return assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "the file's name is too long");
    }
    randombytes_buf(seed, sizeof seed);
    crypto_sign_seed_keypair(public, secret, seed);
    name_key(public, id);
    error = seal(passphrase, seed, &sealing, diag);
    error = error ? error : put_secret(path, &sealing, id, diag);
    if (error == ASSAY_OK && (error = put_public(public_path, public, diag)) != ASSAY_OK) {
        (void)unlink(path);
    }
    sodium_memzero(seed, sizeof seed);
    sodium_memzero(secret, sizeof secret);
    return error;
}

/* A small text file, terminated; the caller frees it. Null after the error was told. */
static char *load_text(const char *path, size_t *size, enum assay_error *error,
                       struct assay_diag *diag)
{
    char *text = NULL;
    *error = assay_text_load(path, &text, size, diag);
    if (*error != ASSAY_OK) {
        assay_diag_path(diag, path);
        return NULL;
    }
    char *whole = realloc(text, *size + 1);
    if (whole == NULL) {
        free(text);
        *error = assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
        return NULL;
    }
    whole[*size] = '\0';
    return whole;
}

enum assay_error assay_certify_json(const char *text, size_t size, json_t **value,
                                    struct assay_diag *diag)
{
    json_error_t wrong;
    const enum assay_error error =
        assay_json_load(text, size, JSON_REJECT_DUPLICATES, value, &wrong);
    return error == ASSAY_NO_MEMORY
               ? assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory")
               : error;
}

static bool take_cost(const json_t *object, const char *name, uint64_t most, uint64_t *value)
{
    const json_int_t number = json_integer_value(json_object_get(object, name));
    *value = (uint64_t)number;
    return number > 0 && *value <= most;
}

static enum assay_error read_sealing(const char *path, struct sealing *sealing,
                                     char id[ASSAY_KEY_ID_TEXT], struct assay_diag *diag)
{
    size_t size = 0;
    enum assay_error error = ASSAY_OK;
    char *text = load_text(path, &size, &error, diag);
    if (text == NULL) {
        return error;
    }
    json_t *object = NULL;
    error = assay_certify_json(text, size, &object, diag);
    const char *name = json_string_value(json_object_get(object, "schema"));
    const char *kdf = json_string_value(json_object_get(object, "kdf"));
    const char *keyid = json_string_value(json_object_get(object, "keyid"));
    const bool good =
        name != NULL && strcmp(name, schema) == 0 && kdf != NULL &&
        strcmp(kdf, "argon2id13") == 0 && keyid != NULL && strlen(keyid) == ASSAY_KEY_ID_TEXT - 1 &&
        take_bytes(object, "salt", sealing->salt, sizeof sealing->salt) &&
        take_bytes(object, "nonce", sealing->nonce, sizeof sealing->nonce) &&
        take_bytes(object, "sealed", sealing->sealed, sizeof sealing->sealed) &&
        take_cost(object, "operations", most_cost.operations, &sealing->cost.operations) &&
        take_cost(object, "memory", most_cost.memory, &sealing->cost.memory) &&
        sealing->cost.memory % 1024 == 0; /* less than that does not count */
    if (good) {
        memcpy(id, keyid, ASSAY_KEY_ID_TEXT);
    }
    json_decref(object);
    sodium_memzero(text, size);
    free(text);
    if (error == ASSAY_NO_MEMORY || good) {
        return error;
    }
    return fail_file(path, ASSAY_SYNTAX, "is no secret key: --new-key makes one", diag);
}

enum assay_error assay_secret_key_load(const char *path, const char *passphrase,
                                       struct assay_secret_key *key, struct assay_diag *diag)
{
    struct sealing sealing;
    uint8_t seed[crypto_sign_SEEDBYTES];
    uint8_t public[ASSAY_PUBLIC_KEY_BYTES];
    char id[ASSAY_KEY_ID_TEXT];
    *key = (struct assay_secret_key){.id = ""};
    enum assay_error error = begin(diag);
    error = error ? error : read_sealing(path, &sealing, id, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    error = unseal(passphrase, &sealing, seed, diag);
    if (error != ASSAY_OK) {
        assay_diag_path(diag, path);
        return error;
    }
    crypto_sign_seed_keypair(public, key->bytes, seed);
    sodium_memzero(seed, sizeof seed);
    name_key(public, key->id);
    if (strcmp(id, key->id) != 0) {
        assay_secret_key_wipe(key);
        return fail_file(path, ASSAY_CONTRADICTION, "the file was altered: its keyid is another",
                         diag);
    }
    return ASSAY_OK;
}

void assay_secret_key_wipe(struct assay_secret_key *key)
{
    sodium_memzero(key, sizeof *key);
}

enum assay_error assay_public_key_load(const char *path, struct assay_public_key *key,
                                       struct assay_diag *diag)
{
    uint8_t spki[SPKI_BYTES];
    size_t size = 0;
    size_t taken = 0;
    enum assay_error error = begin(diag);
    char *text = error == ASSAY_OK ? load_text(path, &size, &error, diag) : NULL;
    if (text == NULL) {
        return error;
    }
    const size_t head = sizeof pem_begin - 1;
    const char *end = NULL;
    const bool good = strncmp(text, pem_begin, head) == 0 &&
                      sodium_base642bin(spki, sizeof spki, text + head, size - head, NULL, &taken,
                                        &end, sodium_base64_VARIANT_ORIGINAL) == 0 &&
                      taken == sizeof spki && strcmp(end, pem_end) == 0 &&
                      memcmp(spki, spki_head, sizeof spki_head) == 0;
    if (good) {
        memcpy(key->bytes, spki + sizeof spki_head, sizeof key->bytes);
        name_key(key->bytes, key->id);
    }
    free(text);
    return good ? ASSAY_OK
                : fail_file(path, ASSAY_SYNTAX, "is no public key of Ed25519 (PEM)", diag);
}

/* --- the envelope --- */

static const char payload_type[] = "application/vnd.in-toto+json";

/* What is signed: the pre-authentication encoding of DSSE. */
static enum assay_error encode(const void *payload, size_t size, struct assay_sink *sink,
                               struct assay_diag *diag)
{
    assay_sink_memory(sink, 0);
    assay_sink_printf(sink, "DSSEv1 %zu %s %zu ", sizeof payload_type - 1, payload_type, size);
    assay_sink_write(sink, payload, size);
    return sink->error == ASSAY_OK ? ASSAY_OK : assay_sink_explain(sink, sink->error, diag);
}

enum assay_error assay_envelope_write(const struct assay_secret_key *key, const void *payload,
                                      size_t size, struct assay_sink *sink, struct assay_diag *diag)
{
    uint8_t signature[crypto_sign_BYTES];
    struct assay_sink text;
    enum assay_error error = begin(diag);
    if (error != ASSAY_OK) {
        return error;
    }
    error = encode(payload, size, &text, diag);
    if (error == ASSAY_OK) {
        crypto_sign_detached(signature, NULL, text.data, text.size, key->bytes);
    }
    assay_sink_discard(&text);
    if (error != ASSAY_OK) {
        return error;
    }
    json_t *object = json_pack("{s:s, s:o, s:[{s:s, s:o}]}", "payloadType", payload_type, "payload",
                               base64(payload, size), "signatures", "keyid", key->id, "sig",
                               base64(signature, sizeof signature));
    char *line = object != NULL ? json_dumps(object, JSON_PRESERVE_ORDER) : NULL;
    json_decref(object);
    if (line == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    assay_sink_printf(sink, "%s\n", line);
    free(line);
    return sink->error == ASSAY_OK ? ASSAY_OK : assay_sink_explain(sink, sink->error, diag);
}

static enum assay_error refuse(struct assay_diag *diag, const char *why)
{
    return assay_fail(diag, ASSAY_CONTRADICTION, ASSAY_NO_OFFSET, "%s", why);
}

/* Base64 of either alphabet, as a verifier of DSSE has to take it. */
static bool decode(const char *text, uint8_t *bytes, size_t room, size_t *size)
{
    const int variant = strpbrk(text, "-_") != NULL ? sodium_base64_VARIANT_URLSAFE
                                                    : sodium_base64_VARIANT_ORIGINAL;
    return sodium_base642bin(bytes, room, text, strlen(text), NULL, size, NULL, variant) == 0;
}

/* Whether what is signed is the payload. */
static bool holds(const json_t *object, const void *payload, size_t size, bool *no_memory)
{
    const char *text = json_string_value(json_object_get(object, "payload"));
    const size_t room = text != NULL ? strlen(text) / 4 * 3 + 1 : 0;
    size_t taken = 0;
    uint8_t *bytes = text != NULL ? malloc(room) : NULL;
    *no_memory = text != NULL && bytes == NULL;
    const bool same = bytes != NULL && decode(text, bytes, room, &taken) && taken == size &&
                      memcmp(bytes, payload, size) == 0;
    free(bytes);
    return same;
}

static bool is_signed_by(const json_t *one, const struct assay_sink *text,
                         const struct assay_public_key *key)
{
    uint8_t signature[crypto_sign_BYTES];
    size_t taken = 0;
    const char *sig = json_string_value(json_object_get(one, "sig"));
    return sig != NULL && decode(sig, signature, sizeof signature, &taken) &&
           taken == sizeof signature &&
           crypto_sign_verify_detached(signature, text->data, text->size, key->bytes) == 0;
}

static const char *keyid_of(const json_t *one)
{
    const char *keyid = json_string_value(json_object_get(one, "keyid"));
    return keyid != NULL ? keyid : "";
}

/* One signature by the key is enough. Its keyid decides nothing: whoever signs may leave it out. */
static enum assay_error check_signatures(const json_t *list, const void *payload, size_t size,
                                         const struct assay_public_key *key,
                                         struct assay_diag *diag)
{
    struct assay_sink text;
    size_t i = 0;
    const json_t *one = NULL;
    bool is_signed = false;
    bool named = false;
    enum assay_error error = encode(payload, size, &text, diag);
    json_array_foreach(list, i, one)
    {
        is_signed = is_signed || (error == ASSAY_OK && is_signed_by(one, &text, key));
        named = named || strcmp(keyid_of(one), key->id) == 0 || keyid_of(one)[0] == '\0';
    }
    assay_sink_discard(&text);
    if (error != ASSAY_OK || is_signed) {
        return error;
    }
    if (!named) {
        return refuse(diag, "the certificate is signed by another key");
    }
    error = refuse(diag, "the signature is not one of this text by the key");
    assay_diag_hint(diag, "the key is %s", key->id);
    return error;
}

/* The envelope of a certificate: of its type, with signatures, not too many to try. */
static bool is_envelope(const json_t *object)
{
    enum { MOST = 16 };
    const char *type = json_string_value(json_object_get(object, "payloadType"));
    const json_t *list = json_object_get(object, "signatures");
    size_t i = 0;
    const json_t *one = NULL;
    bool good = type != NULL && strcmp(type, payload_type) == 0 && json_array_size(list) > 0 &&
                json_array_size(list) <= MOST;
    json_array_foreach(list, i, one)
    {
        good = good && json_is_string(json_object_get(one, "sig"));
    }
    return good;
}

enum assay_error assay_envelope_check(const char *text, size_t length, const void *payload,
                                      size_t size, const struct assay_public_key *key,
                                      char id[ASSAY_KEY_ID_TEXT], struct assay_diag *diag)
{
    bool no_memory = false;
    json_t *object = NULL;
    enum assay_error error = begin(diag);
    error = error ? error : assay_certify_json(text, length, &object, diag);
    if (error == ASSAY_NO_MEMORY) {
        return error;
    }
    const json_t *list = json_object_get(object, "signatures");
    if (!is_envelope(object)) {
        error = refuse(diag, "is no envelope of a certificate with 1 to 16 signatures");
    } else if (!holds(object, payload, size, &no_memory)) {
        error = no_memory ? assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory")
                          : refuse(diag, "what is signed is not the certificate beside it");
    } else {
        const char *keyid = key != NULL ? key->id : keyid_of(json_array_get(list, 0));
        snprintf(id, ASSAY_KEY_ID_TEXT, "%s", strlen(keyid) < ASSAY_KEY_ID_TEXT ? keyid : "");
        error = key != NULL ? check_signatures(list, payload, size, key, diag) : ASSAY_OK;
    }
    json_decref(object);
    return error;
}
