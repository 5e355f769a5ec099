#include "validator/certify/submission.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/path.h"
#include "model/model.h"
#include "validator/certify/challenge.h"
#include "validator/certify/lists.h"

/* Bytes of a name: --verify, the summary and tables show all of it. */
enum { MOST_PRODUCER = 72 };

static enum assay_error no_memory(struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

/* --- paths --- */

static enum assay_error check_path(const struct assay_yaml *node, struct assay_diag *diag)
{
    return strlen(node->text) == node->length && assay_path_stays(node->text)
               ? ASSAY_OK
               : assay_yaml_fail(node, diag, ASSAY_OUT_OF_RANGE,
                                 "%.200s is not the path of a file below the submission's folder",
                                 node->text);
}

/* One file has one path, however it is written. */
static enum assay_error tidy(struct assay_submission *s, const struct assay_yaml *node,
                             const char **path, struct assay_diag *diag)
{
    char *copy = assay_arena_text(&s->arena, node->text, node->length);
    if (copy == NULL) {
        return no_memory(diag);
    }
    assay_path_tidy(copy);
    *path = copy;
    return ASSAY_OK;
}

static enum assay_error take_path(struct assay_submission *s, const struct assay_yaml *map,
                                  const char *key, bool required, const char **path,
                                  struct assay_diag *diag)
{
    const struct assay_yaml *node = assay_yaml_get(map, key);
    enum assay_error error = assay_yaml_take_text(map, key, required, &s->arena, path, diag);
    error = error == ASSAY_OK && *path != NULL ? check_path(node, diag) : error;
    return error == ASSAY_OK && *path != NULL ? tidy(s, node, path, diag) : error;
}

/* Whether a path leads to a regular file inside the folder `root`. */
static enum assay_error check_file(const char *root, const char *path,
                                   const struct assay_yaml *node, struct assay_diag *diag)
{
    char file[PATH_MAX];
    char real[PATH_MAX];
    struct stat status = {0};
    snprintf(file, sizeof file, "%.*s", (int)assay_path_file_length(path), path);
    if (realpath(file, real) == NULL) {
        const bool absent = errno == ENOENT || errno == ENOTDIR;
        return assay_yaml_fail(node, diag, absent ? ASSAY_NOT_FOUND : ASSAY_NOT_READABLE,
                               "%.200s: %s", path, strerror(errno));
    }
    if (strcmp(root, real) != 0 && !assay_path_is_below(root, real)) {
        return assay_yaml_fail(node, diag, ASSAY_NOT_READABLE,
                               "%.200s leads out of the submission's folder", path);
    }
    if (stat(real, &status) == 0 && S_ISREG(status.st_mode)) {
        return ASSAY_OK;
    }
    assay_yaml_fail(node, diag, ASSAY_NOT_READABLE, "%.200s is no regular file", path);
    if (S_ISDIR(status.st_mode)) {
        assay_diag_hint(diag, "of a snapshot its file snapshot.ini or contents.ini is named");
    }
    return ASSAY_NOT_READABLE;
}

enum assay_error assay_submission_check_files(const struct assay_submission *s,
                                              struct assay_diag *diag)
{
    char root[PATH_MAX];
    if (realpath(".", root) == NULL) {
        return assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET, "the folder: %s",
                          strerror(errno));
    }
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; error == ASSAY_OK && i < s->trace_count; i++) {
        const struct assay_certify_trace *trace = &s->traces[i];
        const char *const paths[] = {trace->path, trace->execution, trace->facts};
        for (size_t n = 0; error == ASSAY_OK && n < sizeof paths / sizeof *paths; n++) {
            error = paths[n] != NULL ? check_file(root, paths[n], trace->node, diag) : ASSAY_OK;
        }
        if (error == ASSAY_NOT_FOUND && trace->command != NULL) {
            assay_diag_hint(diag, "a command makes it; --run-commands runs that");
        }
    }
    for (size_t i = 0; error == ASSAY_OK && i < s->waivers.count; i++) {
        error = check_file(root, s->waivers.list[i]->text, s->waivers.list[i], diag);
    }
    return error;
}

