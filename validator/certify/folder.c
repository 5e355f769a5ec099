#include "validator/certify/folder.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/yaml.h"
#include "reports/report.h"
#include "validator/certify/key.h"
#include "validator/certify/lists.h"
#include "validator/certify/output.h"

static enum assay_error no_memory(struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

/* --- writing --- */

struct folder {
    const struct assay_certification *c;
    const char *path;
    struct assay_diag *diag;
};

/* Writes a file, whose text is kept by the caller, and gives its digest. */
static enum assay_error put_file(const struct folder *f, const char *name,
                                 const struct assay_sink *text,
                                 struct assay_certify_written *written)
{
    struct assay_digest digest;
    struct assay_sink sink;
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", f->path, name) >= PATH_MAX) {
        return assay_fail(f->diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "the folder's name is too long");
    }
    enum assay_error error = assay_sink_open(&sink, path, f->diag);
    if (error != ASSAY_OK) {
        return error;
    }
    assay_sink_write(&sink, text->data, text->size);
    error = assay_sink_close(&sink, f->diag);
    if (error != ASSAY_OK || written == NULL) {
        return error;
    }
    written->name = name;
    assay_digest_begin(&digest);
    assay_digest_add(&digest, text->data, text->size);
    error = assay_digest_end(&digest, written->sha256);
    return error == ASSAY_OK ? error : assay_certify_no_digest(assay_error_text(error), f->diag);
}

/* That --verify will read what is written. */
static enum assay_error check_size(const struct folder *f, uint64_t size)
{
    return size <= ASSAY_YAML_MAX_BYTES ? ASSAY_OK
                                        : assay_fail(f->diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                                                     "a file of the certificate is larger than the "
                                                     "%zu MiB that are verified: hand in "
                                                     "fewer traces at once",
                                                     ASSAY_YAML_MAX_BYTES >> 20);
}

/* Reports are written directly. --verify compares report.json with the certificate, whole. */
static enum assay_error put_report(const struct folder *f, const char *kind, const char *name,
                                   struct assay_certify_written *written)
{
    const struct assay_report_writer *writer = assay_report_writers;
    const struct assay_report_style style = {.width = 0};
    struct assay_sink sink;
    char path[PATH_MAX];
    while (strcmp(writer->name, kind) != 0) {
        writer++;
    }
    if (snprintf(path, sizeof path, "%s/%s", f->path, name) >= PATH_MAX) {
        return assay_fail(f->diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "the folder's name is too long");
    }
    enum assay_error error = assay_sink_open(&sink, path, f->diag);
    if (error != ASSAY_OK) {
        return error;
    }
    struct stat status = {.st_size = 0};
    error = assay_report_write(writer, &f->c->results, &style, &sink);
    const enum assay_error closed = assay_sink_close(&sink, f->diag);
    error = error != ASSAY_OK ? error : closed;
    if (error != ASSAY_OK) {
        return error == ASSAY_NO_MEMORY ? no_memory(f->diag) : error;
    }
    if (strcmp(kind, "json") == 0 && stat(path, &status) == 0) {
        error = check_size(f, (uint64_t)status.st_size);
    }
    written->name = name;
    return error ? error : assay_certify_digest(f->path, name, written->sha256, f->diag);
}

typedef enum assay_error text_writer(const struct assay_certification *c, struct assay_sink *sink);

static enum assay_error put_text(const struct folder *f, text_writer *write, const char *name,
                                 struct assay_certify_written *written)
{
    struct assay_sink text;
    assay_sink_memory(&text, 0);
    enum assay_error error = write(f->c, &text);
    error = error == ASSAY_OK ? put_file(f, name, &text, written)
                              : assay_sink_explain(&text, error, f->diag);
    assay_sink_discard(&text);
    return error;
}

static enum assay_error write_submission(const struct assay_certification *c,
                                         struct assay_sink *sink)
{
    assay_sink_write(sink, c->submission->text, c->submission->size);
    return sink->error;
}

static enum assay_error write_profile(const struct assay_certification *c, struct assay_sink *sink)
{
    assay_sink_write(sink, c->profile->text, c->profile->size);
    return sink->error;
}

typedef enum assay_error people_writer(const json_t *predicate, struct assay_sink *sink);

