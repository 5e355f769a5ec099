#include "validator/program/passphrase.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

void assay_passphrase_wipe(char text[ASSAY_PASSPHRASE_MAX + 1])
{
    explicit_bzero(text, ASSAY_PASSPHRASE_MAX + 1);
}

/* The first line; byte by byte, so that what follows stays for others. */
static enum assay_error read_line(int fd, char text[ASSAY_PASSPHRASE_MAX + 1],
                                  struct assay_diag *diag)
{
    size_t size = 0;
    for (;;) {
        char byte = '\0';
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

/* Without echo; signals wait until the terminal is as it was. */
static enum assay_error ask(int terminal, const char *prompt, char text[ASSAY_PASSPHRASE_MAX + 1],
                            struct assay_diag *diag)
{
    struct termios before;
    sigset_t signals;
    sigset_t old;
    if (tcgetattr(terminal, &before) != 0) {
        return assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET, "the terminal: %s",
                          strerror(errno));
    }
    struct termios unseen = before;
    unseen.c_lflag &= ~(tcflag_t)ECHO;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGTSTP);
    sigprocmask(SIG_BLOCK, &signals, &old);
    (void)tcsetattr(terminal, TCSAFLUSH, &unseen);
    say(terminal, prompt);
    const enum assay_error error = read_line(terminal, text, diag);
    (void)tcsetattr(terminal, TCSAFLUSH, &before);
    say(terminal, "\n");
    sigprocmask(SIG_SETMASK, &old, NULL);
    return error;
}

enum assay_error assay_passphrase_read(int fd, const char *prompt, bool is_new,
                                       char text[ASSAY_PASSPHRASE_MAX + 1], struct assay_diag *diag)
{
    if (fd >= 0) {
        return read_line(fd, text, diag);
    }
    const int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (terminal < 0) {
        assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET,
                   "there is no terminal to ask for the passphrase at");
        assay_diag_hint(diag, "--passphrase-fd N reads it from a descriptor");
        return ASSAY_NOT_READABLE;
    }
    char again[ASSAY_PASSPHRASE_MAX + 1];
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
