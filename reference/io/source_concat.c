#include "io/source_concat.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/arena.h"
#include "io/source_private.h"

/* The same buffer size as for a single file. */
enum { BODY = 1 << 19 };

/* --- the list --- */

static enum assay_error refuse(struct assay_diag *diag, const char *path, enum assay_error error,
                               const char *reason)
{
    assay_fail(diag, error, ASSAY_NO_OFFSET, "cannot be read: %s", reason);
    assay_diag_path(diag, path);
    return error;
}

static enum assay_error measure(const char *path, struct assay_file_stamp *stamp,
                                struct assay_diag *diag)
{
    if (assay_stamp_of_path(path, stamp)) {
        return ASSAY_OK;
    }
    struct stat st;
    if (stat(path, &st) != 0) {
        return refuse(diag, path,
                      errno == ENOENT || errno == ENOTDIR ? ASSAY_NOT_FOUND : ASSAY_NOT_READABLE,
                      strerror(errno));
    }
    return refuse(diag, path, ASSAY_NOT_READABLE, "a part of an input has to be a regular file");
}

static enum assay_error add_part(struct assay_source_parts *parts, struct assay_arena *arena,
                                 const char *path, struct assay_diag *diag)
{
    struct assay_file_stamp stamp;
    const enum assay_error error = measure(path, &stamp, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    const uint64_t size = stamp.size;
    if (size > (uint64_t)INT64_MAX - parts->size) {
        return refuse(diag, path, ASSAY_OUT_OF_RANGE, "the files together are too long");
    }
    const char *copy = assay_arena_text(arena, path, strlen(path));
    if (copy == NULL) {
        return refuse(diag, path, ASSAY_NO_MEMORY, assay_error_text(ASSAY_NO_MEMORY));
    }
    parts->list[parts->count++] = (struct assay_source_part){
        .path = copy, .start = parts->size, .size = size, .stamp = stamp};
    parts->size += size;
    return ASSAY_OK;
}

enum assay_error assay_source_parts_open(const char *const *paths, size_t count,
                                         struct assay_source_parts *parts, struct assay_diag *diag)
{
    *parts = (struct assay_source_parts){0};
    if (count == 0) {
        return assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET, "an input has at least one file");
    }
    struct assay_arena *arena = calloc(1, sizeof *arena);
    parts->memory = arena;
    if (arena != NULL && count < SIZE_MAX / sizeof *parts->list) {
        parts->list = assay_arena_take(arena, count * sizeof *parts->list);
    }
    enum assay_error error =
        parts->list != NULL ? ASSAY_OK
                            : assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    for (size_t i = 0; i < count && error == ASSAY_OK; i++) {
        error = add_part(parts, arena, paths[i], diag);
    }
    if (error != ASSAY_OK) {
        assay_source_parts_close(parts);
    }
    return error;
}

void assay_source_parts_close(struct assay_source_parts *parts)
{
    if (parts->memory != NULL) {
        assay_arena_free(parts->memory);
        free(parts->memory);
    }
    *parts = (struct assay_source_parts){0};
}

