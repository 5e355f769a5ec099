/* Sources over descriptors. Files are read, not mapped: a file that shrinks while it is read ends
 * early, where a mapping would raise a signal. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/path.h"
#include "io/source_private.h"

/* Small enough that the data is still in a second-level cache when it is decoded. */
enum { BODY = 1 << 19 };

struct file_source {
    struct assay_source base;
    struct assay_source_buffer buffer;
    int fd;
    bool own_fd;
    int wake_fd;   /* readable once interrupted; -1 for a regular file, which never waits */
    uint64_t size; /* 0 where it is not known */
    off_t start;   /* where it began in a regular file */
};

/* Waits until there is something to read or the source is interrupted; false on an error. A signal
 * is neither: a read of a pipe that no writer has opened yet would give its end. */
static bool wait_readable(struct file_source *file)
{
    const struct assay_stop *stop = file->base.stop;
    struct pollfd wait[] = {{.fd = file->fd, .events = POLLIN},
                            {.fd = file->wake_fd, .events = POLLIN},
                            {.fd = stop != NULL ? stop->fd : -1, .events = POLLIN}};
    int ready;
    do {
        ready = poll(wait, 3, -1);
    } while (ready < 0 && errno == EINTR && !assay_source_is_interrupted(&file->base));
    return ready >= 0 || errno == EINTR;
}

/* One read. Below zero is an error (errno), zero the end or an interruption. */
static ssize_t read_some(struct file_source *file, uint8_t *out, size_t capacity)
{
    while (!assay_source_is_interrupted(&file->base)) {
        if (file->wake_fd >= 0) {
            if (!wait_readable(file)) {
                return -1;
            }
            if (assay_source_is_interrupted(&file->base)) {
                break;
            }
        }
        const ssize_t n = read(file->fd, out, capacity);
        if (n >= 0 || (errno != EINTR && errno != EAGAIN)) {
            return n;
        }
    }
    return 0;
}

static void file_fill(struct assay_source *source, size_t want)
{
    struct file_source *file = (struct file_source *)source;
    while (assay_source_left(source) < want) {
        size_t capacity;
        if (source->witness != NULL) {
            assay_witness_wait(source->witness);
        }
        uint8_t *out = assay_source_make_room(source, &file->buffer, want, &capacity);
        const ssize_t n = read_some(file, out, capacity);
        if (n > 0) {
            assay_source_lengthen(source, (size_t)n);
            if (source->witness != NULL) {
                assay_witness_add(source->witness, out, (size_t)n);
            }
        } else if (n < 0) {
            assay_source_end(source, ASSAY_READ_FAILED, strerror(errno));
            return;
        } else if (assay_source_is_interrupted(source)) {
            assay_source_end(source, ASSAY_READ_FAILED, ASSAY_INTERRUPTED_DETAIL);
            return;
        } else {
            if (source->witness != NULL) {
                assay_witness_at_end(source->witness);
            }
            assay_source_end(source, ASSAY_OK, NULL);
            return;
        }
    }
}

static void file_witness(struct assay_source *source)
{
    const struct file_source *file = (struct file_source *)source;
    assay_witness_begin(source->witness, file->fd, file->wake_fd < 0 ? file->start : -1);
}

static void file_status(const struct assay_source *source, struct assay_source_status *status)
{
    status->stored_offset = assay_source_offset(source);
    status->stored_size = ((const struct file_source *)source)->size;
}

static void file_interrupt(struct assay_source *source)
{
    const struct file_source *file = (struct file_source *)source;
    if (file->wake_fd >= 0) {
        const int saved = errno; /* this may run in a signal handler */
        const uint64_t one = 1;
        const ssize_t n = write(file->wake_fd, &one, sizeof one);
        (void)n; /* fails only when it is readable already */
        errno = saved;
    }
}

static void file_close(struct assay_source *source)
{
    struct file_source *file = (struct file_source *)source;
    if (file->own_fd) {
        close(file->fd);
    }
    if (file->wake_fd >= 0) {
        close(file->wake_fd);
    }
    free(file->buffer.memory);
    free(file);
}

/* Why a file of this type is not read; null when it is. */
static const char *refusal(mode_t mode)
{
    if (S_ISREG(mode) || S_ISFIFO(mode) || S_ISCHR(mode)) {
        return NULL;
    }
    if (S_ISDIR(mode)) {
        return "it is a directory";
    }
    if (S_ISSOCK(mode)) {
        return "it is a socket";
    }
    return S_ISBLK(mode) ? "it is a block device" : "it is no file that can be read";
}

static enum assay_error refuse(struct assay_diag *diag, const char *path, enum assay_error error,
                               const char *reason)
{
    assay_fail(diag, error, ASSAY_NO_OFFSET, "cannot be read: %s", reason);
    assay_diag_path(diag, path);
    return error;
}

