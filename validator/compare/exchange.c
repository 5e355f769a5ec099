#include "validator/compare/exchange.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "validator/compare/lines.h"

enum { OUT, ERR, IN, STOP, PIPES };

struct exchange {
    struct pollfd pipes[PIPES];
    struct assay_decoder_run *run;
    size_t said;                        /* bytes of standard error that are noted */
    const char *question;               /* what remains to be written; null: nothing is asked */
    bool ended;                         /* the line of the end was read */
    bool surplus;                       /* there was something after it */
    size_t line_size;                   /* bytes of the line that is being read */
    char line[ASSAY_EXCHANGE_END_LINE]; /* as many of them as there is room for */
};

/* Writes what the pipe takes of the question. */
static void ask(struct exchange *x)
{
    const size_t size = strlen(x->question);
    const ssize_t written = size > 0 ? write(x->pipes[IN].fd, x->question, size) : 0;
    x->question += written > 0 ? written : 0;
    /* Where it reads nothing any more, its outputs tell the rest. */
    const bool closed = written < 0 && errno != EAGAIN && errno != EINTR;
    if (x->question[0] == '\0' || closed) {
        x->pipes[IN].fd = -1;
    }
}

/* Looks for the line of the end. */
static void look(struct exchange *x, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        const char *feed = memchr(bytes + at, '\n', size - at);
        const size_t part = feed != NULL ? (size_t)(feed - (bytes + at)) : size - at;
        if (x->ended) {
            x->surplus = true;
            return;
        }
        if (part <= sizeof x->line - 1 - x->line_size) {
            memcpy(x->line + x->line_size, bytes + at, part);
            x->line_size += part;
        } else {
            x->line_size = sizeof x->line - 1; /* a line of this size is none of the end */
        }
        if (feed != NULL) {
            x->ended =
                x->line_size < sizeof x->line - 1 && assay_line_is_end(x->line, x->line_size);
            x->line_size = 0;
        }
        at += part + (feed != NULL);
    }
}

/* Takes what a pipe has; false when there is an error of the system. */
static bool take(struct exchange *x, struct pollfd *from)
{
    char bytes[65536];
    const ssize_t size = read(from->fd, bytes, sizeof bytes);
    if (size <= 0) {
        from->fd = size < 0 && errno == EINTR ? from->fd : -1;
        return true;
    }
    if (from == &x->pipes[OUT]) {
        x->run->written += (uint64_t)size;
        if (x->question != NULL) {
            look(x, bytes, (size_t)size);
        }
        return fwrite(bytes, 1, (size_t)size, x->run->output) == (size_t)size;
    }
    const size_t room = ASSAY_DECODER_SAID - 1 - x->said;
    const size_t noted = (size_t)size < room ? (size_t)size : room;
    memcpy(x->run->said + x->said, bytes, noted);
    x->said += noted;
    return true;
}

static bool take_both(struct exchange *x)
{
    for (size_t i = OUT; i <= ERR; i++) {
        if (x->pipes[i].fd >= 0 && x->pipes[i].revents != 0 && !take(x, &x->pipes[i])) {
            return false;
        }
    }
    return true;
}

/* Whether the answer is at its end. */
static bool is_answered(const struct exchange *x)
{
    return x->ended || (x->pipes[OUT].fd < 0 && x->pipes[ERR].fd < 0);
}

/* Until the answer is at its end, the decoder's time or room is used up, or a stop is requested. */
static bool exchange(struct exchange *x, const struct assay_decoder_command *decoder, int64_t end)
{
    while (!is_answered(x)) {
        const int64_t left = end - assay_process_milliseconds();
        if (left <= 0) {
            x->run->end = ASSAY_DECODER_HANG;
            return true;
        }
        if (poll(x->pipes, PIPES, (int)left) < 0) {
            if (errno != EINTR) {
                return false;
            }
            continue;
        }
        if (assay_stop_requested(decoder->stop)) {
            x->run->end = ASSAY_DECODER_STOPPED;
            return true;
        }
        if (x->pipes[IN].fd >= 0 && x->pipes[IN].revents != 0) {
            ask(x);
        }
        if (!take_both(x)) {
            return false;
        }
        if (x->run->written > decoder->output) {
            x->run->end = ASSAY_DECODER_FLOOD;
            return true;
        }
    }
    return true;
}

/* After the line of the end: what has come since, without waiting. */
static bool settle(struct exchange *x)
{
    if (poll(x->pipes, ERR + 1, 0) > 0 && !take_both(x)) {
        return false;
    }
    x->surplus = x->surplus || x->line_size > 0;
    x->run->end =
        x->surplus || x->question[0] != '\0' ? ASSAY_DECODER_SURPLUS : ASSAY_DECODER_ANSWERED;
    return true;
}

enum assay_error assay_exchange(struct assay_process *process,
                                const struct assay_decoder_command *decoder, const char *question,
                                struct assay_decoder_run *run, int64_t *left,
                                struct assay_diag *diag)
{
    const int64_t end = assay_process_milliseconds() + (int64_t)decoder->seconds * 1000;
    struct exchange x = {
        .pipes = {[OUT] = {.fd = process->out, .events = POLLIN},
                  [ERR] = {.fd = process->err, .events = POLLIN},
                  [IN] = {.fd = question != NULL ? process->in : -1, .events = POLLOUT},
                  [STOP] = {.fd = decoder->stop != NULL ? decoder->stop->fd : -1,
                            .events = POLLIN}},
        .run = run,
        .question = question};
    run->end = ASSAY_DECODER_EXITED;
    bool read = exchange(&x, decoder, end);
    if (read && x.ended && run->end == ASSAY_DECODER_EXITED) {
        read = settle(&x);
    }
    int waiting = 0;
    run->unread =
        question != NULL &&
        (x.question[0] != '\0' || (ioctl(process->in, FIONREAD, &waiting) == 0 && waiting > 0));
    *left = end - assay_process_milliseconds();
    return read ? ASSAY_OK : assay_process_fail(diag, "its output");
}

bool assay_exchange_pending(const struct assay_process *process)
{
    struct pollfd out = {.fd = process->out, .events = POLLIN};
    return poll(&out, 1, 0) != 0;
}
