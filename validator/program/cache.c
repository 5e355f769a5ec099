#include "validator/program/cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/file.h"
#include "io/sink.h"
#include "reports/json_load.h"
#include "validator/engine/known.h"
#include "validator/program/check_run.h"
#include "validator/record/record.h"

/* --- the key --- */

static void add_text(struct assay_digest *digest, const char *text)
{
    assay_digest_add(digest, text, strlen(text) + 1);
}

/* The baseline has no part in what judging an input gives. */
static bool is_of_results(const char *name)
{
    return strcmp(name, "baseline") != 0;
}

static int say_no_digest(const struct assay_command *command, const struct assay_evidence *file)
{
    return assay_usage_error(command, "--cache needs to know the contents of %s: %s", file->path,
                             file->no_digest != NULL ? file->no_digest : "it has no digest");
}

static int add_evidence(const struct assay_cache *cache, const struct assay_command *command,
                        struct assay_digest *digest)
{
    for (size_t i = 0; i < cache->evidence->count; i++) {
        const struct assay_evidence *file = &cache->evidence->list[i];
        if (!is_of_results(file->role)) {
            continue;
        }
        if (file->sha256[0] == '\0') {
            return say_no_digest(command, file);
        }
        add_text(digest, file->role);
        add_text(digest, file->path);
        add_text(digest, file->sha256);
    }
    return 0;
}

/* Another build of the same version may judge otherwise. */
static int add_program(struct assay_digest *digest)
{
    struct assay_witness_report report = {.sha256 = ""};
    if (assay_evidence_of_path("/proc/self/exe", &report) != ASSAY_OK || report.sha256[0] == '\0') {
        fputs("assay: --cache needs to know which program this is, and /proc/self/exe cannot be "
              "read\n",
              stderr);
        return ASSAY_EXIT_AGAIN;
    }
    add_text(digest, report.sha256);
    return 0;
}

static int make_folder(const char *path)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct stat st;
    if (mkdir(path, 0777) == 0 ||
        (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode))) {
        return 0;
    }
    assay_fail(&diag, ASSAY_NOT_WRITABLE, ASSAY_NO_OFFSET, "%s",
               errno == EEXIST ? "it is no folder" : strerror(errno));
    assay_diag_path(&diag, path);
    assay_say(&diag);
    return ASSAY_EXIT_USAGE;
}

int assay_cache_open(struct assay_cache *cache, const struct assay_command *command,
                     const struct assay_check_options *options,
                     const struct assay_argument *arguments, size_t argument_count)
{
    struct assay_digest digest;
    assay_digest_begin(&digest);
    add_text(&digest, ASSAY_RECORD_SCHEMA);
    add_text(&digest, ASSAY_VERSION);
    for (size_t i = 0; i < options->catalogue_count; i++) {
        add_text(&digest, options->catalogues[i]->digest);
    }
    for (size_t i = 0; i < argument_count; i++) {
        if (is_of_results(arguments[i].option->name)) {
            add_text(&digest, arguments[i].option->name);
            add_text(&digest, arguments[i].value != NULL ? arguments[i].value : "");
        }
    }
    int status = add_program(&digest);
    status = status != 0 ? status : add_evidence(cache, command, &digest);
    const enum assay_error error = assay_digest_end(&digest, cache->key);
    if (status == 0 && error != ASSAY_OK) {
        return assay_say_no_memory();
    }
    return status != 0 ? status : make_folder(cache->folder);
}

int assay_cache_check(const struct assay_cache *cache, const struct assay_command *command,
                      char **operands, size_t count)
{
    char *folder = realpath(cache->folder, NULL);
    int status = 0;
    for (size_t i = 0; folder != NULL && i < count && status == 0; i++) {
        char *operand = realpath(operands[i], NULL);
        const size_t length = operand != NULL ? strlen(operand) : 0;
        if (operand != NULL && strncmp(folder, operand, length) == 0 &&
            (folder[length] == '/' || folder[length] == '\0')) {
            status = assay_usage_error(command, "the folder of --cache, %s, is in the input %s",
                                       cache->folder, operands[i]);
        }
        free(operand);
    }
    free(folder);
    return status;
}

/* --- entries --- */

enum { PATH = 4096 };

/* FOLDER/ab/cdef...; with `make` the folder is made. False: there can be none. */
static bool path_of(const struct assay_cache *cache, const char *input, bool make, char path[PATH])
{
    char key[ASSAY_DIGEST_TEXT];
    struct assay_digest digest;
    assay_digest_begin(&digest);
    add_text(&digest, cache->key);
    add_text(&digest, input);
    if (assay_digest_end(&digest, key) != ASSAY_OK) {
        return false;
    }
    const char *hex = strchr(key, ':') + 1;
    int length = snprintf(path, PATH, "%s/%.2s", cache->folder, hex);
    if (length < 0 || length >= PATH || (make && mkdir(path, 0777) != 0 && errno != EEXIST)) {
        return false;
    }
    length = snprintf(path, PATH, "%s/%.2s/%s", cache->folder, hex, hex + 2);
    return length > 0 && length < PATH;
}

