#include "validator/certify/verify.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/yaml.h"
#include "validator/certify/consistency.h"
#include "validator/certify/demanded.h"
#include "validator/certify/folder.h"

struct verifying {
    const char *folder;
    const struct assay_certificate_demanded *demanded;
    struct assay_certificate *certificate;
    struct assay_diag *diag;
};

static enum assay_error refuse(const struct verifying *v, const char *name, const char *why)
{
    return assay_certify_refuse(v->folder, name, v->diag, "%s", why);
}

static enum assay_error load(const struct verifying *v, const char *name, char **text, size_t *size)
{
    return assay_certify_load(v->folder, name, ASSAY_YAML_MAX_BYTES, text, size, v->diag);
}

/* --- digests --- */

/* Whether a text has the line, which ends in a newline. */
static bool has_line(const char *text, size_t size, const char *line, size_t length)
{
    for (const char *at = text; at != NULL && (size_t)(text + size - at) >= length;) {
        if (memcmp(at, line, length) == 0) {
            return true;
        }
        at = memchr(at, '\n', (size_t)(text + size - at));
        at = at != NULL ? at + 1 : NULL;
    }
    return false;
}

/* Names the first file that the sums list and the folder lacks. */
static enum assay_error blame_missing(const struct verifying *v, const struct assay_sink *computed,
                                      const char *text, size_t size)
{
    enum { NAME_AT = 66 }; /* after the digest and two spaces */
    const char *end = text + size;
    for (const char *at = text; at < end;) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        const size_t length = (size_t)((feed != NULL ? feed : end - 1) - at) + 1;
        if (length > NAME_AT + 1 &&
            !has_line((const char *)computed->data, computed->size, at, length)) {
            char name[NAME_MAX + 1];
            snprintf(name, sizeof name, "%.*s", (int)(length - NAME_AT - 1), at + NAME_AT);
            return refuse(v, name, ASSAY_CERTIFICATE_SUMS " lists a file that is missing");
        }
        at += length;
    }
    return refuse(v, ASSAY_CERTIFICATE_SUMS, "it was altered");
}

/* Names the file because of which the sums differ. */
static enum assay_error blame(const struct verifying *v, const struct assay_sink *computed,
                              const char *text, size_t size)
{
    const char *at = (const char *)computed->data;
    const char *end = at + computed->size;
    while (at < end) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        const size_t length = (size_t)(feed - at) + 1;
        char name[NAME_MAX + 1];
        if (!has_line(text, size, at, length)) {
            snprintf(name, sizeof name, "%.*s", (int)length - 67, at + 66);
            return refuse(v, name, "its digest is not the one that " ASSAY_CERTIFICATE_SUMS " has");
        }
        at += length;
    }
    return blame_missing(v, computed, text, size);
}

static enum assay_error check_sums(const struct verifying *v,
                                   const struct assay_certify_listing *listing)
{
    char *text = NULL;
    size_t size = 0;
    struct assay_sink computed;
    enum assay_error error = load(v, ASSAY_CERTIFICATE_SUMS, &text, &size);
    if (error == ASSAY_OK && listing->count == 0) {
        error = refuse(v, ASSAY_CERTIFICATE, "the file is missing");
    }
    if (error != ASSAY_OK) {
        free(text);
        return error;
    }
    assay_sink_memory(&computed, 0);
    error = assay_certify_sums(v->folder, listing, &computed, v->diag);
    if (error == ASSAY_OK && computed.error != ASSAY_OK) {
        error = assay_fail(v->diag, computed.error, ASSAY_NO_OFFSET, "out of memory");
    }
    if (error == ASSAY_OK && (computed.size != size || memcmp(computed.data, text, size) != 0)) {
        error = blame(v, &computed, text, size);
    }
    assay_sink_discard(&computed);
    free(text);
    return error;
}

/* --- the certificate --- */

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? text : "";
}

/* The digest that the certificate names for a file; null if it does not name it. */
static const char *named_digest(const json_t *files, const char *name)
{
    size_t i = 0;
    const json_t *one = NULL;
    json_array_foreach(files, i, one)
    {
        if (strcmp(text_of(one, "name"), name) == 0) {
            return text_of(one, "sha256");
        }
    }
    return NULL;
}

/* The files of the certificate itself are not named in it. */
static bool is_certificate(const char *name)
{
    return strcmp(name, ASSAY_CERTIFICATE) == 0 || strcmp(name, ASSAY_CERTIFICATE_SIGNED) == 0;
}

static enum assay_error check_files(const struct verifying *v, const json_t *files,
                                    const struct assay_certify_listing *listing)
{
    size_t named = 0;
    for (size_t i = 0; i < listing->count; i++) {
        const char *name = listing->names[i];
        const char *wanted = named_digest(files, name);
        char sha256[ASSAY_DIGEST_TEXT];
        if (is_certificate(name)) {
            continue;
        }
        const enum assay_error error = assay_certify_digest(v->folder, name, sha256, v->diag);
        if (error != ASSAY_OK) {
            return error;
        }
        if (wanted == NULL || strcmp(wanted, sha256 + strlen("sha256:")) != 0) {
            return refuse(v, name, "the certificate does not name this file with this digest");
        }
        named++;
    }
    return named == json_array_size(files)
               ? ASSAY_OK
               : refuse(v, ASSAY_CERTIFICATE, "a file is missing that the certificate names");
}

