/* A witness of what a source reads: the digest of exactly the bytes that its reader got, and
 * whether the file changed meanwhile. It is attached to a source (assay_source_witness) before
 * anything is read, outlives it, and is ended when nothing reads the bytes any more.
 *
 * A regular file is digested to its end, whatever part of it was needed: what the source has not
 * read the witness reads in the end, from the same descriptor. Of what can be read only once, such
 * as a pipe, there is a digest when it was read to its end.
 */
#ifndef ASSAY_COMMON_WITNESS_H
#define ASSAY_COMMON_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/digest.h"
#include "common/stop.h"

/* What a file is known by: when one of these differs it is another file, or another content. */
struct assay_file_stamp {
    uint64_t device, inode, size;
    int64_t modified[2], status[2]; /* mtime and ctime: seconds, nanoseconds */
};

/* Of an open file; false when the system does not tell, or it is no regular file. */
bool assay_stamp_of(int fd, struct assay_file_stamp *stamp);
/* The same by path. */
bool assay_stamp_of_path(const char *path, struct assay_file_stamp *stamp);
bool assay_stamps_equal(const struct assay_file_stamp *a, const struct assay_file_stamp *b);

/* What there is to say of a file, or of all files of an input together. */
struct assay_witness_report {
    char sha256[ASSAY_DIGEST_TEXT]; /* "" when it was not wanted, or cannot be told */
    char no_digest[96];             /* it was wanted and cannot be told: why; else "" */
    uint64_t bytes;                 /* that were digested */
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

/* For sources: a file begins, which is read from `start` on, -1 where that cannot be chosen; the
 * one before has been read. Without a descriptor, -1, the bytes are in memory. */
void assay_witness_begin(struct assay_witness *witness, int fd, off_t start);
/* The next bytes of it, which stay as they are until the next call on the witness returns. */
void assay_witness_add(struct assay_witness *witness, const void *data, size_t size);
/* Before bytes that were added are overwritten. */
void assay_witness_wait(struct assay_witness *witness);
/* The source came to the end of the file. */
void assay_witness_at_end(struct assay_witness *witness);

/* How many files have begun. */
size_t assay_witness_begun(const struct assay_witness *witness);

/* The file that comes next cannot be read any more. */
void assay_witness_lost(struct assay_witness *witness, const char *why);

/* Reads what was not read of the last file that began; what is told of it is complete. */
void assay_witness_end(struct assay_witness *witness);

/* After the end: of file `number`, and of all of them together. */
const struct assay_witness_report *assay_witness_file(const struct assay_witness *witness,
                                                      size_t number);
const struct assay_witness_report *assay_witness_all(const struct assay_witness *witness);

/* Null is allowed. */
void assay_witness_close(struct assay_witness *witness);

#endif