static enum assay_error refuse_errno(struct assay_diag *diag, const char *path, int why)
{
    const size_t length = assay_path_file_length(path);
    const enum assay_error error =
        refuse(diag, path, why == ENOENT || why == ENOTDIR ? ASSAY_NOT_FOUND : ASSAY_NOT_READABLE,
               strerror(why));
    if (path[length] != '\0') {
        assay_diag_hint(diag,
                        "%.*s has no buffers; the name of one comes after that of a "
                        "snapshot.ini, a contents.ini or an archive",
                        (int)length, path);
    }
    return error;
}

/* Looks at the type before opening, as opening a device may already do something. A pipe is opened
 * without waiting for a writer, so that reading waits for it, which can be interrupted. */
static enum assay_error open_path(const char *path, int *fd, struct assay_diag *diag)
{
    struct stat before;
    if (stat(path, &before) != 0) {
        return refuse_errno(diag, path, errno);
    }
    const char *reason = refusal(before.st_mode);
    if (reason != NULL) {
        return refuse(diag, path, ASSAY_NOT_READABLE, reason);
    }
    do {
        *fd = open(path,
                   O_RDONLY | O_CLOEXEC | O_NOCTTY | (S_ISFIFO(before.st_mode) ? O_NONBLOCK : 0));
    } while (*fd < 0 && errno == EINTR);
    return *fd >= 0 ? ASSAY_OK : refuse_errno(diag, path, errno);
}

/* Checks what the descriptor is and sets up for it: how long it is, or how to wait for it. */
static enum assay_error prepare(struct file_source *file, const char *path, struct assay_diag *diag)
{
    struct stat st;
    if (fstat(file->fd, &st) != 0) {
        return refuse_errno(diag, path, errno);
    }
    const char *reason = refusal(st.st_mode);
    if (reason != NULL) {
        return refuse(diag, path, ASSAY_NOT_READABLE, reason);
    }
    if (!assay_source_buffer_open(&file->buffer, BODY, &file->base)) {
        return refuse(diag, path, ASSAY_NO_MEMORY, assay_error_text(ASSAY_NO_MEMORY));
    }
    if (S_ISREG(st.st_mode)) {
        /* Standard input may have been read in part by somebody else before. */
        file->start = lseek(file->fd, 0, SEEK_CUR);
        file->size =
            file->start >= 0 && st.st_size > file->start ? (uint64_t)(st.st_size - file->start) : 0;
        (void)posix_fadvise(file->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
        return ASSAY_OK;
    }
    file->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return file->wake_fd >= 0 ? ASSAY_OK : refuse_errno(diag, path, errno);
}

static enum assay_error file_again(const struct assay_source *source, struct assay_source **other);

/* Takes the descriptor, if it is its own, also when it fails. */
static enum assay_error open_descriptor(int fd, bool own, const char *name,
                                        struct assay_source **source, struct assay_diag *diag)
{
    static const struct assay_source_kind kind = {.fill = file_fill,
                                                  .status = file_status,
                                                  .interrupt = file_interrupt,
                                                  .again = file_again,
                                                  .witness = file_witness,
                                                  .close = file_close};
    struct file_source *file = calloc(1, sizeof *file);
    if (file == NULL) {
        if (own) {
            close(fd);
        }
        return refuse(diag, name, ASSAY_NO_MEMORY, assay_error_text(ASSAY_NO_MEMORY));
    }
    file->base.kind = &kind;
    file->fd = fd;
    file->own_fd = own;
    file->wake_fd = -1;
    const enum assay_error error = prepare(file, name, diag);
    if (error != ASSAY_OK) {
        file_close(&file->base);
        return error;
    }
    *source = &file->base;
    return ASSAY_OK;
}

/* By its descriptor, as the path may be another file's by now. */
static enum assay_error file_again(const struct assay_source *source, struct assay_source **other)
{
    const struct file_source *file = (const struct file_source *)source;
    char path[40];
    if (file->wake_fd >= 0 || file->start < 0) {
        return ASSAY_UNSUPPORTED;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", file->fd);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return ASSAY_UNSUPPORTED;
    }
    if (lseek(fd, file->start, SEEK_SET) < 0) {
        close(fd);
        return ASSAY_READ_FAILED;
    }
    return open_descriptor(fd, true, path, other, NULL);
}

enum assay_error assay_source_open(const char *path, struct assay_source **source,
                                   struct assay_diag *diag)
{
    *source = NULL;
    const bool standard_input = strcmp(path, "-") == 0;
    int fd = STDIN_FILENO;
    const enum assay_error error = standard_input ? ASSAY_OK : open_path(path, &fd, diag);
    return error != ASSAY_OK
               ? error
               : open_descriptor(fd, !standard_input, standard_input ? "standard input" : path,
                                 source, diag);
}
