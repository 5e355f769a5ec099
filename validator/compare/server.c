#include "validator/compare/server.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/path.h"
#include "validator/compare/exchange.h"

struct assay_server {
    const struct assay_decoder_command *decoder;
    struct assay_process process;
    bool running;
    uint64_t answers;  /* of this process */
    char folder[4096]; /* of it */
    FILE *output;
    struct assay_decoder_run late; /* how it ended between two answers; ANSWERED: it did not */
    char question[2 * PATH_MAX + 2];
};

enum assay_error assay_server_open(const struct assay_decoder_command *decoder,
                                   struct assay_server **server, struct assay_diag *diag)
{
    struct assay_server *s = calloc(1, sizeof *s);
    *server = s;
    if (s == NULL) {
        return ASSAY_NO_MEMORY;
    }
    s->decoder = decoder;
    s->late.end = ASSAY_DECODER_ANSWERED;
    s->output = assay_temporary_file();
    return s->output != NULL ? ASSAY_OK : assay_process_fail(diag, "a file for its output");
}

static enum assay_error start(struct assay_server *s, struct assay_diag *diag)
{
    enum assay_error error = assay_process_folder(s->folder, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    const struct assay_process_start how = {
        .folder = s->folder, .trace = "", .manifest = "", .persistent = true};
    error = assay_process_start(s->decoder, &how, &s->process, diag);
    s->running = error == ASSAY_OK;
    s->answers = 0;
    if (!s->running) {
        assay_process_remove_folder(s->folder);
    }
    return error;
}

/* Ends the process, which has so many milliseconds to do it by itself: without input it can. */
static enum assay_error finish(struct assay_server *s, int64_t milliseconds,
                               struct assay_decoder_run *run, struct assay_diag *diag)
{
    close(s->process.in);
    s->process.in = -1;
    s->running = false;
    const enum assay_error error =
        assay_process_end(&s->process, s->decoder, milliseconds, run, diag);
    assay_process_remove_folder(s->folder);
    return error;
}

static enum assay_error ask_once(struct assay_server *s, struct assay_decoder_run *run,
                                 struct assay_diag *diag)
{
    int64_t left = 0;
    rewind(s->output);
    if (ftruncate(fileno(s->output), 0) != 0) {
        return assay_process_fail(diag, "a file for its output");
    }
    *run = (struct assay_decoder_run){.output = s->output};
    enum assay_error error = s->running ? ASSAY_OK : start(s, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    error = assay_exchange(&s->process, s->decoder, s->question, run, &left, diag);
    if (error == ASSAY_OK && run->end == ASSAY_DECODER_ANSWERED) {
        s->answers++;
        return fflush(s->output) == 0 ? ASSAY_OK
                                      : assay_process_fail(diag, "a file for its output");
    }
    const enum assay_error ended = finish(s, left, run, diag);
    return error != ASSAY_OK ? error : ended;
}

enum assay_error assay_server_ask(struct assay_server *server, const char *trace,
                                  const char *manifest, struct assay_decoder_run *run,
                                  struct assay_diag *diag)
{
    const int size =
        snprintf(server->question, sizeof server->question, "%s\t%s\n", trace, manifest);
    if (strpbrk(trace, "\t\n") != NULL || strpbrk(manifest, "\t\n") != NULL ||
        size >= (int)sizeof server->question) {
        return assay_fail(diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                          "a path with a tab or a line feed cannot be given in a line: %s", trace);
    }
    const enum assay_error error = ask_once(server, run, diag);
    /* It ended between two answers, when the question was on its way. */
    const bool ended = run->end == ASSAY_DECODER_EXITED || run->end == ASSAY_DECODER_SIGNAL;
    if (error != ASSAY_OK || !ended || !run->unread || run->written > 0 || server->answers == 0) {
        return error;
    }
    server->late = *run;
    return ask_once(server, run, diag);
}

enum { LAST_MILLISECONDS = 1000 };

/* What it did after an answer is no fault where it ended by itself, or only by its own kill. */
static void forgive(struct assay_decoder_run *run)
{
    const bool good = run->end == ASSAY_DECODER_HANG || run->end == ASSAY_DECODER_STOPPED ||
                      (run->end == ASSAY_DECODER_EXITED && run->status == 0);
    run->end = good ? ASSAY_DECODER_ANSWERED : run->end;
}

enum assay_error assay_server_check(struct assay_server *server, bool last,
                                    struct assay_decoder_run *run, struct assay_diag *diag)
{
    char byte = 0;
    *run = (struct assay_decoder_run){.end = ASSAY_DECODER_ANSWERED};
    if (!server->running || (!last && !assay_exchange_pending(&server->process))) {
        return ASSAY_OK;
    }
    if (assay_exchange_pending(&server->process) && read(server->process.out, &byte, 1) > 0) {
        run->end = ASSAY_DECODER_SURPLUS;
        return finish(server, 0, run, diag);
    }
    run->end = ASSAY_DECODER_EXITED;
    const enum assay_error error = finish(server, LAST_MILLISECONDS, run, diag);
    forgive(run);
    return error;
}

struct assay_decoder_run assay_server_late(struct assay_server *server)
{
    struct assay_decoder_run late = server->late;
    server->late.end = ASSAY_DECODER_ANSWERED;
    forgive(&late);
    return late;
}

void assay_server_close(struct assay_server *server)
{
    if (server == NULL) {
        return;
    }
    if (server->running) {
        struct assay_decoder_run last = {.end = ASSAY_DECODER_STOPPED};
        struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
        (void)finish(server, 0, &last, &diag);
    }
    if (server->output != NULL) {
        fclose(server->output);
    }
    free(server);
}
