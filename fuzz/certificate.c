/* The folder of a certificate, verified. The input is its files, each after a byte 1, in the order
 * of `names`. Of the first byte, bit 0 leaves SHA256SUMS to the target, which gives the right
 * digests; with bit 1 the envelope is signed by the key that is asked for, with bit 2 there is
 * none. The files are compared with each other whatever their digests are, and the folder becomes a
 * table. */
#include "validator/certify/verify.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>

#include "fuzz/files.h"
#include "validator/certify/consistency.h"
#include "validator/certify/folder.h"
#include "validator/certify/key.h"
#include "validator/certify/table.h"

static char folder[] = "/tmp/assay-fuzz-XXXXXX";
static const char *const names[] = {ASSAY_CERTIFICATE,     ASSAY_CERTIFICATE_SIGNED,
                                    "profile.yaml",        "submission.yaml",
                                    "inputs.json",         "report.json",
                                    "SUMMARY.txt",         "badge.svg",
                                    ASSAY_CERTIFICATE_SUMS};
enum {
    FILES = sizeof names / sizeof *names,
    SUMS = FILES - 1,
    RIGHT_SUMS = 1,
    SIGNED = 2,
    BARE = 4
};

static void name_of(size_t i, char path[64])
{
    snprintf(path, 64, "%s/%s", folder, names[i]);
}

static void remove_files(void)
{
    for (size_t i = 0; i < FILES; i++) {
        char path[64];
        name_of(i, path);
        unlink(path);
    }
}

static void remove_folder(void)
{
    remove_files();
    rmdir(folder);
}

static void put_file(size_t i, const void *data, size_t size)
{
    char path[64];
    name_of(i, path);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    require(fd >= 0 && write(fd, data, size) == (ssize_t)size && close(fd) == 0);
}

/* A pair that is always the same. */
static void make_keys(struct assay_secret_key *secret, struct assay_public_key *public)
{
    static const uint8_t seed[crypto_sign_SEEDBYTES] = {1};
    require(sodium_init() >= 0);
    require(crypto_sign_seed_keypair(public->bytes, secret->bytes, seed) == 0);
    memset(secret->id, 'a', sizeof secret->id - 1);
    memset(public->id, 'a', sizeof public->id - 1);
}

static void put_envelope(const struct assay_secret_key *key, const struct part *payload)
{
    struct assay_sink sink;
    struct assay_diag diag;
    assay_sink_memory(&sink, 0);
    require(assay_envelope_write(key, payload->text, payload->size, &sink, &diag) == ASSAY_OK);
    put_file(1, sink.data, sink.size);
    assay_sink_discard(&sink);
}

static void put_sums(void)
{
    struct assay_certify_listing listing = {.count = 0};
    struct assay_sink sink;
    struct assay_diag diag;
    assay_sink_memory(&sink, 0);
    require(assay_certify_list(folder, &listing, &diag) == ASSAY_OK);
    require(assay_certify_sums(folder, &listing, &sink, &diag) == ASSAY_OK);
    put_file(SUMS, sink.data, sink.size);
    assay_sink_discard(&sink);
    assay_certify_listing_free(&listing);
}

/* As --verify does once the digests are right, which mutated files never are. */
static void compare_files(const struct part *statement)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    json_t *root = NULL;
    bool own_profile = false;
    if (assay_certify_json(statement->text, statement->size, &root, &diag) == ASSAY_OK) {
        (void)assay_certify_consistent(folder, root, &own_profile, &diag);
    }
    json_decref(root);
}

/* What does not verify has no row, whatever it says; and either can be written. */
static void make_table(const struct assay_certificate_demanded *demanded, bool verifies)
{
    struct assay_certify_table table = {.demanded = demanded};
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_sink sink;
    require(assay_certify_table_add(&table, folder, &diag) == ASSAY_OK);
    require(table.row_count == (verifies ? 1 : 0) && table.refused_count == (verifies ? 0 : 1));
    assay_certify_table_sort(&table);
    assay_sink_memory(&sink, 0);
    assay_certify_table_markdown(&table, &sink);
    require(assay_certify_table_json(&table, &sink) == ASSAY_OK);
    assay_sink_discard(&sink);
    assay_certify_table_free(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool made;
    struct assay_secret_key secret = {.id = ""};
    struct assay_public_key public = {.id = ""};
    struct assay_certificate certificate;
    struct assay_diag diag;
    if (size == 0) {
        return 0;
    }
    if (!made) {
        made = true;
        require(mkdtemp(folder) != NULL && atexit(remove_folder) == 0);
    }
    const unsigned how = data[0];
    struct part rest = {(const char *)data + 1, size - 1};
    struct part statement = {NULL, 0};
    remove_files();
    make_keys(&secret, &public);
    for (size_t i = 0; i < FILES; i++) {
        const struct part part = next_part(&rest);
        statement = i == 0 ? part : statement;
        if (i == 1 && (how & (SIGNED | BARE)) != 0) {
            continue;
        }
        put_file(i, part.text, part.size);
        if (i == 0 && (how & (SIGNED | BARE)) == SIGNED) {
            put_envelope(&secret, &part);
        }
    }
    if ((how & RIGHT_SUMS) != 0) {
        put_sums();
    }
    const struct assay_certificate_demanded demanded = {
        .key = (how & SIGNED) != 0 ? &public : NULL, .today = "2026-01-01", .level = "all"};
    const enum assay_error error = assay_certificate_verify(folder, &demanded, &certificate, &diag);
    /* What is not signed is not taken for signed. */
    require(error != ASSAY_OK || !certificate.is_signed || (how & BARE) == 0);
    require(error != ASSAY_OK || certificate.is_signed || (how & SIGNED) == 0);
    compare_files(&statement);
    make_table(&demanded, error == ASSAY_OK);
    return 0;
}
