/* The state of the reader of the chunked container: the frames that it has read, and which frames
 * the entries of the index cover. */
#ifndef ASSAY_ZSTF_PRIVATE_H
#define ASSAY_ZSTF_PRIVATE_H

#include "io/filter_framing.h"
#include "io/zstf.h"

/* The number of frames that are stored to compare the index with, and of notes. With 10 million
 * instructions in a chunk that is a trace of 2.6e12. */
enum { ASSAY_ZSTF_KEPT_MAX = 1 << 18 };

struct assay_zstf_frame {
    uint64_t at;            /* in the file */
    uint64_t stream_offset; /* in the decompressed trace */
    uint64_t entry;         /* 1 + the number of the entry whose chunk begins here; 0: none */
    uint64_t pc;            /* which that entry gives */
};

struct assay_zstf_note {
    uint64_t stream_offset;
    uint64_t pc;
};

struct assay_zstf_entry {
    uint64_t offset;
    uint64_t pc;
    uint64_t size;
};

struct assay_zstf {
    uint64_t start; /* of the container in what is below */
    struct assay_codec_fault header_fault;
    /* Used by the filter's thread until the source has ended: */
    struct assay_zstf_report report;
    struct assay_zstf_frame *frames; /* owned; kept + 1 of them once `whole` */
    size_t kept;
    size_t capacity;
    bool dropped;                  /* there were more than could be stored */
    size_t chunk;                  /* frame where the chunk of the last entry begins */
    struct assay_zstf_entry entry; /* the last entry; its chunk's end is not known yet */
    uint64_t listed;               /* entries whose chunk holds a frame */
    /* Used by the reader of the trace: */
    struct assay_zstf_note *notes; /* owned */
    size_t note_count;
    size_t note_capacity;
};

/* Whether the bytes begin such a container; its header, and what is between its frames. */
bool assay_zstf_matches(const uint8_t *data, size_t size);
enum assay_error assay_zstf_frame(struct assay_source *under,
                                  struct assay_container_framing *framing);

void assay_zstf_add_note(struct assay_zstf *zstf, uint64_t stream_offset, uint64_t pc);

/* Adds the beginning of a frame or, after the last one, the end of the chunks. */
void assay_zstf_add_frame(struct assay_zstf *zstf, uint64_t at, uint64_t stream_offset);
void assay_zstf_end_frames(struct assay_zstf *zstf, uint64_t at, uint64_t stream_offset);

/* Adds the entries of the index in their order, after all frames; then its end. */
void assay_zstf_add_entry(struct assay_zstf *zstf, const struct assay_zstf_entry *entry);
void assay_zstf_end_entries(struct assay_zstf *zstf);

/* Compares the notes with the entries. */
void assay_zstf_check_notes(const struct assay_zstf *zstf, struct assay_zstf_report *report);

#endif
