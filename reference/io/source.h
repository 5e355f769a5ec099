/* Where bytes come from: a file, standard input, a pipe, memory, or a filter over another source.
 *
 * A source is read by looking ahead and consuming: assay_source_peek shows bytes in the source's
 * own buffer, assay_source_consume steps over them. Nothing is copied for the reader, memory is
 * bounded by the source's buffer whatever the input's size, and offsets are 64 bits wide.
 */
#ifndef ASSAY_COMMON_SOURCE_H
#define ASSAY_COMMON_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* The greatest number of bytes that a reader may request at once; a source's buffer holds at least
 * this. */
#define ASSAY_PEEK_MAX ((size_t)1 << 18)

struct assay_source;
struct assay_stop;
struct assay_witness;

/* Opens a regular file, a pipe or a character device for reading; "-" is standard input. Anything
 * else (a directory, a socket, a block device) is ASSAY_NOT_READABLE. Opening a named pipe waits
 * does not wait for its writer; reading does. diag names path and reason. */
enum assay_error assay_source_open(const char *path, struct assay_source **source,
                                   struct assay_diag *diag);

/* A source over bytes that the caller keeps until the source is closed. */
enum assay_error assay_source_memory(const void *data, size_t size, struct assay_source **source);

/* The smallest `room` that assay_source_reader.read is called with. */
#define ASSAY_READ_ROOM ((size_t)1 << 16)

/* How a source over another one produces its bytes, such as the payload of frames or one stream of
 * several. */
struct assay_source_reader {
    /* Writes the next bytes to `out`, at most `room`, and their number to *size: 0 at the end. An
     * error ends the bytes, too, after those written. `under` is the source below, at the position
     * where the last call left it. */
    enum assay_error (*read)(void *context, struct assay_source *under, uint8_t *out, size_t room,
                             size_t *size);
    void (*close)(void *context); /* frees the context, before `under` is closed; or null */
};

/* Opens a source of the bytes that a reader produces from those of `under`. Source and context are
 * owned by the new source, even if this fails, with ASSAY_NO_MEMORY. If reading ends without an
 * error of the reader because `under` ended early, the fault of `under` is reported; so is its
 * status of the stored form. */
enum assay_error assay_source_over(struct assay_source *under,
                                   const struct assay_source_reader *reader, void *context,
                                   struct assay_source **source);

/* Shows at least `want` bytes (want <= ASSAY_PEEK_MAX, else ASSAY_USAGE), or all that are left when
 * fewer are. *data stays valid until the next call on the source; *have may exceed want. At the end
 * of the input *have is below want and the result is ASSAY_OK. An error of the input (read error,
 * corrupt or truncated compressed data) is held back until all bytes before it were shown: when
 * want can't be met because of it, it is the result, *have is what can still be consumed, and
 * assay_source_status gives the details. A want of 0 shows what is in memory and never reads. */
enum assay_error assay_source_peek(struct assay_source *source, size_t want, const uint8_t **data,
                                   size_t *have);

/* Whether fewer than `want` bytes are in memory, and the writer of a queue waits until the reader
 * has dealt with them (assay_push_flush). Waits for bytes until there are enough, or the input
 * ends: then, and of other sources, it is false. A reader that can decode what is there does so, by
 * a peek of 0, and passes it on; the peek for more ends the pause. */
bool assay_source_pauses(struct assay_source *source, size_t want);

/* Steps over n bytes that a peek has shown (over all that was shown when n is more). */
void assay_source_consume(struct assay_source *source, size_t n);

/* Bytes consumed since the source was opened. */
uint64_t assay_source_offset(const struct assay_source *source);

/* What is known of the stored form, for the `end` event and for reports. The numbers apply to the
 * bytes that were shown, even if a decompressor on its thread is further ahead. */
struct assay_source_status {
    enum assay_error fault; /* ASSAY_OK, or why the bytes ended early (truncated, corrupt ...); set
                               when a peek met it */
    char detail[160]; /* the message of the reader or decompressor about the fault; "" if none */
    uint64_t stored_offset;  /* bytes of the lowest source used so far, counted from where it was
                                opened (position in the file); at the end, the position after the
                                last stream and its padding */
    uint64_t streams;        /* compressed streams decoded or begun; 0 for an uncompressed source */
    uint64_t trailing_bytes; /* bytes after the last stream that belong to none, counted at the end;
                                from 1 MiB on there may be more. With filters over filters, the
                                sum */
    uint64_t stored_size;    /* size of the file where it is known, else 0 */
};

void assay_source_status(const struct assay_source *source, struct assay_source_status *status);

/* Opens another source over the same bytes, from the first one on, however far this one was read.
 * Only for memory and regular files, also through a filter, which then decompresses them again:
 * ASSAY_UNSUPPORTED when the bytes can be read only once. */
enum assay_error assay_source_again(const struct assay_source *source, struct assay_source **other);

/* Sets *filtered when a filter is opened over the source: offsets of events are those of the filter
 * from then on. The flag is owned by the caller and must outlive the source. */
void assay_source_watch(struct assay_source *source, bool *filtered);

/* Passes the bytes that are read to a witness, which must be for as many files as the source has.
 * Called before anything is read; the witness is owned by the caller and must outlive the source.
 * ASSAY_UNSUPPORTED: the source produces its bytes from another source. */
enum assay_error assay_source_witness(struct assay_source *source, struct assay_witness *witness);

/* Interrupts the source as assay_source_interrupt does once the stop is requested; null: never. The
 * stop is owned by the caller and must outlive the source. */
void assay_source_stop(struct assay_source *source, const struct assay_stop *stop);

/* Closes the source and everything under it. Null is allowed. */
void assay_source_close(struct assay_source *source);

/* Asks a source that may block (a pipe, a decompressor on its thread) to end early: the peek that
 * waits, or the next that would read, is ASSAY_READ_FAILED. What is in memory can still be
 * consumed. Safe to call from another thread or a signal handler while the source is open. */
void assay_source_interrupt(struct assay_source *source);

#endif
