#include "validator/compare/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Seconds for killing what came from a program: it can start others meanwhile. */
enum { KILLING = 10 };

static int64_t milliseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* --- in the keeper: between fork and _exit of a process that may have had threads, so that only
 * what is safe in signal handlers may be called --- */

/* Closes all descriptors above standard error but the given ones, which are in ascending order: a
 * program of another thread would otherwise never see the ends of its pipes. */
static void close_others(const int *kept, size_t count)
{
    unsigned from = STDERR_FILENO + 1;
    for (size_t i = 0; i < count; i++) {
        if ((unsigned)kept[i] > from) {
            (void)close_range(from, (unsigned)kept[i] - 1, 0);
        }
        from = (unsigned)kept[i] + 1;
    }
    (void)close_range(from, ~0U, 0);
}

/* Sends SIGKILL to each child; false when there is no list of them. */
static bool kill_children(void)
{
    char text[4096];
    const int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    const ssize_t size = fd >= 0 ? read(fd, text, sizeof text) : -1;
    pid_t pid = 0;
    if (fd >= 0) {
        close(fd);
    }
    /* A number that is cut off at the end has no blank after it, and its process another turn. */
    for (ssize_t i = 0; i < size; i++) {
        if (text[i] >= '0' && text[i] <= '9') {
            pid = pid * 10 + (text[i] - '0');
        } else {
            if (pid > 1) {
                (void)kill(pid, SIGKILL);
            }
            pid = 0;
        }
    }
    return size >= 0;
}

/* Kills all children, and those that become children because their parents are gone, until there is
 * none. */
static bool kill_all(void)
{
    const int64_t end = milliseconds_now() + KILLING * 1000;
    const struct timespec moment = {.tv_nsec = 200000};
    while (milliseconds_now() < end) {
        if (!kill_children()) {
            return false;
        }
        pid_t reaped = 1;
        while (reaped > 0) {
            reaped = waitpid(-1, NULL, WNOHANG);
        }
        if (reaped < 0 && errno == ECHILD) {
            return true;
        }
        nanosleep(&moment, NULL);
    }
    return false;
}

struct told {
    enum assay_kept_end end;
    int status;
};

/* Waits until the program has ended, or the leash is closed. */
static struct told watch(pid_t program, int leash)
{
    struct told told = {.end = ASSAY_KEPT_RUNNING};
    struct pollfd both[] = {{.fd = pidfd_open(program, 0), .events = POLLIN},
                            {.fd = leash, .events = POLLIN}};
    while (poll(both, 2, -1) < 0 && errno == EINTR) {
    }
    if (waitpid(program, &told.status, WNOHANG) == program) {
        told.end = ASSAY_KEPT_ENDED;
    }
    return told;
}

struct pipes {
    int leash[2], result[2];
};

/* Ascending. */
static void sort(int *list, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        for (size_t n = i; n > 0 && list[n] < list[n - 1]; n--) {
            const int held = list[n];
            list[n] = list[n - 1];
            list[n - 1] = held;
        }
    }
}

static _Noreturn void keep(const struct assay_kept *kept, const struct pipes *pipes)
{
    int needed[] = {kept->out, kept->err, pipes->leash[0], pipes->result[1], kept->in};
    const size_t count = sizeof needed / sizeof *needed - (kept->in < 0);
    sort(needed, count);
    close_others(needed, count);
    (void)setpgid(0, 0); /* an interrupt from the terminal is the caller's */
    (void)signal(SIGCHLD, SIG_DFL);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    const pid_t program = fork();
    if (program == 0) {
        kept->become(kept->context);
        _exit(127);
    }
    close(kept->out);
    close(kept->err);
    if (kept->in >= 0) {
        close(kept->in);
    }
    struct told told = {.end = ASSAY_KEPT_ESCAPED};
    if (program > 0) {
        told = watch(program, pipes->leash[0]);
        if (!kill_all()) {
            told.end = ASSAY_KEPT_ESCAPED;
        }
    }
    const ssize_t written = write(pipes->result[1], &told, sizeof told);
    _exit(written == (ssize_t)sizeof told ? 0 : 1);
}

/* --- in the caller --- */

static void close_pipe(const int ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

bool assay_keeper_start(struct assay_keeper *keeper, const struct assay_kept *kept)
{
    struct pipes pipes;
    if (pipe2(pipes.leash, O_CLOEXEC) != 0) {
        return false;
    }
    if (pipe2(pipes.result, O_CLOEXEC) != 0) {
        close_pipe(pipes.leash);
        return false;
    }
    const pid_t pid = fork();
    if (pid == 0) {
        keep(kept, &pipes);
    }
    if (pid < 0) {
        const int why = errno;
        close_pipe(pipes.leash);
        close_pipe(pipes.result);
        errno = why;
        return false;
    }
    close(pipes.leash[0]);
    close(pipes.result[1]);
    *keeper = (struct assay_keeper){.pid = pid, .leash = pipes.leash[1], .result = pipes.result[0]};
    return true;
}

enum assay_kept_end assay_keeper_end(struct assay_keeper *keeper, int64_t milliseconds, int until,
                                     int *status)
{
    struct told told = {.end = ASSAY_KEPT_ESCAPED};
    const int64_t end = milliseconds_now() + milliseconds;
    struct pollfd either[] = {{.fd = keeper->result, .events = POLLIN},
                              {.fd = until, .events = POLLIN}};
    for (int64_t left = milliseconds;
         left > 0 && poll(either, 2, (int)left) < 0 && errno == EINTR;) {
        left = end - milliseconds_now();
    }
    close(keeper->leash);
    ssize_t size = 0;
    do {
        size = read(keeper->result, &told, sizeof told);
    } while (size < 0 && errno == EINTR);
    close(keeper->result);
    int ended = 0;
    while (waitpid(keeper->pid, &ended, 0) < 0 && errno == EINTR) {
    }
    *status = told.status;
    return size == (ssize_t)sizeof told ? told.end : ASSAY_KEPT_ESCAPED;
}
