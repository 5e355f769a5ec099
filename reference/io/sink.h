/* Where encoders and writers put bytes: a buffer that grows, or a file with a block buffer. An
 * error is remembered: further writes do nothing, and assay_sink_close reports it. */
#ifndef ASSAY_COMMON_SINK_H
#define ASSAY_COMMON_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct assay_replacement;

struct assay_sink {
    uint8_t *data;   /* the buffer; owned */
    size_t size;     /* bytes in the buffer */
    size_t capacity; /* of the buffer */
    uint64_t total;  /* bytes written since the start, those already given to the file included */
    int fd;          /* -1: keep all in memory */
    bool own_fd;
    size_t limit; /* memory: the greatest size of the buffer in bytes */
    enum assay_error error;
    int system_errno;
    struct assay_replacement *replacement; /* assay_sink_replace; or null */
    const char *path; /* of the file that was opened, for messages; borrowed, or null */
};

/* A sink in memory that may grow to `limit` bytes (0: 1 GiB). */
void assay_sink_memory(struct assay_sink *sink, size_t limit);

/* A sink to a file, created or truncated; "-" is standard output. */
enum assay_error assay_sink_open(struct assay_sink *sink, const char *path,
                                 struct assay_diag *diag);

/* A sink to a new file, which replaces the one at the path when the sink is closed without an
 * error: until then, and after an error, the old file stays unchanged. Links are followed, the old
 * file's mode is kept. A path that is no regular file, or is the file of standard output or
 * standard error, is written directly. */
enum assay_error assay_sink_replace(struct assay_sink *sink, const char *path,
                                    struct assay_diag *diag);

/* A sink to an open descriptor, which stays the caller's. */
void assay_sink_fd(struct assay_sink *sink, int fd);

void assay_sink_write(struct assay_sink *sink, const void *data, size_t size);
void assay_sink_text(struct assay_sink *sink, const char *text);
void assay_sink_printf(struct assay_sink *sink, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sets the error of the sink when the writer itself fails, as when it is out of memory: the output
 * is then incomplete. */
void assay_sink_fail(struct assay_sink *sink, enum assay_error error);

/* Writes the buffer to the file; does nothing for a sink in memory. */
enum assay_error assay_sink_flush(struct assay_sink *sink);

/* Whether bytes that were written can be changed: in memory, and in a regular file that was not
 * opened for appending. */
bool assay_sink_can_patch(const struct assay_sink *sink);

/* Writes over `size` bytes from `offset` on, counted as `total` is; all of them must have been
 * written before, else the sink's error is ASSAY_USAGE. */
void assay_sink_patch(struct assay_sink *sink, uint64_t offset, const void *data, size_t size);

/* Fills diag with the reason why the sink, or an encoder that writes to it, failed with `error`:
 * encoders only return an error. Returns `error`. */
enum assay_error assay_sink_explain(const struct assay_sink *sink, enum assay_error error,
                                    struct assay_diag *diag);

/* Flushes, closes what the sink opened, frees the buffer; the first error since the start. The sink
 * is empty after it. */
enum assay_error assay_sink_close(struct assay_sink *sink, struct assay_diag *diag);

/* Closes a sink whose output is not wanted: no file is replaced. */
void assay_sink_discard(struct assay_sink *sink);

#endif
