#include "validator/compare/decoder.h"

#include <string.h>

#include "io/path.h"
#include "validator/compare/exchange.h"
#include "validator/compare/process.h"

/* --- the command --- */

struct place {
    const char *name; /* in the command */
    const char *word; /* in its place: a parameter of the shell */
};

static const struct place places[] = {{"{manifest}", "\"$2\""}, {"{}", "\"$1\""}};

static const struct place *place_at(const char *text)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (strncmp(text, places[i].name, strlen(places[i].name)) == 0) {
            return &places[i];
        }
    }
    return NULL;
}

/* The command with parameters of the shell in place of {} and {manifest}; false if it is too
 * long. */
static bool write_line(const char *command, char *line, size_t room)
{
    size_t length = 0;
    for (const char *p = command; *p != '\0';) {
        const struct place *place = place_at(p);
        const char *from = place != NULL ? place->word : p;
        const size_t size = place != NULL ? strlen(place->word) : 1;
        if (length + size >= room) {
            return false;
        }
        memcpy(line + length, from, size);
        length += size;
        p += place != NULL ? strlen(place->name) : 1;
    }
    line[length] = '\0';
    return true;
}

/* --- a run --- */

static enum assay_error run_once(const struct assay_decoder_command *decoder,
                                 const struct assay_process_start *start,
                                 struct assay_decoder_run *run, struct assay_diag *diag)
{
    struct assay_process process;
    int64_t left = 0;
    *run = (struct assay_decoder_run){.output = assay_temporary_file()};
    if (run->output == NULL) {
        return assay_process_fail(diag, "a file for its output");
    }
    enum assay_error error = assay_process_start(decoder, start, &process, diag);
    if (error == ASSAY_OK) {
        error = assay_exchange(&process, decoder, NULL, run, &left, diag);
        const enum assay_error ended = assay_process_end(&process, decoder, left, run, diag);
        error = error != ASSAY_OK ? error : ended;
    }
    if (error != ASSAY_OK) {
        fclose(run->output);
        return error;
    }
    rewind(run->output);
    return ASSAY_OK;
}

enum assay_error assay_decoder_run_in(const struct assay_decoder_command *decoder,
                                      const char *folder, const char *trace, const char *manifest,
                                      struct assay_decoder_run *run, struct assay_diag *diag)
{
    const struct assay_process_start start = {
        .folder = folder, .trace = trace, .manifest = manifest, .keeps = true};
    return run_once(decoder, &start, run, diag);
}

enum assay_error assay_decoder_run(const struct assay_decoder_command *decoder, const char *trace,
                                   const char *manifest, struct assay_decoder_run *run,
                                   struct assay_diag *diag)
{
    char folder[4096];
    enum assay_error error = assay_process_folder(folder, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    const struct assay_process_start start = {
        .folder = folder, .trace = trace, .manifest = manifest};
    error = run_once(decoder, &start, run, diag);
    assay_process_remove_folder(folder);
    return error;
}

/* Whether bwrap can be used so; `said` is what it says where it cannot. */
static enum assay_error try_bwrap(const struct assay_decoder_command *decoder, bool bounded,
                                  bool *works, char said[ASSAY_DECODER_SAID],
                                  struct assay_diag *diag)
{
    struct assay_decoder_run run;
    struct assay_decoder_command trial = *decoder;
    trial.isolation = ASSAY_ISOLATION_BWRAP;
    trial.bounded = bounded;
    snprintf(trial.line, sizeof trial.line, "exit 0");
    const enum assay_error error = assay_decoder_run(&trial, "", "", &run, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    fclose(run.output);
    *works = run.end == ASSAY_DECODER_EXITED && run.status == 0;
    snprintf(said, ASSAY_DECODER_SAID, "%s", run.said);
    return ASSAY_OK;
}

enum assay_error assay_decoder_isolate(struct assay_decoder_command *decoder,
                                       struct assay_diag *diag)
{
    char said[ASSAY_DECODER_SAID];
    bool works = false;
    if (decoder->isolation == ASSAY_ISOLATION_NONE) {
        return ASSAY_OK;
    }
    enum assay_error error = try_bwrap(decoder, true, &works, said, diag);
    decoder->bounded = error == ASSAY_OK && works;
    if (error == ASSAY_OK && !works) { /* before version 0.7 it cannot limit files */
        error = try_bwrap(decoder, false, &works, said, diag);
    }
    if (error != ASSAY_OK) {
        return error;
    }
    if (!works && decoder->isolation == ASSAY_ISOLATION_BWRAP) {
        return assay_fail(diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET, "bwrap cannot be used: %s",
                          said[0] != '\0' ? said : "it is not installed");
    }
    decoder->isolation = works ? ASSAY_ISOLATION_BWRAP : ASSAY_ISOLATION_NONE;
    return ASSAY_OK;
}

enum assay_error assay_decoder_prepare(struct assay_decoder_command *decoder,
                                       struct assay_diag *diag)
{
    const bool placed =
        strstr(decoder->command, "{}") != NULL || strstr(decoder->command, "{manifest}") != NULL;
    if (!placed && !decoder->persistent) {
        assay_fail(diag, ASSAY_SYNTAX, ASSAY_NO_OFFSET,
                   "the command of the decoder has no {}, where the trace would stand");
        assay_diag_hint(diag, "a decoder that reads paths from its standard input needs "
                              "--persistent");
        return ASSAY_SYNTAX;
    }
    if (placed && decoder->persistent) {
        return assay_fail(diag, ASSAY_SYNTAX, ASSAY_NO_OFFSET,
                          "with --persistent the decoder reads paths from its standard input: its "
                          "command has no {}");
    }
    const enum assay_error error = assay_decoder_isolate(decoder, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    return write_line(decoder->command, decoder->line, sizeof decoder->line)
               ? ASSAY_OK
               : assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                            "the command of the decoder is too long");
}