static enum assay_error put_for_people(const struct folder *f, const json_t *predicate,
                                       people_writer *write, const char *name,
                                       struct assay_certify_written *written)
{
    struct assay_sink text;
    assay_sink_memory(&text, 0);
    enum assay_error error = write(predicate, &text);
    error = error == ASSAY_OK ? put_file(f, name, &text, written)
                              : assay_sink_explain(&text, error, f->diag);
    assay_sink_discard(&text);
    return error;
}

/* The summary and the badge follow from the statement, which will name them with their digests: it
 * is written without these first. */
static enum assay_error put_people(const struct folder *f, struct assay_certify_written *files)
{
    struct assay_sink text;
    json_t *root = NULL;
    assay_sink_memory(&text, 0);
    enum assay_error error = assay_certify_statement(f->c, NULL, 0, &text);
    error = error == ASSAY_OK
                ? assay_certify_json((const char *)text.data, text.size, &root, f->diag)
                : assay_sink_explain(&text, error, f->diag);
    const json_t *predicate = json_object_get(root, "predicate");
    error = error ? error
                  : put_for_people(f, predicate, assay_certify_summary, "SUMMARY.txt", &files[0]);
    error =
        error ? error : put_for_people(f, predicate, assay_certify_badge, "badge.svg", &files[1]);
    json_decref(root);
    assay_sink_discard(&text);
    return error;
}

enum { FILES = 7 };

static enum assay_error put_files(const struct folder *f, struct assay_certify_written *files)
{
    enum assay_error error = put_people(f, files);
    error = error ? error : put_text(f, assay_certify_inputs, "inputs.json", &files[2]);
    error = error ? error : put_text(f, write_profile, "profile.yaml", &files[3]);
    error = error ? error : put_report(f, "html", "report.html", &files[4]);
    error = error ? error : put_report(f, "json", "report.json", &files[5]);
    return error ? error : put_text(f, write_submission, "submission.yaml", &files[6]);
}

static enum assay_error put_certificate(const struct folder *f,
                                        const struct assay_certify_written *files,
                                        const struct assay_secret_key *key)
{
    struct assay_sink text;
    struct assay_sink envelope;
    assay_sink_memory(&text, 0);
    assay_sink_memory(&envelope, 0);
    enum assay_error error = assay_certify_statement(f->c, files, FILES, &text);
    error =
        error == ASSAY_OK ? check_size(f, text.size) : assay_sink_explain(&text, error, f->diag);
    error = error ? error : put_file(f, ASSAY_CERTIFICATE, &text, NULL);
    if (error == ASSAY_OK && key != NULL) {
        error = assay_envelope_write(key, text.data, text.size, &envelope, f->diag);
        error = error ? error : check_size(f, envelope.size);
        error = error ? error : put_file(f, ASSAY_CERTIFICATE_SIGNED, &envelope, NULL);
    }
    assay_sink_discard(&text);
    assay_sink_discard(&envelope);
    return error;
}

static enum assay_error put_sums(const struct folder *f)
{
    struct assay_certify_listing listing = {.count = 0};
    struct assay_sink sums;
    assay_sink_memory(&sums, 0);
    enum assay_error error = assay_certify_list(f->path, &listing, f->diag);
    error = error ? error : assay_certify_sums(f->path, &listing, &sums, f->diag);
    error = error ? error : put_file(f, ASSAY_CERTIFICATE_SUMS, &sums, NULL);
    assay_sink_discard(&sums);
    assay_certify_listing_free(&listing);
    return error;
}

enum assay_error assay_certify_write(const struct assay_certification *c,
                                     const struct assay_secret_key *key, const char *folder,
                                     struct assay_diag *diag)
{
    const struct folder f = {.c = c, .path = folder, .diag = diag};
    struct assay_certify_written files[FILES];
    enum assay_error error = put_files(&f, files);
    error = error ? error : put_certificate(&f, files, key);
    return error ? error : put_sums(&f);
}

/* --- listing --- */