static bool take_verdict(const char *text, enum assay_certify_verdict *verdict)
{
    for (*verdict = ASSAY_CERTIFIED; *verdict <= ASSAY_CERTIFY_INCOMPLETE; (*verdict)++) {
        if (strcmp(assay_certify_verdict_name(*verdict), text) == 0) {
            return true;
        }
    }
    return false;
}

static void take_tool(const json_t *tool, struct assay_certificate *certificate)
{
    size_t i = 0;
    const json_t *one = NULL;
    snprintf(certificate->tool, sizeof certificate->tool, "%s", text_of(tool, "version"));
    json_array_foreach(json_object_get(tool, "catalogues"), i, one)
    {
        if (i < sizeof certificate->catalogues / sizeof *certificate->catalogues) {
            snprintf(certificate->catalogues[i], ASSAY_DIGEST_TEXT, "%s", text_of(one, "sha256"));
            certificate->catalogue_count = i + 1;
        }
    }
}

/* What is certified, and by what. */
static void take_claims(const json_t *predicate, struct assay_certificate *certificate)
{
    const json_t *producer = json_object_get(predicate, "producer");
    const json_t *profile = json_object_get(predicate, "profile");
    const char *vendor = text_of(producer, "vendor");
    snprintf(certificate->producer, sizeof certificate->producer, "%s %s%s%s%s",
             text_of(producer, "name"), text_of(producer, "version"), vendor[0] != '\0' ? " (" : "",
             vendor, vendor[0] != '\0' ? ")" : "");
    snprintf(certificate->profile, sizeof certificate->profile, "%s, level %s",
             text_of(profile, "name"), text_of(profile, "level"));
    certificate->own_rules =
        !json_is_false(json_object_get(json_object_get(predicate, "tool"), "modified"));
    certificate->repeats =
        json_is_true(json_object_get(json_object_get(predicate, "tool"), "reference"));
    certificate->released =
        json_is_true(json_object_get(json_object_get(predicate, "tool"), "released"));
}

