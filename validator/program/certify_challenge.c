#include "validator/program/certify_challenge.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "validator/certify/challenge.h"
#include "validator/program/new_folder.h"
#include "validator/program/program.h"

enum { NAME = 80, PROGRAM_MODE = 0777, FILE_MODE = 0666 };

/* --- the command line --- */

static int take_number(const struct assay_certify_challenge_given *given, const char *option,
                       const char *value, uint64_t least, uint64_t most, uint64_t *number)
{
    return assay_number_option(given->command, option, value, least, most, number)
               ? 0
               : ASSAY_EXIT_USAGE;
}

static int take_architecture(struct assay_certify_challenge_given *given, const char *value)
{
    given->has_architecture = true;
    return assay_challenge_architecture(value, &given->options)
               ? 0
               : assay_usage_error(given->command,
                                   "--architecture is aarch64, riscv64, or rv64i with some of the "
                                   "letters m, a, c, not %.40s",
                                   value);
}

static int take_level(struct assay_certify_challenge_given *given, const char *value)
{
    uint64_t level = 0;
    const int status = take_number(given, "start-level", value, 1, 3, &level);
    given->options.level = (uint8_t)level;
    return status;
}

bool assay_certify_challenge_take(struct assay_certify_challenge_given *given, int option,
                                  const char *value, int *status)
{
    struct assay_challenge_options *o = &given->options;
    switch (option) {
    case 'C':
        given->seed = value;
        *status = take_number(given, "challenge", value, 0, UINT64_MAX, &o->seed);
        return true;
    case 'a':
        *status = take_architecture(given, value);
        return true;
    case 'B':
        o->bare = true;
        return true;
    case 'b':
        o->has_base = true;
        *status = take_number(given, "base", value, 0, UINT64_MAX, &o->base);
        return true;
    case 'e':
        o->has_end = true;
        *status = take_number(given, "end", value, 0, UINT64_MAX, &o->end);
        return true;
    case 'T':
        o->has_tohost = true;
        *status = take_number(given, "tohost", value, 0, UINT64_MAX, &o->tohost);
        return true;
    case 'L':
        *status = take_level(given, value);
        return true;
    case 'N':
        *status = take_number(given, "instructions", value, ASSAY_CHALLENGE_INSTRUCTIONS_LEAST,
                              ASSAY_CHALLENGE_INSTRUCTIONS_MOST, &o->instructions);
        return true;
    default:
        return false;
    }
}

int assay_certify_challenge_check(const struct assay_certify_challenge_given *given)
{
    const struct assay_command *self = given->command;
    const struct assay_challenge_options *o = &given->options;
    const bool placed = o->has_base || o->has_end || o->has_tohost || o->level != 0;
    if (given->seed == NULL && (given->has_architecture || o->bare || placed || o->instructions)) {
        return assay_usage_error(self, "--architecture, --bare, --base, --end, --tohost, "
                                       "--start-level and --instructions are for --challenge");
    }
    if (placed && !o->bare) {
        return assay_usage_error(self, "--base, --end, --tohost and --start-level are for --bare");
    }
    if (placed && !given->has_architecture) {
        return assay_usage_error(self, "with --base, --end, --tohost or --start-level an "
                                       "--architecture is wanted");
    }
    return 0;
}

/* --- the folder --- */

static enum assay_error open_file(const char *folder, const char *name, mode_t mode, int *fd,
                                  struct assay_diag *diag)
{
    char path[ASSAY_FOLDER_PATH + NAME + 1];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    *fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (*fd < 0) {
        assay_fail(diag, ASSAY_NOT_WRITABLE, ASSAY_NO_OFFSET, "cannot be written: %s",
                   strerror(errno));
        assay_diag_path(diag, path);
        return ASSAY_NOT_WRITABLE;
    }
    return ASSAY_OK;
}

static enum assay_error close_file(int fd, enum assay_error error, struct assay_diag *diag)
{
    const bool failed = fd >= 0 && close(fd) != 0;
    return error == ASSAY_OK && failed ? assay_fail(diag, ASSAY_WRITE_FAILED, ASSAY_NO_OFFSET,
                                                    "a file of the challenge: %s", strerror(errno))
                                       : error;
}

