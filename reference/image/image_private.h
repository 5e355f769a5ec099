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

    /* Once sealed: */
    struct assay_image_view *views; /* in the order of assay_space_compare */
    size_t view_count;
    uint8_t levels, securities; /* sets of the values that images name */
    uint32_t *vmids;            /* those that images name, ascending */
    size_t vmid_count;
    uint64_t *contexts;
    size_t context_count;
};

/* Memory that the set frees; counted against what it may hold. */
enum assay_error assay_image_allocate(struct assay_image_set *set, uint64_t size, uint8_t **memory,
                                      struct assay_diag *diag);

/* Adds a segment of the image that is being added; size is not 0. Refuses one that ends after the
 * last address. */
enum assay_error assay_image_add_segment(struct assay_image_set *set, uint64_t address,
                                         uint64_t size, const uint8_t *bytes, uint64_t offset,
                                         struct assay_diag *diag);

/* Reads `size` bytes at an offset of the file. */
enum assay_error assay_image_read_file(int fd, uint64_t offset, uint64_t size, uint8_t *out,
                                       struct assay_diag *diag);

/* Adds the segments of an open ELF file and fills in what is known of it. */
enum assay_error assay_image_load_elf(struct assay_image_set *set,
                                      const struct assay_image_spec *spec, int fd,
                                      uint64_t file_size, struct assay_diag *diag);

/* The name of an e_machine, or null. */
const char *assay_image_machine_name(uint16_t machine);

#endif
