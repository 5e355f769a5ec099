/* The chunked container of STF, .zstf: a trace cut into chunks of so many instructions, each
 * compressed by itself, and an index that says where they are. It is independent of the records: it
 * reads and writes the bytes of the trace, and its caller reports where instructions end. All
 * numbers are little-endian and have 64 bits:
 *
 *     "ZSTF", 4 bytes
 *     instructions in a chunk
 *     offset of the index in the file; 0 in a file that was never closed
 *     the chunks, one after the other, each of one or more whole zstd frames
 *     the index: the number of chunks, and for each
 *         the offset of the chunk in the file
 *         the program counter of its first instruction; 0 for the first chunk
 *         the number of its bytes when decompressed
 *
 * A chunk ends after the record of the instruction that makes its number full; the last one ends
 * where the trace ends. Offsets count from the "ZSTF", also where that is not the input's start.
 */
#ifndef ASSAY_ZSTF_H
#define ASSAY_ZSTF_H

#include "io/sink.h"
#include "io/source.h"

enum { ASSAY_ZSTF_HEADER_BYTES = 20, ASSAY_ZSTF_ENTRY_BYTES = 24 };

/* What the reference library writes by default. */
#define ASSAY_ZSTF_CHUNK_INSTRUCTIONS ((uint64_t)10000000)

/* --- reading --- */

/* A source of the container's bytes is opened as every filter is: assay_filter_open with
 * ASSAY_CONTAINER_ZSTF. It streams, so that a pipe will do.
 *
 * The bytes end with a fault where data may be missing: ASSAY_TRUNCATED when the file ends inside
 * the header, inside a frame or before the offset of the index in the header; ASSAY_CORRUPT when a
 * frame is damaged, or neither a frame nor the index is found where one of them must be. An index
 * that contradicts the chunks is no such fault: it is in the report. The limits of memory are those
 * of assay_filter_open, and 12 MiB for frames and notes.
 *
 * The functions below take that source, and no other. */

/* The instructions in a chunk, as the header says; 0 if there is no whole header. */
uint64_t assay_zstf_chunk_instructions(const struct assay_source *source);

/* The reader of the trace reports where a chunk begins by its count of instructions (in bytes of
 * the decompressed trace, that is, right after the record that made the chunk before it full) and
 * the program counter of the first instruction there. It may do so any time after that is known, in
 * the order of the trace, and for as many chunks as it likes; nothing needs to be reported of the
 * first one. */
void assay_zstf_note_pc(struct assay_source *source, uint64_t stream_offset, uint64_t pc);

enum assay_zstf_index {
    ASSAY_ZSTF_INDEX_NOT_REACHED, /* the chunks ended with a fault */
    ASSAY_ZSTF_INDEX_NONE,      /* the file was never closed: the header's offset is 0, and no index
                                 follows the chunks */
    ASSAY_ZSTF_INDEX_MISSING,   /* the header's offset is inside the header or the chunks, and no
                                 index follows them */
    ASSAY_ZSTF_INDEX_ELSEWHERE, /* an index follows the chunks, but the header's offset is another
                                 */
    ASSAY_ZSTF_INDEX_IN_PLACE,  /* where the header says, after the last chunk */
};

/* The first entry of the index that contradicts the trace. */
struct assay_zstf_difference {
    bool found;
    uint64_t entry;   /* its number, from 0 */
    uint64_t indexed; /* the value in the index ... */
    uint64_t actual;  /* ... and the actual one */
};

struct assay_zstf_report {
    uint64_t chunk_instructions; /* of the header */
    uint64_t announced_index;    /* offset of the index in the header */
    enum assay_zstf_index index;
    uint64_t chunks_end;      /* offset where the frames end, and the index should be */
    uint64_t frames;          /* zstd frames, skippable ones included */
    uint64_t chunks;          /* by frames and index together, or else by the frames alone */
    uint64_t entries;         /* that the index announces */
    uint64_t entries_read;    /* fewer when the index is truncated */
    bool index_truncated;     /* the file ends inside the index */
    uint64_t entries_checked; /* checked against the frames: fewer than read when there are more
                                 than 2^18 frames */
    uint64_t pcs_checked;     /* entries whose program counter is known to be right or wrong */
    uint64_t unlisted;        /* frames that are in no chunk of the index */
    uint64_t first_unlisted;  /* offset of the first of them */
    uint64_t trailing_bytes;  /* after the index; may be counted to 1 MiB only */
    struct assay_zstf_difference offset; /* a chunk begins elsewhere */
    struct assay_zstf_difference size;   /* a chunk has another number of bytes */
    struct assay_zstf_difference pc;     /* its first instruction is at another address */
    struct assay_zstf_difference empty;  /* an entry whose chunk holds no frame; indexed is its
                                          offset,  actual where the next frame begins or all end */
    bool boundary_inside;                /* a chunk that was noted begins where no frame does ... */
    uint64_t boundary_offset;            /* ... the first such, in the decompressed trace */
};

/* The report; complete once the source was read to its end. Before that, and after an interruption,
 * only the members about the header are set. */
void assay_zstf_report(const struct assay_source *source, struct assay_zstf_report *report);

/* --- writing --- */

struct assay_zstf_writer;

/* Begins a container in the sink, which stays the caller's; chunk_instructions of 0 means
 * ASSAY_ZSTF_CHUNK_INSTRUCTIONS. The header's last number is written at the end, so the sink has to
 * be memory or a regular file: for others ASSAY_NOT_WRITABLE. */
enum assay_error assay_zstf_writer_open(struct assay_sink *sink, uint64_t chunk_instructions,
                                        struct assay_zstf_writer **writer, struct assay_diag *diag);

/* Bytes of the trace. The first error is remembered and given again by all that follows. */
enum assay_error assay_zstf_writer_write(struct assay_zstf_writer *writer, const void *data,
                                         size_t size);

/* After the record of each instruction: the program counter of the next one. */
enum assay_error assay_zstf_writer_end_instruction(struct assay_zstf_writer *writer,
                                                   uint64_t next_pc);

/* Writes the index, completes the header and frees the writer (null is allowed); the first error.
 */
enum assay_error assay_zstf_writer_close(struct assay_zstf_writer *writer);

#endif
