/* A witness records what a source reads: the digest of exactly the bytes that its reader got, and
 * whether the file changed meanwhile. It is attached to a source (assay_source_witness) before
 * anything is read, outlives it, and is ended when the bytes are no longer read.
 *
 * A regular file is digested to its end, even if only a part of it was needed: at the end the
 * witness reads the rest from the same descriptor. An input that can be read only once, such as a
 * pipe, has a digest only if it was read to its end.
 */
#ifndef ASSAY_COMMON_WITNESS_H
#define ASSAY_COMMON_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/stop.h"
#include "io/digest.h"

/* Identifies the state of a file: if a member differs, it is another file or has been changed. */
struct assay_file_stamp {
    uint64_t device, inode, size;
    int64_t modified[2], status[2]; /* mtime and ctime: seconds, nanoseconds */
};

/* Stamps an open file; false when the system call fails, or it is no regular file. */
bool assay_stamp_of(int fd, struct assay_file_stamp *stamp);
/* The same by path. */
bool assay_stamp_of_path(const char *path, struct assay_file_stamp *stamp);
bool assay_stamps_equal(const struct assay_file_stamp *a, const struct assay_file_stamp *b);

/* The report on a file, or on all files of an input together. */
struct assay_witness_report {
    char sha256[ASSAY_DIGEST_TEXT]; /* "" when it was not wanted, or could not be computed */
    char no_digest[96]; /* why a digest that was wanted could not be computed; else "" */
    uint64_t bytes;     /* that were digested */
    bool changed; /* the file is not, or its times are not, what they were when it was opened */
};

struct assay_witness;

struct assay_witness_options {
    size_t files;                  /* of which the input consists: at least 1 */
    bool digest;                   /* compute digests */
    bool threaded;                 /* on another thread */
    const struct assay_stop *stop; /* do not read what is left once this is requested; or null */
};

/* Null when memory is out. */
struct assay_witness *assay_witness_open(const struct assay_witness_options *options);

/* Called by sources when a file begins, and the one before has been read. It is read from `start`
 * on, -1 if it is not seekable. A descriptor of -1 means bytes in memory. */
void assay_witness_begin(struct assay_witness *witness, int fd, off_t start);
/* Adds the next bytes of the file, which must stay unchanged until the next call on the witness
 * returns. */
void assay_witness_add(struct assay_witness *witness, const void *data, size_t size);
/* To be called before bytes that were added are overwritten. */
void assay_witness_wait(struct assay_witness *witness);
/* The source came to the end of the file. */
void assay_witness_at_end(struct assay_witness *witness);

/* How many files have begun. */
size_t assay_witness_begun(const struct assay_witness *witness);

/* Reports that the next file can no longer be read. */
void assay_witness_lost(struct assay_witness *witness, const char *why);

/* Reads the rest of the last file that began; the reports are complete afterwards. */
void assay_witness_end(struct assay_witness *witness);

/* After the end: the report on file `number`, and on all of them together. */
const struct assay_witness_report *assay_witness_file(const struct assay_witness *witness,
                                                      size_t number);
const struct assay_witness_report *assay_witness_all(const struct assay_witness *witness);

/* Null is allowed. */
void assay_witness_close(struct assay_witness *witness);

#endif
