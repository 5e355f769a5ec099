/* What the files of reference/image share. */
#ifndef ASSAY_IMAGE_IMAGE_PRIVATE_H
#define ASSAY_IMAGE_IMAGE_PRIVATE_H

#include "image/image.h"

/* Zero-filled memory is shown through this many bytes of zeros at a time. A power of two. */
enum { ASSAY_IMAGE_ZERO_BYTES = 4096 };

extern const uint8_t assay_image_zeros[ASSAY_IMAGE_ZERO_BYTES];

/* Contiguous memory. The last address and not the end is stored, as the end may be 2^64. */
struct assay_image_segment {
    struct assay_space space;
    uint64_t first, last; /* addresses */
    const uint8_t *bytes; /* in memory of the set; null: zero-filled */
    uint64_t offset;      /* of `bytes` in the file */
    uint32_t image;       /* number of the image */
    /* Once a set with a timeline is sealed: the contents of these addresses in the order of time;
     * they change at each, and before the first nothing is mapped. 0: the members above hold. */
    uint32_t change, change_count;
};

/* A content of addresses from a moment on. */
struct assay_image_change {
    uint32_t moment;
    uint32_t image;
    enum assay_content content; /* NOTHING, UNKNOWN, BYTES; or UNDATED: what undated images of less
                                   specific spaces have */
    const uint8_t *bytes;       /* as of a segment */
    uint64_t offset;
};

/* The segments of one space: sorted, none overlaps another. */
struct assay_image_view {
    struct assay_space space;
    size_t begin, end; /* in the list of segments */
};

struct assay_image_set {
    struct assay_image_options options;
    bool sealed;
    uint64_t bytes_compared; /* when it was sealed */
    uint64_t bytes_used;

    struct assay_image_info *images;
    size_t image_count, image_capacity;
    struct assay_image_segment *segments;
    size_t segment_count, segment_capacity;
    void **memory; /* to be freed */
    size_t memory_count, memory_capacity;
    const struct assay_timeline *timeline; /* or null */

    /* Once sealed: */
    struct assay_image_view *views; /* in the order of assay_space_compare */
    size_t view_count;
    uint16_t subsets;           /* set of the sets of selectors that the views have */
    uint8_t levels, securities; /* sets of the values that images name */
    uint32_t *vmids;            /* those that images name, ascending */
    size_t vmid_count;
    uint64_t *contexts;
    size_t context_count;
    struct assay_image_change *changes;
    size_t change_count, change_capacity;
};

/* Makes the views of a set with a timeline (image_timed.c): of each space disjoint segments, and
 * what changes in them. */
enum assay_error assay_image_make_timed_views(struct assay_image_set *set, struct assay_diag *diag);

/* What changing addresses hold for a cursor, at one of them; and the bounds within which this is
 * so. Null: nothing is mapped (UNMAPPED), or it cannot be told. */
const struct assay_image_change *assay_image_at_window(struct assay_image_cursor *cursor,
                                                       const struct assay_image_segment *segment,
                                                       uint64_t address, uint64_t *first,
                                                       uint64_t *last);

/* Whether two images disagree on addresses that both hold, and on which first. What is compared is
 * counted. */
bool assay_image_differ(struct assay_image_set *set, const struct assay_image_segment *a,
                        const struct assay_image_segment *b, uint64_t *address);

/* ASSAY_CONTRADICTION, with the names of both images. */
enum assay_error assay_image_disagree(const struct assay_image_set *set,
                                      const struct assay_image_segment *a,
                                      const struct assay_image_segment *b, uint64_t address,
                                      struct assay_diag *diag);

/* Memory of zeros that the set frees; counted against what it may hold. Of a large one what is not
 * written takes no memory of the machine. */
enum assay_error assay_image_allocate(struct assay_image_set *set, uint64_t size, uint8_t **memory,
                                      struct assay_diag *diag);

/* Adds a segment of the image that is being added; size is not 0. Refuses one that ends after the
 * last address. */
enum assay_error assay_image_add_segment(struct assay_image_set *set, uint64_t address,
                                         uint64_t size, const uint8_t *bytes, uint64_t offset,
                                         struct assay_diag *diag);

/* Reads `size` bytes at an offset of the file, to memory that is zero. Pages of zeros are not
 * written, holes of a sparse file not even read. */
enum assay_error assay_image_read_file(int fd, uint64_t offset, uint64_t size, uint8_t *out,
                                       struct assay_diag *diag);

/* Adds the segments of an open ELF file and fills in what is known of it. */
enum assay_error assay_image_load_elf(struct assay_image_set *set,
                                      const struct assay_image_spec *spec, int fd,
                                      uint64_t file_size, struct assay_diag *diag);

/* The name of an e_machine, or null. */
const char *assay_image_machine_name(uint16_t machine);

#endif
