#include "validator/compare/process.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/path.h"

enum { ARGUMENTS = 40 };

int64_t assay_process_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

enum assay_error assay_process_fail(struct assay_diag *diag, const char *what)
{
    return assay_fail(diag, errno == ENOMEM ? ASSAY_NO_MEMORY : ASSAY_READ_FAILED, ASSAY_NO_OFFSET,
                      "the decoder cannot be run: %s: %s", what, strerror(errno));
}

/* --- its folder --- */

enum assay_error assay_process_folder(char folder[4096], struct assay_diag *diag)
{
    snprintf(folder, 4096, "%s/assay-decoder-XXXXXX", assay_temporary_folder());
    return mkdtemp(folder) != NULL ? ASSAY_OK : assay_process_fail(diag, "a folder for it");
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
    (void)status;
    (void)type;
    (void)ftw;
    (void)remove(path);
    return 0;
}

void assay_process_remove_folder(const char *folder)
{
    (void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* --- in the new process --- */

static void add_words(const char **argv, size_t *count, const char *const *words, size_t added)
{
    memcpy(argv + *count, words, added * sizeof *words);
    *count += added;
}

/* Of bwrap: the whole file system without writing, but for the work folder, which is one in memory
 * where nothing of it is wanted. `size` is the most that files there can have, and those of shared
 * memory. */
static void isolate(const char **argv, size_t *count, const struct assay_process_start *start,
                    bool bounded, const char *size)
{
    const char *const folder = start->folder;
    const char *const whole[] = {"bwrap",
                                 "--unshare-all",
                                 "--die-with-parent",
                                 "--new-session",
                                 "--ro-bind",
                                 "/",
                                 "/",
                                 "--dev",
                                 "/dev",
                                 "--proc",
                                 "/proc"};
    const char *const shared[] = {"--size", size, "--tmpfs", "/dev/shm"};
    const char *const memory[] = {"--size", size, "--tmpfs", folder};
    const char *const bound[] = {"--bind", folder, folder};
    const char *const rest[] = {"--chdir", folder, "--"};
    add_words(argv, count, whole, sizeof whole / sizeof *whole);
    if (bounded) {
        add_words(argv, count, shared, sizeof shared / sizeof *shared);
    }
    if (bounded && !start->keeps) {
        add_words(argv, count, memory, sizeof memory / sizeof *memory);
    } else {
        add_words(argv, count, bound, sizeof bound / sizeof *bound);
    }
    add_words(argv, count, rest, sizeof rest / sizeof *rest);
}

static struct rlimit at_most(uint64_t value)
{
    return (struct rlimit){.rlim_cur = value, .rlim_max = value};
}

struct begin {
    const struct assay_decoder_command *decoder;
    const char *const *argv;
    const char *folder;
    int in, out, err; /* ends of pipes; `in` can be -1 */
};

static void limit(const struct begin *begin)
{
    const struct rlimit core = at_most(0), time = at_most(begin->decoder->seconds + 1),
                        file = at_most(begin->decoder->output),
                        memory = at_most(begin->decoder->memory);
    (void)setrlimit(RLIMIT_CORE, &core);
    if (begin->in < 0) { /* else the time is that of a trace, not of the process */
        (void)setrlimit(RLIMIT_CPU, &time);
    }
    (void)setrlimit(RLIMIT_FSIZE, &file);
    if (begin->decoder->memory > 0) {
        (void)setrlimit(RLIMIT_AS, &memory);
    }
}

/* Becomes the decoder. */
static void become(const void *context)
{
    const struct begin *begin = context;
    const int in = begin->in >= 0 ? begin->in : open("/dev/null", O_RDONLY);
    (void)setpgid(0, 0);
    (void)close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)signal(SIGXFSZ, SIG_DFL);
    limit(begin);
    if (chdir(begin->folder) == 0 && dup2(in, STDIN_FILENO) >= 0 &&
        dup2(begin->out, STDOUT_FILENO) >= 0 && dup2(begin->err, STDERR_FILENO) >= 0) {
        execvp(begin->argv[0], (char *const *)begin->argv);
    }
    _exit(127);
}

/* --- in this one --- */

enum { IN, OUT, ERR, PIPES };

static void close_pipe(int ends[2])
{
    for (size_t i = 0; i < 2; i++) {
        if (ends[i] >= 0) {
            close(ends[i]);
        }
    }
}

/* Opens those that are wanted; on failure none is left open. */
static bool open_pipes(int pipes[PIPES][2], bool with_input)
{
    bool opened = true;
    for (size_t i = 0; i < PIPES; i++) {
        pipes[i][0] = pipes[i][1] = -1;
    }
    for (size_t i = with_input ? IN : OUT; i < PIPES && opened; i++) {
        opened = pipe2(pipes[i], O_CLOEXEC) == 0;
    }
    opened = opened && (!with_input || fcntl(pipes[IN][1], F_SETFL, O_NONBLOCK) == 0);
    const int why = errno;
    for (size_t i = 0; i < PIPES && !opened; i++) {
        close_pipe(pipes[i]);
    }
    errno = why;
    return opened;
}

enum assay_error assay_process_start(const struct assay_decoder_command *decoder,
                                     const struct assay_process_start *start,
                                     struct assay_process *process, struct assay_diag *diag)
{
    const char *argv[ARGUMENTS];
    int pipes[PIPES][2];
    char size[24];
    size_t count = 0;
    snprintf(size, sizeof size, "%llu", (unsigned long long)decoder->output);
    if (decoder->isolation == ASSAY_ISOLATION_BWRAP) {
        isolate(argv, &count, start, decoder->bounded, size);
    }
    const char *const shell[] = {"/bin/sh",       "-c", decoder->line, "sh", start->trace,
                                 start->manifest, NULL};
    memcpy(argv + count, shell, sizeof shell);
    if (!open_pipes(pipes, start->persistent)) {
        return assay_process_fail(diag, "pipe");
    }
    const struct begin begin = {.decoder = decoder,
                                .argv = argv,
                                .folder = start->folder,
                                .in = pipes[IN][0],
                                .out = pipes[OUT][1],
                                .err = pipes[ERR][1]};
    const struct assay_kept kept = {
        .become = become, .context = &begin, .in = begin.in, .out = begin.out, .err = begin.err};
    *process =
        (struct assay_process){.in = pipes[IN][1], .out = pipes[OUT][0], .err = pipes[ERR][0]};
    const bool started = assay_keeper_start(&process->keeper, &kept);
    const int why = errno;
    const int mine[] = {started ? -1 : process->in, started ? -1 : process->out,
                        started ? -1 : process->err};
    close_pipe((int[]){begin.in, begin.out});
    close_pipe((int[]){begin.err, mine[IN]});
    close_pipe((int[]){mine[OUT], mine[ERR]});
    errno = why;
    return started ? ASSAY_OK : assay_process_fail(diag, "fork");
}

enum assay_error assay_process_end(struct assay_process *process,
                                   const struct assay_decoder_command *decoder,
                                   int64_t milliseconds, struct assay_decoder_run *run,
                                   struct assay_diag *diag)
{
    int status = 0;
    const bool waits = run->end == ASSAY_DECODER_EXITED && milliseconds > 0;
    const enum assay_kept_end how =
        assay_keeper_end(&process->keeper, waits ? milliseconds : 0,
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
    close_pipe((int[]){process->in, process->out});
    close_pipe((int[]){process->err, -1});
    return how != ASSAY_KEPT_ESCAPED ? ASSAY_OK
                                     : assay_fail(diag, ASSAY_READ_FAILED, ASSAY_NO_OFFSET,
                                                  "what the decoder has started cannot be ended");
}
