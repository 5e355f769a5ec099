/* Several files as one input: their bytes are concatenated. Each file is opened when the bytes
 * before it have been read. */
#ifndef ASSAY_COMMON_SOURCE_CONCAT_H
#define ASSAY_COMMON_SOURCE_CONCAT_H

#include "io/source.h"
#include "io/witness.h"

struct assay_source_part {
    const char *path;              /* owned by the list */
    uint64_t start;                /* of its first byte in the input */
    uint64_t size;                 /* when the list was made */
    struct assay_file_stamp stamp; /* of that time */
};

/* The files of an input. Constant once opened, so that threads may share it. */
struct assay_source_parts {
    struct assay_source_part *list; /* by ascending start */
    size_t count;
    uint64_t size; /* of all in bytes */
    void *memory;  /* private */
};

/* Makes the list: each path has to be a regular file, which may be empty; a file may be in it
 * more than once. ASSAY_USAGE for no path at all; else the errors of assay_source_open, which name
 * the file, and ASSAY_OUT_OF_RANGE when the sum of the sizes is. */
enum assay_error assay_source_parts_open(const char *const *paths, size_t count,
                                         struct assay_source_parts *parts, struct assay_diag *diag);

/* Frees what the list owns; a zero-initialised list is allowed. */
void assay_source_parts_close(struct assay_source_parts *parts);

/* A source over the files, from the first byte on. The list stays the caller's and must outlive it.
 * A file that cannot be opened any more, or is not what it was, ends the bytes there with
 * ASSAY_READ_FAILED; the source's detail names it. assay_source_again works. */
enum assay_error assay_source_concat(const struct assay_source_parts *parts,
                                     struct assay_source **source);

/* At the end, passes the files that the source did not reach to its witness, and ends the witness.
 * */
void assay_source_parts_witness(const struct assay_source_parts *parts,
                                struct assay_witness *witness);

/* The file that holds a byte of the input, and the offset in it; the end of the last file for the
 * offset of the end of the input. Null for greater offsets. */
const struct assay_source_part *assay_source_locate(const struct assay_source_parts *parts,
                                                    uint64_t offset, uint64_t *within);

#endif
