#include "validator/certify/challenge.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/path.h"
#include "model/model.h"
#include "validator/certify/lists.h"
#include "validator/certify/parts.h"

/* --- which challenge --- */

bool assay_challenge_architecture(const char *name, struct assay_challenge_options *options)
{
    if (strcmp(name, "aarch64") == 0) {
        options->isa = ASSAY_EXECUTION_AARCH64;
        return true;
    }
    const char *letters = strcmp(name, "riscv64") == 0     ? "mac"
                          : strncmp(name, "rv64i", 5) == 0 ? name + 5
                                                           : "none";
    static const char all[] = "mac";
    bool *const without[] = {&options->no_multiply, &options->no_atomics, &options->no_compressed};
    for (size_t i = 0; i < 3; i++) {
        *without[i] = *letters != all[i];
        letters += !*without[i];
    }
    options->isa = ASSAY_EXECUTION_RISCV64;
    return *letters == '\0';
}

void assay_challenge_architecture_name(const struct assay_challenge_options *options,
                                       char name[ASSAY_CHALLENGE_ARCHITECTURE])
{
    const bool all = !options->no_multiply && !options->no_atomics && !options->no_compressed;
    if (options->isa == ASSAY_EXECUTION_AARCH64 || all) {
        snprintf(name, ASSAY_CHALLENGE_ARCHITECTURE, "%s", assay_execution_isa_name(options->isa));
        return;
    }
    snprintf(name, ASSAY_CHALLENGE_ARCHITECTURE, "rv64i%s%s%s", options->no_multiply ? "" : "m",
             options->no_atomics ? "" : "a", options->no_compressed ? "" : "c");
}

const char *assay_challenge_form(const struct assay_challenge_options *options)
{
    return options->bare ? "bare" : "linux";
}

void assay_challenge_complete(struct assay_challenge_options *options)
{
    const bool is_a64 = options->isa == ASSAY_EXECUTION_AARCH64;
    if (options->instructions == 0) {
        options->instructions = ASSAY_CHALLENGE_INSTRUCTIONS;
    }
    if (options->bare && !options->has_base) {
        options->base = is_a64 ? ASSAY_CHALLENGE_BASE_AARCH64 : ASSAY_CHALLENGE_BASE_RISCV64;
    }
    if (options->bare && options->level == 0) {
        options->level = is_a64 ? 1 : 3;
    }
}

void assay_challenge_write(const struct assay_challenge_options *o, char text[ASSAY_CHALLENGE_TEXT])
{
    char architecture[ASSAY_CHALLENGE_ARCHITECTURE];
    assay_challenge_architecture_name(o, architecture);
    int at = snprintf(text, ASSAY_CHALLENGE_TEXT,
                      "{generator: %d, seed: %" PRIu64 ", architecture: %s, form: %s, "
                      "instructions: %" PRIu64,
                      ASSAY_CHALLENGE_VERSION, o->seed, architecture, assay_challenge_form(o),
                      o->instructions);
    if (o->bare) {
        at += snprintf(text + at, (size_t)(ASSAY_CHALLENGE_TEXT - at),
                       ", base: 0x%" PRIx64 ", level: %u", o->base, o->level);
    }
    if (o->has_end) {
        at += snprintf(text + at, (size_t)(ASSAY_CHALLENGE_TEXT - at), ", end: 0x%" PRIx64, o->end);
    }
    if (o->has_tohost) {
        at += snprintf(text + at, (size_t)(ASSAY_CHALLENGE_TEXT - at), ", tohost: 0x%" PRIx64,
                       o->tohost);
    }
    snprintf(text + at, (size_t)(ASSAY_CHALLENGE_TEXT - at), "}");
}

/* A number of the mapping; *given says whether it is there. */
static enum assay_error take_number(const struct assay_yaml *map, const char *key, bool *given,
                                    uint64_t *value, struct assay_diag *diag)
{
    const struct assay_yaml *node = assay_yaml_get(map, key);
    *given = node != NULL;
    return node == NULL || assay_yaml_u64(node, value)
               ? ASSAY_OK
               : assay_yaml_fail(node, diag, ASSAY_OUT_OF_RANGE,
                                 "\"%s\" is a number from 0 to 0xffffffffffffffff", key);
}

