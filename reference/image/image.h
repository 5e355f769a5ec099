/* The memory of the traced program, from files: ELF files and raw bytes at an address.
 *
 * A set is opened, images are added, and it is sealed; then it never changes and any number of
 * threads may read it. An address that no image holds is absent: this is reported by a separate
 * error (ASSAY_ABSENT) or a null pointer, and never read as zero.
 *
 * Which image is read. An image is visible in a space that gives all selectors of the image with
 * the same values; one without selectors is visible everywhere. So an image of `vmid=3` is not
 * visible where the VMID is not known. Of several visible images that hold an address the more
 * specific one is read: the one that has all selectors of the other and more. Images of which
 * neither is more specific than the other, but which can be visible together (those of one space,
 * or of `el=1` and `nonsecure`), must agree on every byte that both hold: otherwise the set cannot
 * be sealed. This applies even if a third, more specific image hides the address.
 */
#ifndef ASSAY_IMAGE_IMAGE_H
#define ASSAY_IMAGE_IMAGE_H

#include "common/error.h"
#include "image/timeline.h"

enum {
    ASSAY_IMAGE_PATH_MAX = 4096,
    ASSAY_IMAGE_MAX_SEGMENTS = 16384, /* of all images of a set */
    ASSAY_IMAGE_MAX_SPACES = 4096     /* different ones that images of a set name */
};

/* The default limit of a set's memory: 1 GiB. Zero-filled segments do not count. */
#define ASSAY_IMAGE_MAX_BYTES ((uint64_t)1 << 30)

/* The default limit of the bytes that sealing compares where images of several spaces hold the same
 * addresses; this takes some seconds. */
#define ASSAY_IMAGE_MAX_COMPARED ((uint64_t)1 << 35)

enum assay_image_kind {
    ASSAY_IMAGE_AUTO, /* an ELF file when it begins as one, else raw */
    ASSAY_IMAGE_ELF,
    ASSAY_IMAGE_RAW
};

/* The memory at the end of an ELF segment for which the file has no bytes (p_memsz > p_filesz). */
enum assay_image_bss {
    ASSAY_IMAGE_BSS_ZERO,  /* memory that is present and zero, as a loader makes it */
    ASSAY_IMAGE_BSS_ABSENT /* unknown: for memory that was saved, or was not cleared */
};

/* An image to be added. Plain data. Zero-initialised except for the path it is a file of any kind
 * that is visible everywhere. */
struct assay_image_spec {
    char path[ASSAY_IMAGE_PATH_MAX];
    enum assay_image_kind kind;
    bool has_address;
    uint64_t address; /* raw: of the first byte, required. ELF of type ET_DYN: added to every
                         p_vaddr. ELF of type ET_EXEC: must not be given */
    uint64_t offset;  /* raw: of the first byte in the file */
    uint64_t length;  /* raw: in bytes; 0: to the end of the file */
    struct assay_space space;
    enum assay_image_bss bss;
    /* In a set with a timeline: */
    bool written; /* it is there only where a write of the timeline says so */
    bool undated; /* it is of a time that is not known: nothing of it is read where the timeline
                     changes its addresses, except for ASSAY_CONTENT_UNDATED */
};

/* Reads FILE[@ADDRESS][,el=N][,secure|nonsecure|realm|root][,vmid=N][,context=N][,elf|raw]
 * [,bss=zero|absent][,offset=N][,length=N], the argument of --image. What follows the last @ is the
 * address when it begins with a digit, else a part of the name; a name with a comma cannot be given
 * so. ASSAY_USAGE, ASSAY_UNKNOWN_NAME, ASSAY_OUT_OF_RANGE or ASSAY_DUPLICATE says what is wrong;
 * diag->offset is where in the text. */
enum assay_error assay_image_option(const char *text, struct assay_image_spec *spec,
                                    struct assay_diag *diag);

struct assay_image_options {
    uint64_t max_bytes;    /* held in memory; 0: ASSAY_IMAGE_MAX_BYTES */
    uint64_t max_compared; /* bytes that sealing compares; 0: ASSAY_IMAGE_MAX_COMPARED */
    /* How many bytes several sets can hold together yet, counted down by each of them; null: as
     * many as each of them can. */
    uint64_t *left;
};

struct assay_image_set;

