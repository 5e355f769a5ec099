#include "validator/compare/decoder.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/path.h"
#include "validator/compare/keeper.h"

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

/* --- the process --- */

enum { ARGUMENTS = 40 };

/* Of bwrap: the whole file system without writing, but for the work folder. */
static void isolate(const char **argv, size_t *count, const char *folder)
{
    const char *const words[] = {"bwrap",
                                 "--unshare-all",
                                 "--die-with-parent",
                                 "--new-session",
                                 "--ro-bind",
                                 "/",
                                 "/",
                                 "--dev",
                                 "/dev",
                                 "--proc",
                                 "/proc",
                                 "--bind",
                                 folder,
                                 folder,
                                 "--chdir",
                                 folder,
                                 "--"};
    memcpy(argv, words, sizeof words);
    *count = sizeof words / sizeof *words;
}

static struct rlimit at_most(uint64_t value)
{
    return (struct rlimit){.rlim_cur = value, .rlim_max = value};
}

struct start {
    const struct assay_decoder_command *decoder;
    const char *const *argv;
    const char *folder;
    int out, err; /* ends of pipes */
};

/* In the new process, which becomes the decoder. */
static void become(const void *context)
{
    const struct start *start = context;
    const int nothing = open("/dev/null", O_RDONLY);
    (void)setpgid(0, 0);
    (void)close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)signal(SIGXFSZ, SIG_DFL);
    const struct rlimit core = at_most(0), time = at_most(start->decoder->seconds + 1),
                        file = at_most(start->decoder->output),
                        memory = at_most(start->decoder->memory);
    (void)setrlimit(RLIMIT_CORE, &core);
    (void)setrlimit(RLIMIT_CPU, &time);
    (void)setrlimit(RLIMIT_FSIZE, &file);
    if (start->decoder->memory > 0) {
        (void)setrlimit(RLIMIT_AS, &memory);
    }
    if (chdir(start->folder) == 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
        dup2(start->out, STDOUT_FILENO) >= 0 && dup2(start->err, STDERR_FILENO) >= 0) {
        execvp(start->argv[0], (char *const *)start->argv);
    }
    _exit(127);
}

/* --- what it writes --- */

static int64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct reading {
    struct pollfd pipes[3]; /* of standard output, of standard error, and of a stop */
    struct assay_decoder_run *run;
    uint64_t written;
    size_t said;
};

/* Takes what a pipe has; false when there is an error of the system. */
static bool take(struct reading *r, struct pollfd *from)
{
    char bytes[65536];
    const ssize_t size = read(from->fd, bytes, sizeof bytes);
    if (size <= 0) {
        if (size < 0 && errno == EINTR) {
            return true;
        }
        close(from->fd);
        from->fd = -1;
        return true;
    }
    if (from == &r->pipes[0]) {
        r->written += (uint64_t)size;
        return fwrite(bytes, 1, (size_t)size, r->run->output) == (size_t)size;
    }
    const size_t room = ASSAY_DECODER_SAID - 1 - r->said;
    const size_t kept = (size_t)size < room ? (size_t)size : room;
    memcpy(r->run->said + r->said, bytes, kept);
    r->said += kept;
    return true;
}

/* Reads both pipes until they are closed, the decoder's time or room is used up, or a stop is
 * requested. */
static bool read_all(struct reading *r, const struct assay_decoder_command *decoder)
{
    const int64_t end = milliseconds() + (int64_t)decoder->seconds * 1000;
    while (r->pipes[0].fd >= 0 || r->pipes[1].fd >= 0) {
        const int64_t left = end - milliseconds();
        if (left <= 0) {
            r->run->end = ASSAY_DECODER_HANG;
            return true;
        }
        if (poll(r->pipes, 3, (int)left) < 0 && errno != EINTR) {
            return false;
        }
        if (assay_stop_requested(decoder->stop)) {
            r->run->end = ASSAY_DECODER_STOPPED;
            return true;
        }
        for (size_t i = 0; i < 2; i++) {
            if (r->pipes[i].fd >= 0 && r->pipes[i].revents != 0 && !take(r, &r->pipes[i])) {
                return false;
            }
        }
        if (r->written > decoder->output) {
            r->run->end = ASSAY_DECODER_FLOOD;
            return true;
        }
    }
    return true;
}

/* Waits for the decoder's end, until its time is over. Nothing of it is left afterwards; false if
 * there is. */
static bool end(struct assay_keeper *keeper, const struct assay_decoder_command *decoder,
                int64_t begun, struct assay_decoder_run *run)
{
    int status = 0;
    const int64_t left = begun + (int64_t)decoder->seconds * 1000 - milliseconds();
    const enum assay_kept_end how =
        assay_keeper_end(keeper, run->end == ASSAY_DECODER_EXITED && left > 0 ? left : 0,
                         decoder->stop != NULL ? decoder->stop->fd : -1, &status);
    if (run->end == ASSAY_DECODER_EXITED && how == ASSAY_KEPT_RUNNING) {
        run->end = assay_stop_requested(decoder->stop) ? ASSAY_DECODER_STOPPED : ASSAY_DECODER_HANG;
    }
    if (run->end == ASSAY_DECODER_EXITED) {
        run->status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
        run->end = WIFSIGNALED(status) ? ASSAY_DECODER_SIGNAL : ASSAY_DECODER_EXITED;
    }
    /* The shell, and bwrap, say a signal so. */
    if (run->end == ASSAY_DECODER_EXITED && run->status > 128 && run->status <= 128 + 64) {
        run->end = ASSAY_DECODER_SIGNAL;
        run->status -= 128;
    }
    return how != ASSAY_KEPT_ESCAPED;
}