static enum assay_error take_names(const struct assay_yaml *map, struct assay_challenge_options *o,
                                   struct assay_diag *diag)
{
    const struct assay_yaml *architecture = assay_yaml_get(map, "architecture");
    const struct assay_yaml *form = assay_yaml_get(map, "form");
    if (architecture == NULL || architecture->type != ASSAY_YAML_SCALAR ||
        !assay_challenge_architecture(architecture->text, o)) {
        return assay_yaml_fail(architecture != NULL ? architecture : map, diag, ASSAY_UNKNOWN_NAME,
                               "\"architecture\" is aarch64, riscv64, or rv64i with some of the "
                               "letters m, a, c");
    }
    o->bare = form != NULL && assay_yaml_is(form, "bare");
    return form == NULL || o->bare || assay_yaml_is(form, "linux")
               ? ASSAY_OK
               : assay_yaml_fail(form, diag, ASSAY_UNKNOWN_NAME, "\"form\" is linux or bare");
}

static enum assay_error take_places(const struct assay_yaml *map, struct assay_challenge_options *o,
                                    struct assay_diag *diag)
{
    static const char *const bare_alone[] = {"base", "end", "tohost", "level"};
    uint64_t level = 0;
    bool has_level = false;
    enum assay_error error = take_number(map, "base", &o->has_base, &o->base, diag);
    error = error ? error : take_number(map, "end", &o->has_end, &o->end, diag);
    error = error ? error : take_number(map, "tohost", &o->has_tohost, &o->tohost, diag);
    error = error ? error : take_number(map, "level", &has_level, &level, diag);
    o->level = level > 3 ? UINT8_MAX : (uint8_t)level;
    for (size_t i = 0; error == ASSAY_OK && !o->bare && i < 4; i++) {
        const struct assay_yaml *node = assay_yaml_get(map, bare_alone[i]);
        if (node != NULL) {
            return assay_yaml_fail(node, diag, ASSAY_CONTRADICTION, "\"%s\" is of the form bare",
                                   bare_alone[i]);
        }
    }
    return error;
}

enum assay_error assay_challenge_read(const struct assay_yaml *map,
                                      struct assay_challenge_options *options,
                                      struct assay_diag *diag)
{
    static const char *const known[] = {"generator",    "seed", "architecture", "form",
                                        "instructions", "base", "end",          "tohost",
                                        "level",        NULL};
    uint64_t generator = ASSAY_CHALLENGE_VERSION;
    bool given = false;
    *options = (struct assay_challenge_options){.seed = 0};
    enum assay_error error = assay_certify_mapping(map, "\"challenge\"", known, diag);
    error = error ? error : take_number(map, "generator", &given, &generator, diag);
    if (error == ASSAY_OK && generator != ASSAY_CHALLENGE_VERSION) {
        return assay_yaml_fail(assay_yaml_get(map, "generator"), diag, ASSAY_UNSUPPORTED,
                               "the challenge is of generator %" PRIu64 ", and this build has %d",
                               generator, ASSAY_CHALLENGE_VERSION);
    }
    error = error ? error : take_number(map, "instructions", &given, &options->instructions, diag);
    error = error ? error : take_number(map, "seed", &given, &options->seed, diag);
    if (error == ASSAY_OK && !given) {
        return assay_yaml_fail(map, diag, ASSAY_SYNTAX, "\"seed\", a number, is missing");
    }
    error = error ? error : take_names(map, options, diag);
    error = error ? error : take_places(map, options, diag);
    if (error == ASSAY_OK) {
        assay_challenge_complete(options);
        struct assay_diag wrong = {.offset = ASSAY_NO_OFFSET};
        error = assay_challenge_check(options, &wrong);
        error = error ? assay_yaml_fail(map, diag, error, "%s", wrong.message) : ASSAY_OK;
    }
    return error;
}

/* --- making it again --- */

static enum assay_error digest_of(int fd, char text[ASSAY_DIGEST_TEXT], struct assay_diag *diag)
{
    struct assay_digest digest;
    uint8_t buffer[1 << 16];
    off_t at = 0;
    ssize_t got;
    assay_digest_begin(&digest);
    while ((got = pread(fd, buffer, sizeof buffer, at)) > 0) {
        assay_digest_add(&digest, buffer, (size_t)got);
        at += got;
    }
    const enum assay_error error = assay_digest_end(&digest, text);
    if (got < 0) {
        return assay_fail(diag, ASSAY_READ_FAILED, ASSAY_NO_OFFSET,
                          "a challenge cannot be read again");
    }
    return error != ASSAY_OK ? assay_certify_no_digest(assay_error_text(error), diag) : ASSAY_OK;
}

