#include "validator/program/passphrase.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

void assay_passphrase_wipe(char text[ASSAY_PASSPHRASE_MAX + 1])
{
    explicit_bzero(text, ASSAY_PASSPHRASE_MAX + 1);
}

/* Waits until there is something to read; false when a signal comes first, which `signals`, a
 * descriptor, tells of. */
static bool wait_for(int fd, int signals)
{
    struct pollfd both[] = {{.fd = fd, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    while (poll(both, 2, -1) < 0 && errno == EINTR) {
    }
    return both[1].revents == 0;
}

/* The first line; byte by byte, so that what follows stays for others. ASSAY_INTERRUPTED:
 * `signals`, if it is not -1, tells of a signal. */
static enum assay_error read_line(int fd, int signals, char text[ASSAY_PASSPHRASE_MAX + 1],
                                  struct assay_diag *diag)
{
    size_t size = 0;
    for (;;) {
        char byte = '\0';
        if (signals >= 0 && !wait_for(fd, signals)) {
            return assay_fail(diag, ASSAY_INTERRUPTED, ASSAY_NO_OFFSET, "no passphrase was given");
        }
        const ssize_t got = read(fd, &byte, 1);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET,
                              "the passphrase cannot be read: %s", strerror(errno));
        }
        if (got == 0 || byte == '\n') {
            break;
        }
        if (size == ASSAY_PASSPHRASE_MAX || byte == '\0') {
            return assay_fail(diag, ASSAY_OUT_OF_RANGE, ASSAY_NO_OFFSET,
                              "a passphrase is a line of at most %d bytes", ASSAY_PASSPHRASE_MAX);
        }
        text[size++] = byte;
    }
    text[size] = '\0';
    return size > 0
               ? ASSAY_OK
               : assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET, "the passphrase is empty");
}

static void say(int fd, const char *text)
{
    const ssize_t written = write(fd, text, strlen(text));
    (void)written;
}

/* What must not end or stop the program while the terminal shows no input. */
static sigset_t held_signals(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGTSTP);
    return signals;
}

/* Asks once, without echo. A signal takes effect when the terminal is as it was: *stopped says that
 * the program was only stopped by it, and goes on. */
static enum assay_error ask_once(int terminal, const char *prompt,
                                 char text[ASSAY_PASSPHRASE_MAX + 1], bool *stopped,
                                 struct assay_diag *diag)
{
    struct termios before;
    const sigset_t signals = held_signals();
    sigset_t old;
    sigset_t came;
    if (tcgetattr(terminal, &before) != 0) {
        return assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET, "the terminal: %s",
                          strerror(errno));
    }
    struct termios unseen = before;
    unseen.c_lflag &= ~(tcflag_t)ECHO;
    sigprocmask(SIG_BLOCK, &signals, &old);
    const int told = signalfd(-1, &signals, SFD_CLOEXEC);
    (void)tcsetattr(terminal, TCSAFLUSH, &unseen);
    say(terminal, prompt);
    const enum assay_error error = read_line(terminal, told, text, diag);
    (void)tcsetattr(terminal, TCSAFLUSH, &before);
    say(terminal, "\n");
    *stopped =
        error == ASSAY_INTERRUPTED && sigpending(&came) == 0 && sigismember(&came, SIGTSTP) == 1;
    if (told >= 0) {
        close(told);
    }
    sigprocmask(SIG_SETMASK, &old, NULL);
    return error;
}

static enum assay_error ask(int terminal, const char *prompt, char text[ASSAY_PASSPHRASE_MAX + 1],
                            struct assay_diag *diag)
{
    bool stopped = true;
    enum assay_error error = ASSAY_OK;
    while (stopped) {
        stopped = false;
        error = ask_once(terminal, prompt, text, &stopped, diag);
    }
    return error;
}

enum assay_error assay_passphrase_read(int fd, const char *prompt, bool is_new,
                                       char text[ASSAY_PASSPHRASE_MAX + 1], struct assay_diag *diag)
{
    if (fd >= 0) {
        return read_line(fd, -1, text, diag);
    }
    const int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (terminal < 0) {
        assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET,
                   "there is no terminal to ask for the passphrase at");
        assay_diag_hint(diag, "--passphrase-fd N reads it from a descriptor");
        return ASSAY_NOT_READABLE;
    }
    char again[ASSAY_PASSPHRASE_MAX + 1] = "";
    enum assay_error error = ask(terminal, prompt, text, diag);
    error = error == ASSAY_OK && is_new ? ask(terminal, "once more: ", again, diag) : error;
    if (error == ASSAY_OK && is_new && strcmp(text, again) != 0) {
        error = assay_fail(diag, ASSAY_CONTRADICTION, ASSAY_NO_OFFSET,
                           "the two passphrases are not the same");
    }
    assay_passphrase_wipe(again);
    close(terminal);
    return error;
}