/* --- who, and what is claimed --- */

static enum assay_error take_producer(struct assay_submission *s, const struct assay_yaml *root,
                                      struct assay_diag *diag)
{
    static const char *const known[] = {"name", "version", "vendor", NULL};
    const struct assay_yaml *map = assay_yaml_get(root, "producer");
    if (map == NULL) {
        return assay_yaml_fail(root, diag, ASSAY_SYNTAX,
                               "\"producer\", a mapping with name and version, is missing");
    }
    enum assay_error error = assay_certify_mapping(map, "\"producer\"", known, diag);
    error = error ? error : assay_yaml_take_text(map, "name", true, &s->arena, &s->producer, diag);
    error =
        error ? error : assay_yaml_take_text(map, "version", true, &s->arena, &s->version, diag);
    error = error ? error : assay_yaml_take_text(map, "vendor", false, &s->arena, &s->vendor, diag);
    const char *const texts[] = {s->producer, s->version, s->vendor};
    for (size_t i = 0; error == ASSAY_OK && i < sizeof texts / sizeof *texts; i++) {
        if (texts[i] != NULL && strlen(texts[i]) > MOST_PRODUCER) {
            return assay_yaml_fail(
                map, diag, ASSAY_LIMIT,
                "name, version and vendor of a producer have at most %d bytes each", MOST_PRODUCER);
        }
    }
    return error;
}

static enum assay_error take_format(struct assay_submission *s, const struct assay_yaml *map,
                                    struct assay_diag *diag)
{
    const struct assay_yaml *format = assay_yaml_get(map, "format");
    const struct assay_yaml *version = assay_yaml_get(map, "version");
    s->format = format != NULL && format->type == ASSAY_YAML_SCALAR
                    ? assay_format_by_name(format->text)
                    : NULL;
    if (s->format == NULL) {
        return assay_yaml_fail(format != NULL ? format : map, diag, ASSAY_UNKNOWN_NAME,
                               "\"format\" is missing or names no format");
    }
    if (version == NULL) {
        return ASSAY_OK;
    }
    for (size_t i = 0; i < s->format->profile_count; i++) {
        if (assay_yaml_is(version, s->format->profiles[i].name)) {
            s->dialect = 1 + (unsigned)i;
            return ASSAY_OK;
        }
    }
    assay_yaml_fail(version, diag, ASSAY_UNKNOWN_NAME, "%s has no such version", s->format->name);
    assay_diag_hint(diag, "one is %s", s->format->profiles[0].name);
    return ASSAY_UNKNOWN_NAME;
}

static enum assay_error take_parameters(struct assay_submission *s, const struct assay_yaml *claims,
                                        struct assay_diag *diag)
{
    const struct assay_yaml *map = assay_yaml_get(claims, "parameters");
    if (map == NULL) {
        return ASSAY_OK;
    }
    if (map->type != ASSAY_YAML_MAP || s->format->parameters == NULL) {
        return assay_yaml_fail(map, diag, ASSAY_WRONG_TYPE,
                               s->format->parameters == NULL
                                   ? "traces of %s have no parameters"
                                   : "the parameters of %s are a mapping of names to values",
                               s->format->name);
    }
    s->parameters = assay_arena_take(&s->arena, (map->count + 1) * sizeof *s->parameters);
    if (s->parameters == NULL) {
        return no_memory(diag);
    }
    for (size_t i = 0; i < map->count; i++) {
        s->parameters[s->parameter_count++] = (struct assay_certify_parameter){
            .name = map->items[2 * i]->text, .value = map->items[2 * i + 1]};
    }
    return ASSAY_OK;
}