enum assay_error assay_challenge_reference(const struct assay_challenge_options *options,
                                           int program, int execution,
                                           struct assay_challenge_reference *reference,
                                           struct assay_diag *diag)
{
    struct assay_sink sinks[2];
    assay_sink_fd(&sinks[0], program);
    assay_sink_fd(&sinks[1], execution);
    enum assay_error error =
        assay_challenge_make(options, &sinks[0], &sinks[1], &reference->facts, diag);
    for (size_t i = 0; i < 2; i++) {
        const enum assay_error closed =
            assay_sink_close(&sinks[i], error == ASSAY_OK ? diag : NULL);
        error = error != ASSAY_OK ? error : closed;
    }
    error = error ? error : digest_of(program, reference->program, diag);
    return error ? error : digest_of(execution, reference->execution, diag);
}

static enum assay_error make_again(const struct assay_challenge_options *options,
                                   struct assay_challenge_reference *reference,
                                   struct assay_diag *diag)
{
    FILE *program = assay_temporary_file();
    FILE *execution = assay_temporary_file();
    enum assay_error error = program != NULL && execution != NULL
                                 ? assay_challenge_reference(options, fileno(program),
                                                             fileno(execution), reference, diag)
                                 : assay_fail(diag, ASSAY_NOT_WRITABLE, ASSAY_NO_OFFSET,
                                              "no temporary file can be made for a challenge");
    if (program != NULL) {
        fclose(program);
    }
    if (execution != NULL) {
        fclose(execution);
    }
    return error;
}

/* --- comparing --- */

/* The files of a role: how many have another digest; and how many there are. */
static size_t other_files(const struct assay_input_result *input, const char *role,
                          const char *sha256, size_t *count)
{
    size_t others = 0;
    *count = 0;
    for (size_t i = 0; i < input->evidence_count; i++) {
        const struct assay_evidence *file = &input->evidence[i];
        if (strcmp(file->role, role) == 0) {
            ++*count;
            others += file->missing || strcmp(file->sha256, sha256) != 0;
        }
    }
    return others;
}

/* Why the files that the trace was judged with are not those of the challenge; null: they are. */
static const char *difference(const struct assay_input_result *input,
                              const struct assay_challenge_reference *reference)
{
    size_t count = 0;
    if (other_files(input, "execution", reference->execution, &count) > 0) {
        return "it was compared with another execution than the predicted one";
    }
    if (count == 0) {
        return "it was not compared with the predicted execution";
    }
    return other_files(input, "image", reference->program, &count) > 0
               ? "it was judged with another program than the challenge"
               : NULL;
}

enum assay_error assay_certify_challenges(struct assay_certification *c, struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    c->challenged =
        assay_arena_take(&c->arena, (c->submission->trace_count + 1) * sizeof *c->challenged);
    if (c->challenged == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    for (size_t i = 0; error == ASSAY_OK && i < c->results.input_count; i++) {
        const struct assay_challenge_options *options = c->submission->traces[i].challenge;
        struct assay_challenge_reference reference;
        if (options == NULL) {
            continue;
        }
        error = make_again(options, &reference, diag);
        if (error == ASSAY_OK) {
            c->challenged[i].executed = reference.facts.executed;
            c->challenged[i].difference = difference(&c->results.inputs[i], &reference);
        }
    }
    return error;
}

bool assay_certify_challenge_is_repeated(const struct assay_certification *c, size_t trace)
{
    const struct assay_challenge_options *of = c->submission->traces[trace].challenge;
    for (size_t i = 0; i < trace; i++) {
        const struct assay_challenge_options *other = c->submission->traces[i].challenge;
        if (c->challenged[i].met && other->seed == of->seed && other->isa == of->isa &&
            other->bare == of->bare) {
            return true;
        }
    }
    return false;
}

void assay_challenge_name(const struct assay_challenge_options *options,
                          char name[ASSAY_CHALLENGE_NAME])
{
    char architecture[ASSAY_CHALLENGE_ARCHITECTURE];
    assay_challenge_architecture_name(options, architecture);
    snprintf(name, ASSAY_CHALLENGE_NAME, "seed %" PRIu64 ", %s, %s", options->seed, architecture,
             assay_challenge_form(options));
}

void assay_certify_challenges_said(const json_t *demands, char *text, size_t room)
{
    size_t i = 0;
    size_t at = 0;
    const json_t *demand = NULL;
    text[0] = '\0';
    json_array_foreach(demands, i, demand)
    {
        const char *kind = json_string_value(json_object_get(demand, "demand"));
        const char *name = json_string_value(json_object_get(demand, "name"));
        const bool met = json_is_true(json_object_get(demand, "met"));
        if (kind != NULL && name != NULL && strcmp(kind, "challenge") == 0 && at < room &&
            strcmp(name, "due") != 0) {
            at += (size_t)snprintf(text + at, room - at, "%s%s%s", at > 0 ? "; " : "", name,
                                   met ? "" : " (not met)");
        }
    }
}