/* The entry of a program, which a submission can repeat. */
static void put_program(struct assay_sink *sink, const struct assay_challenge_options *options,
                        const struct assay_challenge_reference *reference, const char *name)
{
    const struct assay_challenge_facts *facts = &reference->facts;
    char challenge[ASSAY_CHALLENGE_TEXT];
    assay_challenge_write(options, challenge);
    assay_sink_printf(sink,
                      "  - challenge: %s\n"
                      "    program: {file: %s, sha256: %s}\n"
                      "    execution: {file: %s.exec, sha256: %s}\n"
                      "    executed: %" PRIu64 "\n"
                      "    accesses: %" PRIu64 "\n"
                      "    entry: 0x%" PRIx64 "\n"
                      "    checksum: {at: 0x%" PRIx64 ", value: 0x%" PRIx64 "}\n",
                      challenge, name, reference->program + strlen("sha256:"), name,
                      reference->execution + strlen("sha256:"), facts->executed, facts->accesses,
                      facts->entry, facts->checksum_at, facts->checksum);
    if (options->bare) {
        assay_sink_printf(sink, "    lies: {from: 0x%" PRIx64 ", to: 0x%" PRIx64 "}\n", facts->base,
                          facts->base + facts->size - 1);
        assay_sink_printf(sink,
                          "    tohost: {at: 0x%" PRIx64 ", value: 1}\n"
                          "    finished: 0x%" PRIx64 "\n    end: 0x%" PRIx64 "\n",
                          facts->tohost, facts->stop, facts->finish);
    } else {
        assay_sink_printf(sink, "    status: %u\n", facts->status);
    }
}

/* Writes program and recording of an architecture. */
static enum assay_error write_program(const struct assay_challenge_options *options,
                                      const char *folder, struct assay_sink *list,
                                      struct assay_diag *diag)
{
    struct assay_challenge_options complete = *options;
    struct assay_challenge_reference reference;
    char architecture[ASSAY_CHALLENGE_ARCHITECTURE];
    char name[NAME];
    char recording[NAME + 8];
    int files[] = {-1, -1};
    assay_challenge_complete(&complete);
    assay_challenge_architecture_name(&complete, architecture);
    snprintf(name, sizeof name, "challenge-%" PRIu64 "-%s-%s", complete.seed, architecture,
             assay_challenge_form(&complete));
    snprintf(recording, sizeof recording, "%s.exec", name);
    enum assay_error error = open_file(folder, name, PROGRAM_MODE, &files[0], diag);
    error = error ? error : open_file(folder, recording, FILE_MODE, &files[1], diag);
    error =
        error ? error : assay_challenge_reference(&complete, files[0], files[1], &reference, diag);
    error = close_file(files[0], error, diag);
    error = close_file(files[1], error, diag);
    if (error == ASSAY_OK) {
        put_program(list, &complete, &reference, name);
    }
    return error;
}

static enum assay_error write_all(const struct assay_certify_challenge_given *given,
                                  const struct assay_new_folder *new, struct assay_diag *diag)
{
    static const enum assay_execution_isa both[] = {ASSAY_EXECUTION_AARCH64,
                                                    ASSAY_EXECUTION_RISCV64};
    struct assay_sink list;
    char path[ASSAY_FOLDER_PATH + NAME];
    struct assay_challenge_options one = given->options;
    snprintf(path, sizeof path, "%s/challenge.yaml", new->root);
    enum assay_error error = assay_sink_open(&list, path, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    assay_sink_printf(&list,
                      "# Programs that were drawn from a seed (assay certify --challenge), with "
                      "their predicted executions.\n"
                      "challenge: 1\ngenerator: %d\nseed: %" PRIu64 "\nprograms:\n",
                      ASSAY_CHALLENGE_VERSION, one.seed);
    if (given->has_architecture) {
        error = write_program(&one, new->root, &list, diag);
    }
    for (size_t i = 0; error == ASSAY_OK && !given->has_architecture && i < 2; i++) {
        one.isa = both[i];
        error = assay_new_folder_check(new, diag);
        error = error ? error : write_program(&one, new->root, &list, diag);
    }
    const enum assay_error closed = assay_sink_close(&list, error == ASSAY_OK ? diag : NULL);
    return error != ASSAY_OK ? error : closed;
}

int assay_certify_challenge_write(const struct assay_certify_challenge_given *given,
                                  const char *folder)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_new_folder new;
    enum assay_error error = assay_new_folder_begin(&new, folder, "the challenge is", &diag);
    if (error == ASSAY_OK) {
        error = write_all(given, &new, &diag);
        error = assay_new_folder_end(&new, error, &diag);
    }
    if (error != ASSAY_OK) {
        assay_say(&diag);
        return error == ASSAY_OUT_OF_RANGE ? ASSAY_EXIT_USAGE : assay_exit_of_given(error);
    }
    return 0;
}
