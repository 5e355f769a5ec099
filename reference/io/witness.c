#include "io/witness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/hasher.h"

enum { READ_SIZE = 1 << 18 };

struct assay_witness {
    struct assay_witness_options options;
    struct assay_hasher hasher; /* where digests are wanted */
    struct assay_witness_report all;
    struct assay_witness_report *files;
    size_t begun;
    /* Of the file that began last: */
    bool open;      /* it is not complete */
    int fd;         /* the witness's own; -1: there is none */
    bool regular;   /* and its stamp is known */
    bool at_end;    /* the source has read it to its end */
    off_t position; /* in a regular file: of the first byte that was not added */
    struct assay_file_stamp stamp;
};

/* --- stamps --- */

static bool stamp(const struct stat *st, struct assay_file_stamp *out)
{
    *out = (struct assay_file_stamp){.device = st->st_dev,
                                     .inode = st->st_ino,
                                     .size = (uint64_t)st->st_size,
                                     .modified = {st->st_mtim.tv_sec, st->st_mtim.tv_nsec},
                                     .status = {st->st_ctim.tv_sec, st->st_ctim.tv_nsec}};
    return S_ISREG(st->st_mode);
}

bool assay_stamp_of(int fd, struct assay_file_stamp *out)
{
    struct stat st;
    return fstat(fd, &st) == 0 && stamp(&st, out);
}

bool assay_stamp_of_path(const char *path, struct assay_file_stamp *out)
{
    struct stat st;
    return stat(path, &st) == 0 && stamp(&st, out);
}

bool assay_stamps_equal(const struct assay_file_stamp *a, const struct assay_file_stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->modified[0] == b->modified[0] && a->modified[1] == b->modified[1] &&
           a->status[0] == b->status[0] && a->status[1] == b->status[1];
}

/* --- the witness --- */

struct assay_witness *assay_witness_open(const struct assay_witness_options *options)
{
    struct assay_witness *w = calloc(1, sizeof *w);
    struct assay_witness_report *files =
        w != NULL ? calloc(options->files, sizeof *w->files) : NULL;
    if (files == NULL) {
        free(w);
        return NULL;
    }
    w->options = *options;
    w->files = files;
    w->fd = -1;
    if (options->digest) {
        assay_hasher_open(&w->hasher, options->files > 1, options->threaded);
    }
    return w;
}

static struct assay_witness_report *current(struct assay_witness *w)
{
    return &w->files[w->begun - 1];
}

/* The digest of a file that is not known is not known of all of them either. */
static void no_digest(struct assay_witness *w, struct assay_witness_report *file, const char *why)
{
    if (w->options.digest && file->no_digest[0] == '\0') {
        snprintf(file->no_digest, sizeof file->no_digest, "%s", why);
    }
    if (w->options.digest && w->all.no_digest[0] == '\0') {
        snprintf(w->all.no_digest, sizeof w->all.no_digest, "%s", why);
    }
}

void assay_witness_begin(struct assay_witness *w, int fd, off_t start)
{
    assay_witness_end(w);
    if (w->begun == w->options.files) {
        return;
    }
    w->begun++;
    w->open = true;
    w->at_end = false;
    w->position = start;
    w->fd = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    w->regular = w->fd >= 0 && start >= 0 && assay_stamp_of(w->fd, &w->stamp);
    if (w->fd < 0 && fd >= 0) {
        no_digest(w, current(w), strerror(errno));
    }
}

void assay_witness_add(struct assay_witness *w, const void *data, size_t size)
{
    w->position += (off_t)size;
    current(w)->bytes += size;
    w->all.bytes += size;
    if (w->options.digest) {
        assay_hasher_add(&w->hasher, data, size);
    }
}

void assay_witness_wait(struct assay_witness *w)
{
    if (w->options.digest) {
        assay_hasher_wait(&w->hasher);
    }
}

void assay_witness_at_end(struct assay_witness *w)
{
    w->at_end = true;
}

size_t assay_witness_begun(const struct assay_witness *w)
{
    return w->begun;
}

void assay_witness_lost(struct assay_witness *w, const char *why)
{
    assay_witness_end(w);
    if (w->begun < w->options.files) {
        w->all.changed = w->files[w->begun].changed = true;
        no_digest(w, &w->files[w->begun++], why);
    }
}

/* Adds what the source has not read of a regular file. */
static void read_rest(struct assay_witness *w)
{
    uint8_t *buffer = malloc(READ_SIZE);
    const char *why = buffer == NULL ? assay_error_text(ASSAY_NO_MEMORY) : NULL;
    while (why == NULL) {
        const ssize_t n = pread(w->fd, buffer, READ_SIZE, w->position);
        if (n == 0) {
            break;
        }
        if (n < 0) {
            why = errno == EINTR ? NULL : strerror(errno);
        } else if (assay_stop_requested(w->options.stop)) {
            why = "reading was interrupted";
        } else {
            assay_witness_add(w, buffer, (size_t)n);
            assay_witness_wait(w);
        }
    }
    if (why != NULL) {
        no_digest(w, current(w), why);
    }
    free(buffer);
}

static void take(struct assay_witness *w, struct assay_witness_report *report,
                 enum assay_hash_scope scope)
{
    char text[ASSAY_DIGEST_TEXT];
    const enum assay_error error = assay_hasher_take(&w->hasher, scope, text);
    if (report->no_digest[0] == '\0' && error == ASSAY_OK) {
        memcpy(report->sha256, text, sizeof text);
    } else {
        no_digest(w, report, "SHA-256 cannot be computed");
    }
}

void assay_witness_end(struct assay_witness *w)
{
    struct assay_file_stamp now;
    if (!w->open) {
        return;
    }
    w->open = false;
    if (w->options.digest && w->regular) {
        read_rest(w);
    } else if (!w->regular && !w->at_end) {
        no_digest(w, current(w), "it was not read to its end");
    }
    current(w)->changed =
        w->regular && !(assay_stamp_of(w->fd, &now) && assay_stamps_equal(&now, &w->stamp));
    w->all.changed = w->all.changed || current(w)->changed;
    if (w->options.digest && w->options.files > 1) {
        take(w, current(w), ASSAY_HASH_PART);
    }
    if (w->fd >= 0) {
        close(w->fd);
    }
    w->fd = -1;
    if (w->options.digest && w->begun == w->options.files) {
        take(w, &w->all, ASSAY_HASH_ALL);
    }
}

const struct assay_witness_report *assay_witness_file(const struct assay_witness *w, size_t number)
{
    return w->options.files > 1 ? &w->files[number] : &w->all;
}

const struct assay_witness_report *assay_witness_all(const struct assay_witness *w)
{
    return &w->all;
}

void assay_witness_close(struct assay_witness *w)
{
    if (w == NULL) {
        return;
    }
    if (w->fd >= 0) {
        close(w->fd);
    }
    if (w->options.digest) {
        assay_hasher_close(&w->hasher);
    }
    free(w->files);
    free(w);
}