/* An entry is a line with the schema and the digest of the record, and the record. */
static bool head_of(const char *record, size_t size, char *head, size_t room)
{
    char text[ASSAY_DIGEST_TEXT];
    struct assay_digest digest;
    assay_digest_begin(&digest);
    assay_digest_add(&digest, record, size);
    return assay_digest_end(&digest, text) == ASSAY_OK &&
           snprintf(head, room, ASSAY_RECORD_SCHEMA " %s\n", text) > 0;
}

/* The record of an entry; null where there is none, or it is damaged. */
static json_t *load(FILE *file)
{
    enum { HEAD = sizeof ASSAY_RECORD_SCHEMA + ASSAY_DIGEST_TEXT + 1 };
    char head[HEAD + 1];
    char expected[HEAD + 1];
    char *record = NULL;
    size_t room = 0;
    json_t *value = NULL;
    json_error_t wrong;
    const bool headed = fgets(head, sizeof head, file) != NULL;
    const ssize_t length = headed ? getline(&record, &room, file) : -1;
    if (length > 0 && head_of(record, (size_t)length, expected, sizeof expected) &&
        strcmp(head, expected) == 0) {
        (void)assay_json_load(record, (size_t)length, JSON_REJECT_DUPLICATES, &value, &wrong);
    }
    free(record);
    return value;
}

/* The result in the entry, if the input is still the same. */
static enum assay_error compare(const json_t *record, struct assay_input_run *run, bool *known)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_input_run before = {.options = run->options};
    enum assay_error error = assay_record_read(record, &before, &diag);
    if (error == ASSAY_OK) {
        error = assay_known_still(run->input, &before.result, known);
    }
    if (*known) {
        run->result = before.result;
        run->tally = before.tally;
        run->arena = before.arena;
    } else {
        assay_input_close(&before);
    }
    return error == ASSAY_NO_MEMORY ? error : ASSAY_OK;
}

enum assay_error assay_cache_recall(struct assay_cache *cache, struct assay_input_run *run,
                                    bool *known)
{
    char path[PATH];
    FILE *file = NULL;
    *known = false;
    if (!path_of(cache, run->input->path, false, path) ||
        assay_file_open(path, &file, NULL) != ASSAY_OK) {
        return ASSAY_OK;
    }
    json_t *record = load(file);
    fclose(file);
    const enum assay_error error = record != NULL ? compare(record, run, known) : ASSAY_OK;
    json_decref(record);
    cache->reused += *known;
    return error;
}

/* Once; the run goes on without. */
static void say_not_kept(struct assay_cache *cache, const struct assay_diag *diag)
{
    if (!atomic_exchange(&cache->said, true)) {
        assay_say(diag);
        fputs("assay: results are not kept in the cache\n", stderr);
    }
}

/* What stands in the place of an entry and is none is not written through: a pipe would hold the
 * run up, a link lead to a file elsewhere. */
static enum assay_error store(const char *path, const json_t *record, struct assay_diag *diag)
{
    char head[ASSAY_DIGEST_TEXT + 64];
    struct assay_sink sink;
    struct stat st;
    if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        assay_fail(diag, ASSAY_NOT_WRITABLE, ASSAY_NO_OFFSET, "is no regular file");
        assay_diag_path(diag, path);
        return ASSAY_NOT_WRITABLE;
    }
    char *text = json_dumps(record, JSON_COMPACT | JSON_ENSURE_ASCII);
    if (text == NULL || !head_of(text, strlen(text), head, sizeof head)) {
        free(text);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    enum assay_error error = assay_sink_replace(&sink, path, diag);
    if (error == ASSAY_OK) {
        assay_sink_text(&sink, head);
        assay_sink_text(&sink, text);
        error = assay_sink_close(&sink, diag);
    }
    free(text);
    return error;
}

void assay_cache_judged(struct assay_cache *cache, const struct assay_input_run *run)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    char path[PATH];
    struct assay_record_kept kept = {0};
    if (!assay_known_later(run) || !assay_evidence_current(cache->evidence)) {
        return;
    }
    if (!path_of(cache, run->result.path, true, path)) {
        assay_fail(&diag, ASSAY_NOT_WRITABLE, ASSAY_NO_OFFSET, "%s", strerror(errno));
        assay_diag_path(&diag, cache->folder);
        say_not_kept(cache, &diag);
        return;
    }
    json_t *record = assay_record_of(run, 0, &kept);
    const enum assay_error error =
        record != NULL ? store(path, record, &diag)
                       : assay_fail(&diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    json_decref(record);
    if (error != ASSAY_OK) {
        say_not_kept(cache, &diag);
    }
}