/* Adds a file; SHA256SUMS lists all but itself. */
static enum assay_error add_name(struct assay_certify_listing *listing, const char *folder,
                                 const char *name, struct assay_diag *diag)
{
    char path[PATH_MAX];
    struct stat status;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH_MAX ||
        lstat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        assay_fail(diag, ASSAY_CONTRADICTION, ASSAY_NO_OFFSET,
                   "no certificate has this: it is no regular file");
        assay_diag_path(diag, path);
        return ASSAY_CONTRADICTION;
    }
    if (strcmp(name, ASSAY_CERTIFICATE_SUMS) == 0) {
        return ASSAY_OK;
    }
    const char **names = assay_arena_grow(&listing->arena, listing->names, listing->count,
                                          &listing->room, sizeof *names);
    listing->names = names != NULL ? names : listing->names;
    const char *kept = assay_arena_text(&listing->arena, name, strlen(name));
    if (names == NULL || kept == NULL) {
        return no_memory(diag);
    }
    names[listing->count++] = kept;
    return ASSAY_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum assay_error assay_certify_list(const char *folder, struct assay_certify_listing *listing,
                                    struct assay_diag *diag)
{
    const struct dirent *entry;
    enum assay_error error = ASSAY_OK;
    DIR *stream = opendir(folder);
    if (stream == NULL) {
        error = errno == ENOMEM   ? ASSAY_NO_MEMORY
                : errno == ENOENT ? ASSAY_NOT_FOUND
                                  : ASSAY_NOT_READABLE;
        assay_fail(diag, error, ASSAY_NO_OFFSET, "the folder cannot be read: %s", strerror(errno));
        assay_diag_path(diag, folder);
        return error;
    }
    while (error == ASSAY_OK && (entry = readdir(stream)) != NULL) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            error = add_name(listing, folder, name, diag);
        }
    }
    closedir(stream);
    if (listing->count > 0) {
        qsort(listing->names, listing->count, sizeof *listing->names, by_name);
    }
    return error;
}

void assay_certify_listing_free(struct assay_certify_listing *listing)
{
    assay_arena_free(&listing->arena);
    *listing = (struct assay_certify_listing){0};
}

enum assay_error assay_certify_refuse(const char *folder, const char *name, struct assay_diag *diag,
                                      const char *format, ...)
{
    char path[PATH_MAX];
    char why[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assay_fail(diag, ASSAY_CONTRADICTION, ASSAY_NO_OFFSET, "%s", why);
    assay_diag_path(diag, path);
    return ASSAY_CONTRADICTION;
}

enum assay_error assay_certify_load(const char *folder, const char *name, size_t most, char **text,
                                    size_t *size, struct assay_diag *diag)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH_MAX) {
        return assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "the folder's name is too long");
    }
    enum assay_error error = assay_text_load(path, text, size, diag);
    if (error == ASSAY_OK && *size > most) {
        free(*text);
        *text = NULL;
        error = assay_certify_refuse(folder, name, diag, "the file is larger than a certificate's");
    }
    if (error == ASSAY_NOT_FOUND) {
        return assay_certify_refuse(folder, name, diag, "the file is missing");
    }
    if (error != ASSAY_OK && diag->path[0] == '\0') {
        assay_diag_path(diag, path);
    }
    return error;
}

/* The greatest one is report.html, of a run with very many findings. */
#define MOST_FILE ((off_t)1 << 30)

enum assay_error assay_certify_digest(const char *folder, const char *name,
                                      char sha256[ASSAY_DIGEST_TEXT], struct assay_diag *diag)
{
    struct assay_witness_report read = {.bytes = 0};
    char path[PATH_MAX];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (stat(path, &status) == 0 && status.st_size > MOST_FILE) {
        assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "a file of a certificate has at most %d MiB",
                   (int)(MOST_FILE >> 20));
        assay_diag_path(diag, path);
        return ASSAY_LIMIT;
    }
    const enum assay_error error = assay_evidence_of_path(path, &read);
    if (error != ASSAY_OK) {
        assay_fail(diag, error, ASSAY_NO_OFFSET, "%s", assay_error_text(error));
        assay_diag_path(diag, path);
        return error;
    }
    memcpy(sha256, read.sha256, sizeof read.sha256);
    return sha256[0] != '\0' ? ASSAY_OK : assay_certify_no_digest(read.no_digest, diag);
}

enum assay_error assay_certify_sums(const char *folder, const struct assay_certify_listing *listing,
                                    struct assay_sink *sums, struct assay_diag *diag)
{
    for (size_t i = 0; i < listing->count; i++) {
        char sha256[ASSAY_DIGEST_TEXT];
        const enum assay_error error =
            assay_certify_digest(folder, listing->names[i], sha256, diag);
        if (error != ASSAY_OK) {
            return error;
        }
        assay_sink_printf(sums, "%s  %s\n", sha256 + strlen("sha256:"), listing->names[i]);
    }
    return sums->error == ASSAY_OK ? ASSAY_OK : assay_sink_explain(sums, sums->error, diag);
}