/* --- a run --- */

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
    (void)status;
    (void)type;
    (void)ftw;
    (void)remove(path);
    return 0;
}

static enum assay_error fail(struct assay_diag *diag, const char *what)
{
    return assay_fail(diag, errno == ENOMEM ? ASSAY_NO_MEMORY : ASSAY_READ_FAILED, ASSAY_NO_OFFSET,
                      "the decoder cannot be run: %s: %s", what, strerror(errno));
}

static enum assay_error run_in(const struct assay_decoder_command *decoder, const char *const *argv,
                               const char *folder, struct assay_decoder_run *run,
                               struct assay_diag *diag)
{
    int out[2];
    int err[2];
    if (pipe2(out, O_CLOEXEC) != 0) {
        return fail(diag, "pipe");
    }
    if (pipe2(err, O_CLOEXEC) != 0) {
        close(out[0]);
        close(out[1]);
        return fail(diag, "pipe");
    }
    const struct start start = {
        .decoder = decoder, .argv = argv, .folder = folder, .out = out[1], .err = err[1]};
    const struct assay_kept kept = {
        .become = become, .context = &start, .out = out[1], .err = err[1]};
    struct assay_keeper keeper;
    const int64_t begun = milliseconds();
    const bool started = assay_keeper_start(&keeper, &kept);
    int reason = errno;
    close(out[1]);
    close(err[1]);
    struct reading reading = {
        .pipes = {{.fd = out[0], .events = POLLIN},
                  {.fd = err[0], .events = POLLIN},
                  {.fd = decoder->stop != NULL ? decoder->stop->fd : -1, .events = POLLIN}},
        .run = run};
    const bool read = started && read_all(&reading, decoder);
    reason = started ? errno : reason;
    const bool ended = !started || end(&keeper, decoder, begun, run);
    for (size_t i = 0; i < 2; i++) {
        if (reading.pipes[i].fd >= 0) {
            close(reading.pipes[i].fd);
        }
    }
    errno = reason;
    return !read    ? fail(diag, started ? "its output" : "fork")
           : !ended ? assay_fail(diag, ASSAY_READ_FAILED, ASSAY_NO_OFFSET,
                                 "what the decoder has started cannot be ended")
                    : ASSAY_OK;
}

enum assay_error assay_decoder_run_in(const struct assay_decoder_command *decoder,
                                      const char *folder, const char *trace, const char *manifest,
                                      struct assay_decoder_run *run, struct assay_diag *diag)
{
    const char *argv[ARGUMENTS];
    size_t count = 0;
    *run = (struct assay_decoder_run){.output = assay_temporary_file()};
    if (run->output == NULL) {
        return fail(diag, "a file for its output");
    }
    if (decoder->isolation == ASSAY_ISOLATION_BWRAP) {
        isolate(argv, &count, folder);
    }
    const char *const shell[] = {"/bin/sh", "-c", decoder->line, "sh", trace, manifest, NULL};
    memcpy(argv + count, shell, sizeof shell);
    const enum assay_error error = run_in(decoder, argv, folder, run, diag);
    if (error != ASSAY_OK) {
        fclose(run->output);
        return error;
    }
    rewind(run->output);
    return ASSAY_OK;
}

enum assay_error assay_decoder_run(const struct assay_decoder_command *decoder, const char *trace,
                                   const char *manifest, struct assay_decoder_run *run,
                                   struct assay_diag *diag)
{
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/assay-decoder-XXXXXX", assay_temporary_folder());
    if (mkdtemp(folder) == NULL) {
        return fail(diag, "a folder for it");
    }
    const enum assay_error error =
        assay_decoder_run_in(decoder, folder, trace, manifest, run, diag);
    (void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return error;
}

enum assay_error assay_decoder_isolate(struct assay_decoder_command *decoder,
                                       struct assay_diag *diag)
{
    struct assay_decoder_run run;
    struct assay_decoder_command trial = *decoder;
    if (decoder->isolation == ASSAY_ISOLATION_NONE) {
        return ASSAY_OK;
    }
    trial.isolation = ASSAY_ISOLATION_BWRAP;
    snprintf(trial.line, sizeof trial.line, "exit 0");
    const enum assay_error error = assay_decoder_run(&trial, "", "", &run, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    fclose(run.output);
    const bool works = run.end == ASSAY_DECODER_EXITED && run.status == 0;
    if (!works && decoder->isolation == ASSAY_ISOLATION_BWRAP) {
        return assay_fail(diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET, "bwrap cannot be used: %s",
                          run.said[0] != '\0' ? run.said : "it is not installed");
    }
    decoder->isolation = works ? ASSAY_ISOLATION_BWRAP : ASSAY_ISOLATION_NONE;
    return ASSAY_OK;
}

enum assay_error assay_decoder_prepare(struct assay_decoder_command *decoder,
                                       struct assay_diag *diag)
{
    if (strstr(decoder->command, "{}") == NULL && strstr(decoder->command, "{manifest}") == NULL) {
        return assay_fail(diag, ASSAY_SYNTAX, ASSAY_NO_OFFSET,
                          "the command of the decoder has no {}, where the trace would stand");
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