static bool is_date(const char *text)
{
    static const char pattern[] = "0000-00-00";
    for (size_t i = 0; i < sizeof pattern; i++) {
        if (pattern[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != pattern[i]) {
            return false;
        }
    }
    const int month = atoi(text + strlen("0000-"));
    const int day = atoi(text + strlen("0000-00-"));
    return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

static bool take_expiry(const json_t *until, struct assay_certificate *certificate)
{
    const char *text = json_string_value(until);
    if (text != NULL && is_date(text)) {
        snprintf(certificate->valid_until, sizeof certificate->valid_until, "%s", text);
        return true;
    }
    return json_is_null(until);
}

/* Whether it is certified exactly if all demands are met. */
static bool follows(enum assay_certify_verdict verdict, const json_t *demands)
{
    bool met = json_array_size(demands) > 0;
    size_t i = 0;
    const json_t *demand = NULL;
    json_array_foreach(demands, i, demand)
    {
        met = met && json_is_true(json_object_get(demand, "met"));
    }
    return met == (verdict == ASSAY_CERTIFIED);
}

static enum assay_error check_statement(const struct verifying *v, const json_t *root)
{
    struct assay_certificate *certificate = v->certificate;
    const json_t *predicate = json_object_get(root, "predicate");
    if (strcmp(text_of(root, "_type"), ASSAY_STATEMENT_TYPE) != 0 ||
        strcmp(text_of(root, "predicateType"), ASSAY_CERTIFICATE_TYPE) != 0 ||
        strcmp(text_of(predicate, "schema"), ASSAY_CERTIFICATE_SCHEMA) != 0 ||
        !take_verdict(text_of(predicate, "verdict"), &certificate->verdict)) {
        return refuse(v, ASSAY_CERTIFICATE, "is no certificate of a schema that is known here");
    }
    if (!take_expiry(json_object_get(predicate, "valid_until"), certificate)) {
        return refuse(v, ASSAY_CERTIFICATE, "\"valid_until\" is neither a date nor null");
    }
    return follows(certificate->verdict, json_object_get(predicate, "demands"))
               ? ASSAY_OK
               : refuse(v, ASSAY_CERTIFICATE, "its verdict is not what its demands say");
}

static enum assay_error read_certificate(const struct verifying *v, const char *text, size_t size,
                                         const struct assay_certify_listing *listing)
{
    struct assay_certificate *certificate = v->certificate;
    size_t i = 0;
    const json_t *trace = NULL;
    json_t *root = NULL;
    enum assay_error error = assay_certify_json(text, size, &root, v->diag);
    const json_t *predicate = json_object_get(root, "predicate");
    if (error == ASSAY_NO_MEMORY) {
        return error;
    }
    error = check_statement(v, root);
    error = error ? error : check_files(v, json_object_get(predicate, "files"), listing);
    error = error ? error
                  : assay_certify_consistent(v->folder, root, &certificate->own_profile, v->diag);
    error = error ? error
                  : assay_certify_check_demanded(v->folder, predicate, v->demanded,
                                                 certificate->own_profile, v->diag);
    if (error == ASSAY_OK && v->demanded->found != NULL) {
        error = v->demanded->found(v->demanded->context, predicate);
    }
    json_array_foreach(json_object_get(predicate, "traces"), i, trace)
    {
        const char *recording = text_of(trace, "recording");
        certificate->made = certificate->made || json_is_true(json_object_get(trace, "made"));
        certificate->own_recordings +=
            strcmp(recording, "producer") == 0 || strcmp(recording, "part") == 0;
        certificate->traces++;
    }
    take_claims(predicate, certificate);
    assay_certify_challenges_said(json_object_get(predicate, "demands"), certificate->challenges,
                                  sizeof certificate->challenges);
    take_tool(json_object_get(predicate, "tool"), certificate);
    json_decref(root);
    return error;
}

static bool lists(const struct assay_certify_listing *listing, const char *name)
{
    size_t i = 0;
    while (i < listing->count && strcmp(listing->names[i], name) != 0) {
        i++;
    }
    return i < listing->count;
}

static enum assay_error check_envelope(const struct verifying *v, const char *payload, size_t size,
                                       const struct assay_public_key *key)
{
    char *text = NULL;
    size_t length = 0;
    char path[PATH_MAX];
    enum assay_error error = load(v, ASSAY_CERTIFICATE_SIGNED, &text, &length);
    if (error != ASSAY_OK) {
        return error;
    }
    error = assay_envelope_check(text, length, payload, size, key, v->certificate->keyid, v->diag);
    if (error != ASSAY_OK) {
        snprintf(path, sizeof path, "%s/%s", v->folder, ASSAY_CERTIFICATE_SIGNED);
        assay_diag_path(v->diag, path);
    }
    v->certificate->is_signed = error == ASSAY_OK;
    free(text);
    return error;
}

static enum assay_error check_listed(const struct verifying *v,
                                     const struct assay_certify_listing *listing)
{
    const struct assay_public_key *key = v->demanded->key;
    char *text = NULL;
    size_t size = 0;
    enum assay_error error = check_sums(v, listing);
    error = error ? error : load(v, ASSAY_CERTIFICATE, &text, &size);
    if (error == ASSAY_OK && lists(listing, ASSAY_CERTIFICATE_SIGNED)) {
        error = check_envelope(v, text, size, key);
    } else if (error == ASSAY_OK && key != NULL) {
        error = refuse(v, ASSAY_CERTIFICATE, "the certificate is not signed");
    }
    error = error ? error : read_certificate(v, text, size, listing);
    free(text);
    return error;
}

enum assay_error assay_certificate_verify(const char *folder,
                                          const struct assay_certificate_demanded *demanded,
                                          struct assay_certificate *certificate,
                                          struct assay_diag *diag)
{
    const struct verifying v = {
        .folder = folder, .demanded = demanded, .certificate = certificate, .diag = diag};
    struct assay_certify_listing listing = {.count = 0};
    *certificate = (struct assay_certificate){.is_signed = false};
    enum assay_error error = assay_certify_list(folder, &listing, diag);
    error = error ? error : check_listed(&v, &listing);
    assay_certify_listing_free(&listing);
    if (error == ASSAY_OK && certificate->valid_until[0] != '\0' &&
        strcmp(certificate->valid_until, demanded->today) < 0) {
        error = assay_fail(diag, ASSAY_OUT_OF_RANGE, ASSAY_NO_OFFSET,
                           "a waiver that the certificate rests on expired on %s",
                           certificate->valid_until);
        assay_diag_path(diag, folder);
    }
    return error;
}

/* --- the same again --- */

enum assay_error assay_certificate_compare(const char *folder, const char *again,
                                           struct assay_diag *diag)
{
    const struct verifying v = {.folder = folder, .diag = diag};
    struct assay_certify_listing listing = {.count = 0};
    enum assay_error error = assay_certify_list(again, &listing, diag);
    for (size_t i = 0; error == ASSAY_OK && i < listing.count; i++) {
        char first[ASSAY_DIGEST_TEXT];
        char second[ASSAY_DIGEST_TEXT];
        const char *name = listing.names[i];
        error = assay_certify_digest(folder, name, first, diag);
        error = error ? error : assay_certify_digest(again, name, second, diag);
        if (error == ASSAY_OK && strcmp(first, second) != 0) {
            error = refuse(&v, name, "judged again, the traces give another file");
        }
    }
    assay_certify_listing_free(&listing);
    return error;
}