/* An empty set. options may be null; what it points to must outlive the set. */
enum assay_error assay_image_set_open(const struct assay_image_options *options,
                                      struct assay_image_set **set);

/* Has the memory of the set change in time, before any image is added. The timeline must outlive
 * the set. The contexts of images are then those that the timeline leads to. */
enum assay_error assay_image_set_timeline(struct assay_image_set *set,
                                          const struct assay_timeline *timeline);

/* Null where nothing changes, or there is no set. */
const struct assay_timeline *assay_image_timeline(const struct assay_image_set *set);

/* Adds a regular file. It is read, not mapped, so that a file that is cut short later cannot raise
 * a signal; of an ELF file only its headers and its PT_LOAD segments are read. When it fails,
 * nothing of the file is in the set; diag names the file.
 *
 *   ASSAY_NOT_FOUND, ASSAY_NOT_READABLE: as assay_source_open, or no regular file
 *
 *   ASSAY_UNSUPPORTED: ELF that is big-endian, relocatable or a core
 *
 *   ASSAY_TRUNCATED: the file ends before its headers or a segment do
 *
 *   ASSAY_CORRUPT: headers that contradict each other, or no ELF file although it is said to be one
 *
 *   ASSAY_USAGE: no address for a raw file, one for ET_EXEC, or the set is sealed
 *
 *   ASSAY_LIMIT, ASSAY_OUT_OF_RANGE, ASSAY_READ_FAILED, ASSAY_NO_MEMORY */
enum assay_error assay_image_add(struct assay_image_set *set, const struct assay_image_spec *spec,
                                 struct assay_diag *diag);

/* Adds a copy of bytes; spec->path is their name in messages, spec->address is used. */
enum assay_error assay_image_add_bytes(struct assay_image_set *set,
                                       const struct assay_image_spec *spec, const void *data,
                                       size_t size, struct assay_diag *diag);

/* Ends adding. ASSAY_CONTRADICTION: two images disagree (see above); diag names both files and the
 * first address. ASSAY_LIMIT: too many spaces, too much to compare, or too many changes of the same
 * addresses. Only a sealed set can be read. */
enum assay_error assay_image_set_seal(struct assay_image_set *set, struct assay_diag *diag);

/* Null is allowed. */
void assay_image_set_free(struct assay_image_set *set);

/* The properties of image number n, in the order of adding. */
struct assay_image_info {
    const char *path; /* the set's */
    enum assay_image_kind kind;
    uint16_t machine; /* e_machine of an ELF file, else 0 */
    uint8_t bits;     /* 32 or 64 for an ELF file, else 0 */
    uint64_t entry;   /* of an ELF file, with the address added; else 0 */
    uint64_t bytes;   /* present in memory, zero-filled ones included */
    struct assay_space space;
    bool written, undated; /* as of the spec */
};

size_t assay_image_count(const struct assay_image_set *set);
const struct assay_image_info *assay_image_info(const struct assay_image_set *set, size_t number);

/* Checks that all ELF files of a set are of one of these machines (e_machine); with a count of 0
 * any machine is accepted. ASSAY_UNSUPPORTED otherwise, and diag names the file. */
enum assay_error assay_image_check_machines(const struct assay_image_set *set,
                                            const uint16_t *machines, size_t count,
                                            struct assay_diag *diag);

/* Between which moments what was read stays as it is: a run that was decoded can be used again
 * wherever the span has the window of the reader. */
struct assay_image_span {
    uint32_t from, until; /* moments */
    bool merged;          /* it is what different contents agree on: in this very window */
};

/* Why an address is absent. */
enum assay_absence {
    ASSAY_ABSENCE_UNMAPPED, /* no image has it */
    ASSAY_ABSENCE_CHANGING, /* it changes, and whether it has changed already is not known */
    ASSAY_ABSENCE_UNKNOWN   /* its content is not known */
};

/* A reader's position: the selected space, and the memory that was found last. Owns nothing; one
 * for each thread; the members are private, except for `number`, `moments`, `span` and `absence`.
 */
