#include "validator/program/certify_commands.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/path.h"

/* What standard error said first, on one line. */
static const char *first_line(char *said)
{
    said[strcspn(said, "\n")] = '\0';
    return said;
}

/* Whether there is a file that can be used so; one with a buffer of that name is the buffer's. */
static bool is_there(const char *path, int mode)
{
    char file[PATH_MAX];
    const int length = snprintf(file, sizeof file, "%.*s", (int)assay_path_file_length(path), path);
    return length < (int)sizeof file && access(file, mode) == 0;
}

static enum assay_error check_end(const struct assay_certify_trace *trace,
                                  struct assay_decoder_run *run, struct assay_diag *diag)
{
    const char *said = first_line(run->said);
    switch (run->end) {
    case ASSAY_DECODER_HANG:
        return assay_yaml_fail(trace->node, diag, ASSAY_NOT_FOUND,
                               "the command of %.120s took too long", trace->path);
    case ASSAY_DECODER_FLOOD:
        return assay_yaml_fail(trace->node, diag, ASSAY_NOT_FOUND,
                               "the command of %.120s wrote too much", trace->path);
    case ASSAY_DECODER_SIGNAL:
        return assay_yaml_fail(trace->node, diag, ASSAY_NOT_FOUND,
                               "the command of %.120s was ended by signal %d", trace->path,
                               run->status);
    case ASSAY_DECODER_STOPPED:
        return assay_fail(diag, ASSAY_INTERRUPTED, ASSAY_NO_OFFSET, "the run was interrupted");
    default:
        break;
    }
    if (run->status != 0) {
        return assay_yaml_fail(trace->node, diag, ASSAY_NOT_FOUND,
                               "the command of %.100s failed with status %d%s%.120s", trace->path,
                               run->status, said[0] != '\0' ? ": " : "", said);
    }
    return is_there(trace->path, R_OK)
               ? ASSAY_OK
               : assay_yaml_fail(trace->node, diag, ASSAY_NOT_FOUND,
                                 "the command of %.120s did not make it", trace->path);
}

static enum assay_error run_command(const struct assay_certify_trace *trace,
                                    struct assay_decoder_command *decoder, const char *folder,
                                    struct assay_diag *diag)
{
    struct assay_decoder_run run;
    if (is_there(trace->path, F_OK)) {
        assay_yaml_fail(trace->node, diag, ASSAY_DUPLICATE, "%.200s is there already", trace->path);
        assay_diag_hint(diag, "remove it, or certify it as it is, without --run-commands");
        return ASSAY_DUPLICATE;
    }
    if (snprintf(decoder->line, sizeof decoder->line, "%s", trace->command) >=
        (int)sizeof decoder->line) {
        return assay_yaml_fail(trace->node, diag, ASSAY_LIMIT, "the command is too long");
    }
    enum assay_error error = assay_decoder_run_in(decoder, folder, trace->path, "", &run, diag);
    if (error == ASSAY_OK) {
        fclose(run.output);
        error = check_end(trace, &run, diag);
    }
    return error;
}

enum assay_error assay_certify_check_output(const char *output, struct assay_diag *diag)
{
    char real[PATH_MAX];
    char folder[PATH_MAX];
    if (realpath(output, real) == NULL || getcwd(folder, sizeof folder) == NULL) {
        return assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET, "the folder: %s",
                          strerror(errno));
    }
    const size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(real, folder, length) != 0 || real[length] != '/'
               ? ASSAY_OK
               : assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET,
                            "with --run-commands the certificate cannot be in the folder of the "
                            "submission, which commands can write");
}

enum assay_error assay_certify_commands(const struct assay_submission *submission,
                                        const struct assay_certify_given *given,
                                        const struct assay_stop *stop, struct assay_diag *diag)
{
    struct assay_decoder_command decoder = {.command = "",
                                            .isolation = given->isolation,
                                            .seconds = (unsigned)given->seconds,
                                            .output = given->room,
                                            .stop = stop};
    char folder[PATH_MAX];
    size_t commands = 0;
    if (getcwd(folder, sizeof folder) == NULL) {
        return assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET, "the folder: %s",
                          strerror(errno));
    }
    enum assay_error error = assay_decoder_isolate(&decoder, diag);
    for (size_t i = 0; error == ASSAY_OK && i < submission->trace_count; i++) {
        if (submission->traces[i].command != NULL) {
            error = assay_stop_requested(stop)
                        ? assay_fail(diag, ASSAY_INTERRUPTED, ASSAY_NO_OFFSET,
                                     "the run was interrupted")
                        : run_command(&submission->traces[i], &decoder, folder, diag);
            commands++;
        }
    }
    return error != ASSAY_OK || commands > 0
               ? error
               : assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET,
                            "--run-commands is given, and the submission has no command");
}