static enum assay_error take_claims(struct assay_submission *s, const struct assay_yaml *root,
                                    struct assay_diag *diag)
{
    static const char *const known[] = {"format",   "version",    "profile",  "level",
                                        "features", "parameters", "readings", NULL};
    const struct assay_yaml *map = assay_yaml_get(root, "claims");
    if (map == NULL) {
        return assay_yaml_fail(root, diag, ASSAY_SYNTAX,
                               "\"claims\", a mapping with format, profile and level, is missing");
    }
    enum assay_error error = assay_certify_mapping(map, "\"claims\"", known, diag);
    error = error ? error : take_format(s, map, diag);
    error =
        error ? error : assay_yaml_take_text(map, "profile", true, &s->arena, &s->profile, diag);
    error = error ? error : assay_yaml_take_text(map, "level", true, &s->arena, &s->level, diag);
    error =
        error ? error : assay_certify_take_texts(map, "features", &s->arena, &s->features, diag);
    error =
        error ? error : assay_certify_take_texts(map, "readings", &s->arena, &s->readings, diag);
    s->profile_node = assay_yaml_get(map, "profile");
    s->level_node = assay_yaml_get(map, "level");
    return error ? error : take_parameters(s, map, diag);
}

/* --- traces --- */

static enum assay_error take_challenge(struct assay_submission *s, const struct assay_yaml *map,
                                       struct assay_certify_trace *trace, struct assay_diag *diag)
{
    const struct assay_yaml *node = assay_yaml_get(map, "challenge");
    if (node == NULL) {
        return ASSAY_OK;
    }
    struct assay_challenge_options *options = assay_arena_take(&s->arena, sizeof *options);
    trace->challenge = options;
    if (options == NULL) {
        return no_memory(diag);
    }
    const enum assay_error error = assay_challenge_read(node, options, diag);
    s->challenged += error == ASSAY_OK ? options->instructions : 0;
    return s->challenged > ASSAY_CERTIFY_CHALLENGED_MAX
               ? assay_yaml_fail(node, diag, ASSAY_LIMIT,
                                 "the challenges of a submission execute at most %d instructions",
                                 ASSAY_CERTIFY_CHALLENGED_MAX)
               : error;
}

static enum assay_error take_trace(struct assay_submission *s, const struct assay_yaml *map,
                                   struct assay_diag *diag)
{
    static const char *const known[] = {"trace", "workload", "challenge", "execution",
                                        "facts", "command",  NULL};
    struct assay_certify_trace *trace = &s->traces[s->trace_count];
    *trace = (struct assay_certify_trace){.node = map};
    enum assay_error error = assay_certify_mapping(map, "a trace", known, diag);
    error = error ? error : take_path(s, map, "trace", true, &trace->path, diag);
    error = error ? error : take_path(s, map, "execution", false, &trace->execution, diag);
    error = error ? error : take_path(s, map, "facts", false, &trace->facts, diag);
    error = error ? error
                  : assay_yaml_take_text(map, "workload", false, &s->arena, &trace->workload, diag);
    error = error ? error
                  : assay_yaml_take_text(map, "command", false, &s->arena, &trace->command, diag);
    error = error ? error : take_challenge(s, map, trace, diag);
    for (size_t i = 0; error == ASSAY_OK && i < s->trace_count; i++) {
        if (strcmp(s->traces[i].path, trace->path) == 0) {
            error = assay_yaml_fail(map, diag, ASSAY_DUPLICATE, "%.200s is handed in twice",
                                    trace->path);
        }
    }
    s->trace_count += error == ASSAY_OK;
    return error;
}