struct assay_image_cursor {
    const struct assay_image_set *set;
    uint64_t first;       /* address of the memory that was found last */
    uint64_t length;      /* of it in bytes; 0: none yet */
    const uint8_t *bytes; /* of it */
    uint32_t number;      /* of the space */
    bool has_views;       /* `views` are those that a space with this number sees */
    uint16_t view_count;
    uint16_t hidden_count;
    uint16_t views[ASSAY_SPACE_SUBSETS];  /* what is visible, the more specific ones first */
    uint16_t hidden[ASSAY_SPACE_SUBSETS]; /* of several contexts, one of which is visible */
    /* In a set with a timeline: */
    struct assay_moments moments; /* of the moments at which it may be */
    bool ambiguous;               /* which images the context sees is not known: what is read is not
                                     told by `number`, and is in no cache */
    bool blind;                   /* nothing is known of it at all */
    struct assay_image_span span; /* of what was read since it began */
    enum assay_absence absence;   /* of the address that was not found last */
    struct assay_space space;     /* that was selected */
};

/* Opens a cursor over a sealed set, in the space without selectors, at any time. A null set has no
 * memory. */
void assay_image_cursor_open(struct assay_image_cursor *cursor, const struct assay_image_set *set);

/* Goes to a window of moments; one that ends after the last moment is that up to it. */
void assay_image_select_moments(struct assay_image_cursor *cursor, struct assay_moments window);

/* Begins a span. */
static inline void assay_image_begin_span(struct assay_image_cursor *cursor)
{
    cursor->length = 0; /* what it has found is not in the span yet */
    cursor->span = (struct assay_image_span){.until = UINT32_MAX};
}

/* Whether what was read in a span is what the cursor would read now, in the space of that number.
 */
static inline bool assay_image_in_span(const struct assay_image_cursor *cursor,
                                       const struct assay_image_span *span)
{
    return span->merged ? cursor->moments.low == span->from && cursor->moments.high == span->until
                        : span->from <= cursor->moments.low && cursor->moments.high <= span->until;
}

/* Selects the space for further reads and returns its number: two spaces have the same number only
 * if the same memory is visible in them, so that the number can be used as the key of a cache.
 * Numbers are below 2^32 - 1; 0 is that of a space of which no image names a selector. */
uint32_t assay_image_select(struct assay_image_cursor *cursor, const struct assay_space *space);

/* The same by a number that assay_image_select returned for a cursor of this set: for reading in
 * the space of another cursor, as when a run is expanded after the space has changed. Free of cost
 * if the cursor is in that space already. */
void assay_image_select_number(struct assay_image_cursor *cursor, uint32_t number);

/* The same in the window of the other cursor. Where that was ambiguous only what it could read can
 * be read again. */
void assay_image_select_again(struct assay_image_cursor *cursor, uint32_t number,
                              struct assay_moments window);

/* Private to assay_image_at. */
const uint8_t *assay_image_find(struct assay_image_cursor *cursor, uint64_t address,
                                size_t *available);

/* The bytes from an address on, in the set's memory, valid as long as the set: *available of them
 * are contiguous there, at least 1. Null when the address is absent; *available is then 0, and
 * cursor->absence says why. More memory may follow in another segment: what must be read across the
 * end of one (an instruction) is read by assay_image_copy. */
static inline const uint8_t *assay_image_at(struct assay_image_cursor *cursor, uint64_t address,
                                            size_t *available)
{
    const uint64_t from = address - cursor->first;
    if (from < cursor->length) {
        *available = (size_t)(cursor->length - from);
        return cursor->bytes + from;
    }
    return assay_image_find(cursor, address, available);
}

/* Copies up to `size` bytes from an address on; the result is how many there are before the first
 * one that is absent. Addresses do not wrap. */
size_t assay_image_copy(struct assay_image_cursor *cursor, uint64_t address, void *buffer,
                        size_t size);

/* The same without a cursor: ASSAY_OK when all `size` bytes are present, ASSAY_ABSENT when one is
 * not, or the set is null. *have is the number before it; the rest of the buffer is not written. */
enum assay_error assay_image_read(const struct assay_image_set *set,
                                  const struct assay_space *space, uint64_t address, void *buffer,
                                  size_t size, size_t *have);

/* Where the byte at an address comes from, for messages. */
struct assay_image_origin {
    const struct assay_image_info *image; /* null: bytes of the timeline */
    uint64_t offset;                      /* in the file; 0 for zero-filled memory */
    bool zero_filled;                     /* the file has no byte for it */
};

/* False when the address is absent. */
bool assay_image_locate(struct assay_image_cursor *cursor, uint64_t address,
                        struct assay_image_origin *origin);

#endif
