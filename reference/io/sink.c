#include "io/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/replacement.h"

enum { FILE_BUFFER = 1 << 18, DEFAULT_LIMIT = 1 << 30 };

void assay_sink_memory(struct assay_sink *sink, size_t limit)
{
    *sink = (struct assay_sink){.fd = -1, .limit = limit != 0 ? limit : DEFAULT_LIMIT};
}

void assay_sink_fd(struct assay_sink *sink, int fd)
{
    *sink = (struct assay_sink){.fd = fd, .limit = FILE_BUFFER};
}

/* A sink to a file that was opened, or refused because of an error of the system. */
static enum assay_error own(struct assay_sink *sink, int fd, int why, const char *path,
                            struct assay_diag *diag)
{
    if (fd < 0) {
        const enum assay_error error = why == ENOMEM                    ? ASSAY_NO_MEMORY
                                       : why == ENOSPC || why == EDQUOT ? ASSAY_WRITE_FAILED
                                                                        : ASSAY_NOT_WRITABLE;
        *sink = (struct assay_sink){.fd = -1};
        assay_fail(diag, error, ASSAY_NO_OFFSET, "cannot be written: %s", strerror(why));
        assay_diag_path(diag, path);
        return error;
    }
    assay_sink_fd(sink, fd);
    sink->own_fd = true;
    sink->path = path;
    return ASSAY_OK;
}

enum assay_error assay_sink_open(struct assay_sink *sink, const char *path, struct assay_diag *diag)
{
    if (strcmp(path, "-") == 0) {
        assay_sink_fd(sink, STDOUT_FILENO);
        return ASSAY_OK;
    }
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return own(sink, fd, errno, path, diag);
}

/* The descriptor of this program's output that a file is, or -1. */
static int standard_output(const struct stat *file)
{
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        struct stat st;
        if (fstat(fd, &st) == 0 && st.st_dev == file->st_dev && st.st_ino == file->st_ino) {
            return fd;
        }
    }
    return -1;
}

enum assay_error assay_sink_replace(struct assay_sink *sink, const char *path,
                                    struct assay_diag *diag)
{
    struct stat st;
    const bool exists = stat(path, &st) == 0;
    const int standard = exists ? standard_output(&st) : -1;
    int fd = -1;
    int why = 0;
    if (strcmp(path, "-") == 0 || (exists && standard < 0 && !S_ISREG(st.st_mode)) ||
        path[0] == '\0') {
        return assay_sink_open(sink, path, diag);
    }
    if (standard >= 0) {
        fd = fcntl(standard, F_DUPFD_CLOEXEC, 0);
        return own(sink, fd, errno, path, diag);
    }
    struct assay_replacement *replacement =
        assay_replacement_open(path, exists ? &st : NULL, &fd, &why);
    const enum assay_error error = own(sink, fd, why, path, diag);
    sink->replacement = replacement;
    return error;
}

static void set_error(struct assay_sink *sink, enum assay_error error, int why)
{
    if (sink->error == ASSAY_OK) {
        sink->error = error;
        sink->system_errno = why;
    }
}

void assay_sink_fail(struct assay_sink *sink, enum assay_error error)
{
    set_error(sink, error, 0);
}

/* A descriptor that does not block is waited for. */
static void wait_writable(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    (void)poll(&wait, 1, -1);
}

static void write_all(struct assay_sink *sink, const uint8_t *data, size_t size)
{
    while (size > 0 && sink->error == ASSAY_OK) {
        const ssize_t n = write(sink->fd, data, size);
        if (n < 0) {
            if (errno == EAGAIN) {
                wait_writable(sink->fd);
            } else if (errno != EINTR) {
                set_error(sink, errno == EPIPE ? ASSAY_BROKEN_PIPE : ASSAY_WRITE_FAILED, errno);
            }
            continue;
        }
        data += n;
        size -= (size_t)n;
    }
}

enum assay_error assay_sink_flush(struct assay_sink *sink)
{
    if (sink->fd >= 0 && sink->size > 0) {
        write_all(sink, sink->data, sink->size);
        sink->size = 0;
    }
    return sink->error;
}

bool assay_sink_can_patch(const struct assay_sink *sink)
{
    struct stat st;
    if (sink->fd < 0) {
        return true;
    }
    const int flags = fcntl(sink->fd, F_GETFL);
    return flags >= 0 && (flags & O_APPEND) == 0 && fstat(sink->fd, &st) == 0 &&
           S_ISREG(st.st_mode);
}