const struct assay_source_part *assay_source_locate(const struct assay_source_parts *parts,
                                                    uint64_t offset, uint64_t *within)
{
    if (offset > parts->size) {
        return NULL;
    }
    /* The last part that begins at or before the offset: empty ones before it begin there, too. */
    size_t low = 0;
    size_t high = parts->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (parts->list[middle].start <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *within = offset - parts->list[low].start;
    return &parts->list[low];
}

/* --- the source --- */

struct concat_source {
    struct assay_source base;
    struct assay_source_buffer buffer;
    const struct assay_source_parts *parts;
    size_t number; /* of the part that is read or comes next */
    int fd;        /* of that part; -1: it is not open */
    uint64_t left; /* bytes of it that were not read */
};

static void fail(struct concat_source *c, const char *what)
{
    char detail[ASSAY_DETAIL_SIZE];
    const char *path = c->parts->list[c->number].path;
    const size_t length = strlen(path);
    /* The end of a long path says more than its beginning. */
    snprintf(detail, sizeof detail, "%s: %s", length > 100 ? path + length - 100 : path, what);
    assay_source_end(&c->base, ASSAY_READ_FAILED, detail);
}

static void close_part(struct concat_source *c)
{
    if (c->fd >= 0) {
        close(c->fd);
    }
    c->fd = -1;
}

/* The file of a part, if it is still the one that it was; else -1 and why not. */
static int open_file(const struct assay_source_part *part, const char **why)
{
    struct assay_file_stamp now;
    const int fd = open(part->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) {
        *why = strerror(errno);
        return -1;
    }
    if (!assay_stamp_of(fd, &now) || !assay_stamps_equal(&now, &part->stamp)) {
        *why = "the file changed after the input was opened";
        close(fd);
        return -1;
    }
    return fd;
}

static bool open_part(struct concat_source *c)
{
    const struct assay_source_part *part = &c->parts->list[c->number];
    const char *why = NULL;
    c->fd = open_file(part, &why);
    if (c->fd < 0) {
        fail(c, why);
        return false;
    }
    (void)posix_fadvise(c->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    c->left = part->size;
    if (c->base.witness != NULL) {
        assay_witness_begin(c->base.witness, c->fd, 0);
    }
    return true;
}

/* Reads what one call gives, of the part that is open. */
static bool read_part(struct concat_source *c, size_t want)
{
    size_t capacity;
    if (c->base.witness != NULL) {
        assay_witness_wait(c->base.witness);
    }
    uint8_t *out = assay_source_make_room(&c->base, &c->buffer, want, &capacity);
    const size_t n = c->left < capacity ? (size_t)c->left : capacity;
    const ssize_t got = read(c->fd, out, n);
    if (got < 0 && errno == EINTR) {
        return true;
    }
    if (got <= 0) {
        fail(c, got < 0 ? strerror(errno) : "the file became shorter while it was read");
        return false;
    }
    assay_source_lengthen(&c->base, (size_t)got);
    if (c->base.witness != NULL) {
        assay_witness_add(c->base.witness, out, (size_t)got);
    }
    c->left -= (uint64_t)got;
    return true;
}

static void concat_fill(struct assay_source *source, size_t want)
{
    struct concat_source *c = (struct concat_source *)source;
    while (assay_source_left(source) < want) {
        if (assay_source_is_interrupted(source)) {
            assay_source_end(source, ASSAY_READ_FAILED, ASSAY_INTERRUPTED_DETAIL);
            return;
        }
        if (c->number == c->parts->count) {
            assay_source_end(source, ASSAY_OK, NULL);
            return;
        }
        if (c->fd < 0 && !open_part(c)) {
            return;
        }
        if (c->left == 0) {
            close_part(c);
            c->number++;
        } else if (!read_part(c, want)) {
            return;
        }
    }
}

static void concat_status(const struct assay_source *source, struct assay_source_status *status)
{
    status->stored_offset = assay_source_offset(source);
    status->stored_size = ((const struct concat_source *)source)->parts->size;
}

static enum assay_error concat_again(const struct assay_source *source, struct assay_source **other)
{
    return assay_source_concat(((const struct concat_source *)source)->parts, other);
}

/* Each part is shown as it is opened. */
static void concat_witness(struct assay_source *source)
{
    (void)source;
}

void assay_source_parts_witness(const struct assay_source_parts *parts,
                                struct assay_witness *witness)
{
    for (size_t i = assay_witness_begun(witness); i < parts->count; i++) {
        const char *why = NULL;
        const int fd = open_file(&parts->list[i], &why);
        if (fd < 0) {
            assay_witness_lost(witness, why);
        } else {
            assay_witness_begin(witness, fd, 0);
            assay_witness_end(witness);
            close(fd);
        }
    }
    assay_witness_end(witness);
}

static void concat_close(struct assay_source *source)
{
    struct concat_source *c = (struct concat_source *)source;
    close_part(c);
    free(c->buffer.memory);
    free(c);
}

enum assay_error assay_source_concat(const struct assay_source_parts *parts,
                                     struct assay_source **source)
{
    static const struct assay_source_kind kind = {.fill = concat_fill,
                                                  .status = concat_status,
                                                  .again = concat_again,
                                                  .witness = concat_witness,
                                                  .close = concat_close};
    *source = NULL;
    struct concat_source *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return ASSAY_NO_MEMORY;
    }
    c->base.kind = &kind;
    c->parts = parts;
    c->fd = -1;
    if (!assay_source_buffer_open(&c->buffer, BODY, &c->base)) {
        free(c);
        return ASSAY_NO_MEMORY;
    }
    *source = &c->base;
    return ASSAY_OK;
}
