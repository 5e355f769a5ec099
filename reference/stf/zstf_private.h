/* What the reader of the chunked container knows: the frames that it met, and how the entries of
 * the index lie over them. */
#ifndef ASSAY_STF_ZSTF_PRIVATE_H
#define ASSAY_STF_ZSTF_PRIVATE_H

#include "common/filter_framing.h"
#include "stf/zstf.h"

/* So many frames are kept to compare the index with, and so many notes. With 10 million
 * instructions in a chunk that is a trace of 2.6e12. */
enum { STF_ZSTF_KEPT_MAX = 1 << 18 };

struct stf_zstf_frame {
    uint64_t at;            /* in the file */
    uint64_t stream_offset; /* in the decompressed trace */
    uint64_t entry;         /* 1 + the number of the entry whose chunk begins here; 0: none */
    uint64_t pc;            /* which that entry gives */
};

struct stf_zstf_note {
    uint64_t stream_offset;
    uint64_t pc;
};

struct stf_zstf_entry {
    uint64_t offset;
    uint64_t pc;
    uint64_t size;
};

struct stf_zstf {
    struct assay_source *source; /* the one over it; borrowed */
    uint64_t start;              /* of the container in what is below */
    struct assay_codec_fault header_fault;
    /* The filter's thread's until the source has ended: */
    struct stf_zstf_report report;
    struct stf_zstf_frame *frames; /* owned; kept + 1 of them once `whole` */
    size_t kept;
    size_t capacity;
    bool dropped;                /* there were more than could be kept */
    size_t chunk;                /* frame where the chunk of the last entry begins */
    struct stf_zstf_entry entry; /* the last entry; its chunk's end is not known yet */
    uint64_t listed;             /* entries whose chunk holds a frame */
    /* The reader's: */
    struct stf_zstf_note *notes; /* owned */
    size_t note_count;
    size_t note_capacity;
};

/* A frame begins, or after the last one: the chunks end. */
void stf_zstf_add_frame(struct stf_zstf *zstf, uint64_t at, uint64_t stream_offset);
void stf_zstf_end_frames(struct stf_zstf *zstf, uint64_t at, uint64_t stream_offset);

/* The entries of the index in their order, after all frames; then its end. */
void stf_zstf_add_entry(struct stf_zstf *zstf, const struct stf_zstf_entry *entry);
void stf_zstf_end_entries(struct stf_zstf *zstf);

/* Holds the notes against the entries. */
void stf_zstf_check_notes(const struct stf_zstf *zstf, struct stf_zstf_report *report);

#endif