static enum assay_error take_traces(struct assay_submission *s, const struct assay_yaml *root,
                                    struct assay_diag *diag)
{
    const struct assay_yaml *list = NULL;
    enum assay_error error = assay_certify_list_of(root, "traces", true, &list, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    if (list->count > ASSAY_CERTIFY_TRACES_MAX) {
        return assay_yaml_fail(list, diag, ASSAY_LIMIT, "there are more than %d traces",
                               ASSAY_CERTIFY_TRACES_MAX);
    }
    s->traces = assay_arena_take(&s->arena, list->count * sizeof *s->traces);
    if (s->traces == NULL) {
        return no_memory(diag);
    }
    for (size_t i = 0; error == ASSAY_OK && i < list->count; i++) {
        error = take_trace(s, list->items[i], diag);
    }
    return error;
}

static enum assay_error take_waivers(struct assay_submission *s, const struct assay_yaml *root,
                                     struct assay_diag *diag)
{
    enum assay_error error =
        assay_certify_take_texts(root, "waivers", &s->arena, &s->waivers, diag);
    for (size_t i = 0; error == ASSAY_OK && i < s->waivers.count; i++) {
        error = check_path(s->waivers.list[i], diag);
    }
    return error;
}

/* --- digests --- */

static enum assay_error take_pin(struct assay_submission *s, const struct assay_yaml *path,
                                 const struct assay_yaml *digest, struct assay_diag *diag)
{
    struct assay_certify_pin *pin = &s->pins[s->pin_count++];
    const bool good = digest->type == ASSAY_YAML_SCALAR && digest->length == 64 &&
                      strspn(digest->text, "0123456789abcdef") == 64;
    *pin = (struct assay_certify_pin){.node = digest};
    if (!good) {
        return assay_yaml_fail(digest, diag, ASSAY_WRONG_TYPE,
                               "the SHA-256 of a file is 64 hexadecimal digits, in lower case");
    }
    snprintf(pin->sha256, sizeof pin->sha256, "sha256:%.64s", digest->text);
    const enum assay_error error = check_path(path, diag);
    return error != ASSAY_OK ? error : tidy(s, path, &pin->path, diag);
}

static enum assay_error take_pins(struct assay_submission *s, const struct assay_yaml *root,
                                  struct assay_diag *diag)
{
    const struct assay_yaml *map = assay_yaml_get(root, "digests");
    if (map == NULL) {
        return ASSAY_OK;
    }
    if (map->type != ASSAY_YAML_MAP) {
        return assay_yaml_fail(map, diag, ASSAY_WRONG_TYPE,
                               "\"digests\" is a mapping of paths to their SHA-256");
    }
    s->pins = assay_arena_take(&s->arena, (map->count + 1) * sizeof *s->pins);
    if (s->pins == NULL) {
        return no_memory(diag);
    }
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; error == ASSAY_OK && i < map->count; i++) {
        error = take_pin(s, map->items[2 * i], map->items[2 * i + 1], diag);
    }
    return error;
}

/* --- the submission --- */

static enum assay_error take_submission(struct assay_submission *s, const struct assay_yaml *root,
                                        struct assay_diag *diag)
{
    static const char *const known[] = {"submission", "producer", "claims", "traces",
                                        "waivers",    "digests",  NULL};
    uint64_t version = 0;
    enum assay_error error = assay_certify_mapping(root, "a submission", known, diag);
    const struct assay_yaml *node = assay_yaml_get(root, "submission");
    if (error == ASSAY_OK && (!assay_yaml_u64(node, &version) || version != 1)) {
        return assay_yaml_fail(node != NULL ? node : root, diag, ASSAY_UNSUPPORTED,
                               "a submission says `submission: 1`");
    }
    error = error ? error : take_producer(s, root, diag);
    error = error ? error : take_claims(s, root, diag);
    error = error ? error : take_traces(s, root, diag);
    error = error ? error : take_waivers(s, root, diag);
    return error ? error : take_pins(s, root, diag);
}

static enum assay_error read_submission(const char *path, struct assay_submission *s,
                                        struct assay_diag *diag)
{
    const enum assay_error error = assay_yaml_parse(path, s->text, s->size, &s->file, diag);
    return error != ASSAY_OK ? error : take_submission(s, s->file.root, diag);
}

enum assay_error assay_submission_parse(const char *path, const char *text, size_t size,
                                        struct assay_submission *s, struct assay_diag *diag)
{
    *s = (struct assay_submission){.text = text, .size = size};
    return read_submission(path, s, diag);
}

enum assay_error assay_submission_load(const char *path, struct assay_submission *s,
                                       struct assay_diag *diag)
{
    *s = (struct assay_submission){0};
    const enum assay_error error = assay_certify_text(path, &s->arena, &s->text, &s->size, diag);
    return error != ASSAY_OK ? error : read_submission(path, s, diag);
}

void assay_submission_free(struct assay_submission *s)
{
    assay_yaml_free(&s->file);
    assay_arena_free(&s->arena);
    *s = (struct assay_submission){0};
}