/* The descriptor may have stood anywhere when the sink began. */
static void patch_file(struct assay_sink *sink, uint64_t offset, const uint8_t *data, size_t size)
{
    assay_sink_flush(sink);
    const off_t end = lseek(sink->fd, 0, SEEK_CUR);
    if (end < 0) {
        set_error(sink, ASSAY_WRITE_FAILED, errno);
    }
    off_t at = end - (off_t)(sink->total - offset);
    while (size > 0 && sink->error == ASSAY_OK) {
        const ssize_t n = pwrite(sink->fd, data, size, at);
        if (n < 0) {
            if (errno != EINTR) {
                set_error(sink, ASSAY_WRITE_FAILED, errno);
            }
            continue;
        }
        data += n;
        at += n;
        size -= (size_t)n;
    }
}

void assay_sink_patch(struct assay_sink *sink, uint64_t offset, const void *data, size_t size)
{
    if (size > sink->total || offset > sink->total - size) {
        set_error(sink, ASSAY_USAGE, 0);
    } else if (sink->error == ASSAY_OK && sink->fd >= 0) {
        patch_file(sink, offset, data, size);
    } else if (sink->error == ASSAY_OK) {
        memcpy(sink->data + offset, data, size);
    }
}

static bool make_room(struct assay_sink *sink, size_t size)
{
    if (sink->error != ASSAY_OK) {
        return false;
    }
    if (size > sink->limit - sink->size) {
        set_error(sink, ASSAY_LIMIT, 0);
        return false;
    }
    const size_t need = sink->size + size;
    if (need <= sink->capacity) {
        return true;
    }
    size_t capacity = sink->capacity != 0 ? sink->capacity : 4096;
    while (capacity < need) {
        capacity *= 2;
    }
    uint8_t *data = realloc(sink->data, capacity);
    if (data == NULL) {
        set_error(sink, ASSAY_NO_MEMORY, 0);
        return false;
    }
    sink->data = data;
    sink->capacity = capacity;
    return true;
}

void assay_sink_write(struct assay_sink *sink, const void *data, size_t size)
{
    if (size == 0) {
        return;
    }
    if (sink->fd >= 0) {
        if (size > sink->limit - sink->size) {
            assay_sink_flush(sink);
        }
        if (size > sink->limit) {
            write_all(sink, data, size);
            sink->total += size;
            return;
        }
    }
    if (make_room(sink, size)) {
        memcpy(sink->data + sink->size, data, size);
        sink->size += size;
        sink->total += size;
    }
}

void assay_sink_text(struct assay_sink *sink, const char *text)
{
    assay_sink_write(sink, text, strlen(text));
}

void assay_sink_printf(struct assay_sink *sink, const char *format, ...)
{
    char small[512];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n < 0) {
        set_error(sink, ASSAY_INTERNAL, 0);
        return;
    }
    if ((size_t)n < sizeof small) {
        assay_sink_write(sink, small, (size_t)n);
        return;
    }
    char *big = malloc((size_t)n + 1);
    if (big == NULL) {
        set_error(sink, ASSAY_NO_MEMORY, 0);
        return;
    }
    va_start(args, format);
    vsnprintf(big, (size_t)n + 1, format, args);
    va_end(args);
    assay_sink_write(sink, big, (size_t)n);
    free(big);
}

enum assay_error assay_sink_explain(const struct assay_sink *sink, enum assay_error error,
                                    struct assay_diag *diag)
{
    const bool by_system = sink->error == error && sink->system_errno != 0;
    assay_fail(diag, error, sink->total, "the output could not be written: %s",
               by_system ? strerror(sink->system_errno) : assay_error_text(error));
    assay_diag_path(diag, sink->path != NULL ? sink->path
                          : sink->fd >= 0    ? "standard output"
                                             : NULL);
    return error;
}

enum assay_error assay_sink_close(struct assay_sink *sink, struct assay_diag *diag)
{
    assay_sink_flush(sink);
    if (sink->replacement != NULL && sink->error == ASSAY_OK) {
        const int why = assay_replacement_commit(sink->replacement, sink->fd);
        if (why != 0) {
            set_error(sink, ASSAY_WRITE_FAILED, why);
        }
    }
    if (sink->own_fd && close(sink->fd) != 0) {
        set_error(sink, ASSAY_WRITE_FAILED, errno);
    }
    const enum assay_error error = sink->error;
    if (error != ASSAY_OK) {
        assay_sink_explain(sink, error, diag);
    }
    assay_replacement_close(sink->replacement);
    free(sink->data);
    *sink = (struct assay_sink){.fd = -1};
    return error;
}

void assay_sink_discard(struct assay_sink *sink)
{
    assay_replacement_close(sink->replacement);
    sink->replacement = NULL;
    assay_sink_close(sink, NULL);
}
