#include "validator/program/certify_repeat.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static enum assay_error fail(const char *program, const char *how, const char *said,
                             struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_NOT_FOUND, ASSAY_NO_OFFSET,
                      "--reference, executing %.100s again, %s%s%.120s", program, how,
                      said[0] != '\0' ? ": " : "", said);
}

static enum assay_error check_end(const char *program, struct assay_decoder_run *run,
                                  struct assay_diag *diag)
{
    char how[40];
    run->said[strcspn(run->said, "\n")] = '\0';
    switch (run->end) {
    case ASSAY_DECODER_EXITED:
        snprintf(how, sizeof how, "failed with status %d", run->status);
        return run->status == 0 ? ASSAY_OK : fail(program, how, run->said, diag);
    case ASSAY_DECODER_SIGNAL:
        snprintf(how, sizeof how, "was ended by signal %d", run->status);
        return fail(program, how, run->said, diag);
    case ASSAY_DECODER_STOPPED:
        return assay_fail(diag, ASSAY_INTERRUPTED, ASSAY_NO_OFFSET, "the run was interrupted");
    case ASSAY_DECODER_HANG:
        return fail(program, "took too long", "", diag);
    default:
        return fail(program, "wrote too much", "", diag);
    }
}

static enum assay_error execute(void *context, const char *program, FILE **recording,
                                struct assay_diag *diag)
{
    const struct assay_certify_repeating *repeating = context;
    struct assay_decoder_run run;
    char path[PATH_MAX];
    if (realpath(program, path) == NULL) {
        return assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET, "%.200s: %s", program,
                          strerror(errno));
    }
    enum assay_error error = assay_decoder_run(&repeating->command, path, "", &run, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    error = check_end(program, &run, diag);
    if (error != ASSAY_OK) {
        fclose(run.output);
        return error;
    }
    *recording = run.output;
    return ASSAY_OK;
}

enum assay_error assay_certify_repeat_begin(struct assay_certify_repeating *repeating,
                                            const struct assay_certify_given *given,
                                            const struct assay_stop *stop, struct assay_diag *diag)
{
    *repeating = (struct assay_certify_repeating){.repeat = {.run = execute, .context = repeating},
                                                  .command = {.command = given->reference,
                                                              .isolation = given->isolation,
                                                              .seconds = (unsigned)given->seconds,
                                                              .output = given->room,
                                                              .stop = stop}};
    return assay_decoder_prepare(&repeating->command, diag);
}
