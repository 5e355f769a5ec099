#include "image/image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/image_private.h"

const uint8_t assay_image_zeros[ASSAY_IMAGE_ZERO_BYTES];

static enum assay_error no_memory(struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

/* Makes room for one more element; null when memory is out, the array stays as it is. */
static void *grow(void *array, size_t count, size_t *capacity, size_t element)
{
    if (count < *capacity) {
        return array;
    }
    const size_t more = *capacity > 0 ? *capacity * 2 : 16;
    void *grown = realloc(array, more * element);
    if (grown != NULL) {
        *capacity = more;
    }
    return grown;
}

enum assay_error assay_image_set_open(const struct assay_image_options *options,
                                      struct assay_image_set **set)
{
    *set = calloc(1, sizeof **set);
    if (*set == NULL) {
        return ASSAY_NO_MEMORY;
    }
    if (options != NULL) {
        (*set)->options = *options;
    }
    if ((*set)->options.max_bytes == 0) {
        (*set)->options.max_bytes = ASSAY_IMAGE_MAX_BYTES;
    }
    if ((*set)->options.max_compared == 0) {
        (*set)->options.max_compared = ASSAY_IMAGE_MAX_COMPARED;
    }
    return ASSAY_OK;
}

void assay_image_set_free(struct assay_image_set *set)
{
    if (set == NULL) {
        return;
    }
    for (size_t i = 0; i < set->memory_count; i++) {
        free(set->memory[i]);
    }
    free(set->memory);
    free(set->images);
    free(set->segments);
    free(set->views);
    free(set->vmids);
    free(set->contexts);
    free(set->changes);
    free(set);
}

enum assay_error assay_image_set_timeline(struct assay_image_set *set,
                                          const struct assay_timeline *timeline)
{
    if (set->sealed || set->image_count > 0) {
        return ASSAY_USAGE;
    }
    if (timeline->moments > ASSAY_MOMENTS_MAX || timeline->write_count > ASSAY_WRITES_MAX) {
        return ASSAY_LIMIT;
    }
    set->timeline = timeline;
    return ASSAY_OK;
}

const struct assay_timeline *assay_image_timeline(const struct assay_image_set *set)
{
    return set != NULL ? set->timeline : NULL;
}

size_t assay_image_count(const struct assay_image_set *set)
{
    return set->image_count;
}

const struct assay_image_info *assay_image_info(const struct assay_image_set *set, size_t number)
{
    return &set->images[number];
}

enum assay_error assay_image_allocate(struct assay_image_set *set, uint64_t size, uint8_t **memory,
                                      struct assay_diag *diag)
{
    if (size > set->options.max_bytes - set->bytes_used) {
        assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                   "all images together have more than %" PRIu64 " bytes", set->options.max_bytes);
        return ASSAY_LIMIT;
    }
    if (set->options.left != NULL && size > *set->options.left) {
        return assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                          "the images of all streams together have more bytes than are allowed");
    }
    void **list = grow(set->memory, set->memory_count, &set->memory_capacity, sizeof *list);
    if (list == NULL) {
        return no_memory(diag);
    }
    set->memory = list;
    *memory = calloc((size_t)size + 1, 1); /* never 0 */
    if (*memory == NULL) {
        return no_memory(diag);
    }
    list[set->memory_count++] = *memory;
    set->bytes_used += size;
    if (set->options.left != NULL) {
        *set->options.left -= size;
    }
    return ASSAY_OK;
}

enum assay_error assay_image_add_segment(struct assay_image_set *set, uint64_t address,
                                         uint64_t size, const uint8_t *bytes, uint64_t offset,
                                         struct assay_diag *diag)
{
    if (size - 1 > UINT64_MAX - address) {
        return assay_fail(diag, ASSAY_OUT_OF_RANGE, ASSAY_NO_OFFSET,
                          "%" PRIu64 " bytes from address 0x%" PRIx64
                          " on go beyond the last address",
                          size, address);
    }
    if (set->segment_count == ASSAY_IMAGE_MAX_SEGMENTS) {
        return assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                          "all images together have more than %d segments",
                          ASSAY_IMAGE_MAX_SEGMENTS);
    }
    struct assay_image_segment *list =
        grow(set->segments, set->segment_count, &set->segment_capacity, sizeof *list);
    if (list == NULL) {
        return no_memory(diag);
    }
    set->segments = list;
    list[set->segment_count++] = (struct assay_image_segment){
        .space = set->images[set->image_count].space,
        .first = address,
        .last = address + (size - 1),
        .bytes = bytes,
        .offset = offset,
        .image = (uint32_t)set->image_count,
    };
    set->images[set->image_count].bytes += size;
    return ASSAY_OK;
}

static enum assay_error fail_shorter(uint64_t offset, struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_TRUNCATED, offset, "the file became shorter while it was read");
}

static enum assay_error read_piece(int fd, uint64_t offset, size_t size, uint8_t *out,
                                   struct assay_diag *diag)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t n = pread(fd, out + done, size - done, (off_t)(offset + done));
        if (n < 0 && errno != EINTR) {
            return assay_fail(diag, ASSAY_READ_FAILED, offset + done, "cannot be read: %s",
                              strerror(errno));
        }
        if (n == 0) {
            return fail_shorter(offset + done, diag);
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return ASSAY_OK;
}

/* From which offset on the file has other bytes than zeros, as far as its file system says so;
 * `end` if there are none before it. */
static uint64_t next_data(int fd, uint64_t offset, uint64_t end)
{
    const off_t data = lseek(fd, (off_t)offset, SEEK_DATA);
    const uint64_t next = data >= 0 ? (uint64_t)data : errno == ENXIO ? end : offset;
    return next < end ? next : end;
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

enum assay_error assay_image_read_file(int fd, uint64_t offset, uint64_t size, uint8_t *out,
                                       struct assay_diag *diag)
{
    enum { PIECE = 1 << 14 };
    uint8_t piece[PIECE];
    struct stat st;
    const uint64_t end = offset + size;
    uint64_t at = next_data(fd, offset, end);
    while (at < end) {
        const size_t length = end - at < PIECE ? (size_t)(end - at) : PIECE;
        const enum assay_error error = read_piece(fd, at, length, piece, diag);
        if (error != ASSAY_OK) {
            return error;
        }
        if (!is_zero(piece, length)) {
            memcpy(out + (at - offset), piece, length);
        }
        at = next_data(fd, at + length, end);
    }
    /* Zeros at the end were not read. */
    return fstat(fd, &st) == 0 && (uint64_t)st.st_size < end ? fail_shorter(end, diag) : ASSAY_OK;
}

static enum assay_error load_raw(struct assay_image_set *set, const struct assay_image_spec *spec,
                                 int fd, uint64_t file_size, struct assay_diag *diag)
{
    if (!spec->has_address) {
        assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET,
                   "this is no ELF file, and raw bytes need the address of the first one");
        assay_diag_hint(diag, "FILE@ADDRESS, or `at: ADDRESS` in a manifest");
        return ASSAY_USAGE;
    }
    const uint64_t left = spec->offset < file_size ? file_size - spec->offset : 0;
    const uint64_t size = spec->length > 0 ? spec->length : left;
    if (size > left) {
        return assay_fail(diag, ASSAY_TRUNCATED, ASSAY_NO_OFFSET,
                          "the file has %" PRIu64 " bytes from offset %" PRIu64
                          " on, not the %" PRIu64 " that it should have",
                          left, spec->offset, size);
    }
    if (size == 0) {
        return assay_fail(diag, ASSAY_TRUNCATED, ASSAY_NO_OFFSET,
                          "the file has no byte from offset %" PRIu64 " on", spec->offset);
    }
    uint8_t *memory = NULL;
    enum assay_error error = assay_image_allocate(set, size, &memory, diag);
    if (error == ASSAY_OK) {
        error = assay_image_read_file(fd, spec->offset, size, memory, diag);
    }
    if (error == ASSAY_OK) {
        error = assay_image_add_segment(set, spec->address, size, memory, spec->offset, diag);
    }
    return error;
}

static enum assay_error load_bytes(struct assay_image_set *set, const struct assay_image_spec *spec,
                                   const void *data, size_t size, struct assay_diag *diag)
{
    if (size == 0) {
        return assay_fail(diag, ASSAY_TRUNCATED, ASSAY_NO_OFFSET, "the image has no byte");
    }
    uint8_t *memory = NULL;
    const enum assay_error error = assay_image_allocate(set, size, &memory, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    memcpy(memory, data, size);
    return assay_image_add_segment(set, spec->address, size, memory, 0, diag);
}

static enum assay_error system_error(struct assay_diag *diag, int why)
{
    return assay_fail(diag, why == ENOENT || why == ENOTDIR ? ASSAY_NOT_FOUND : ASSAY_NOT_READABLE,
                      ASSAY_NO_OFFSET, "cannot be read: %s", strerror(why));
}

static enum assay_error load_descriptor(struct assay_image_set *set,
                                        const struct assay_image_spec *spec, int fd,
                                        struct assay_diag *diag)
{
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return system_error(diag, errno);
    }
    if (!S_ISREG(st.st_mode)) {
        return assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET,
                          "cannot be read: an image has to be a regular file");
    }
    const uint64_t size = (uint64_t)st.st_size;
    uint8_t magic[SELFMAG] = {0};
    const ssize_t n = pread(fd, magic, sizeof magic, 0);
    const bool elf = n == SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0;
    if (spec->kind == ASSAY_IMAGE_ELF && !elf) {
        return assay_fail(diag, ASSAY_CORRUPT, ASSAY_NO_OFFSET, "this is no ELF file");
    }
    return elf && spec->kind != ASSAY_IMAGE_RAW ? assay_image_load_elf(set, spec, fd, size, diag)
                                                : load_raw(set, spec, fd, size, diag);
}

static enum assay_error load_path(struct assay_image_set *set, const struct assay_image_spec *spec,
                                  struct assay_diag *diag)
{
    /* Opening a named pipe must not wait for its writer, as it is refused anyway. */
    const int fd = open(spec->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) {
        return system_error(diag, errno);
    }
    const enum assay_error error = load_descriptor(set, spec, fd, diag);
    close(fd);
    return error;
}

/* A copy of the path that the set owns. It is not counted as memory of the program. */
static char *keep_path(struct assay_image_set *set, const char *path)
{
    void **list = grow(set->memory, set->memory_count, &set->memory_capacity, sizeof *list);
    if (list == NULL) {
        return NULL;
    }
    set->memory = list;
    char *copy = strndup(path, ASSAY_IMAGE_PATH_MAX);
    if (copy != NULL) {
        list[set->memory_count++] = copy;
    }
    return copy;
}

static enum assay_error begin_image(struct assay_image_set *set,
                                    const struct assay_image_spec *spec, struct assay_diag *diag)
{
    if (set->sealed) {
        return assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET, "the set of images is sealed");
    }
    if (((spec->space.given & ASSAY_SPACE_EL) != 0 && spec->space.el > ASSAY_EL_MAX) ||
        ((spec->space.given & ASSAY_SPACE_SECURITY) != 0 &&
         spec->space.security >= ASSAY_SECURITY_COUNT)) {
        return assay_fail(diag, ASSAY_OUT_OF_RANGE, ASSAY_NO_OFFSET,
                          "there is no such exception level or security state");
    }
    struct assay_image_info *images =
        grow(set->images, set->image_count, &set->image_capacity, sizeof *images);
    if (images == NULL) {
        return no_memory(diag);
    }
    set->images = images;
    const char *path = keep_path(set, spec->path);
    if (path == NULL) {
        return no_memory(diag);
    }
    images[set->image_count] = (struct assay_image_info){
        .path = path,
        .kind = ASSAY_IMAGE_RAW,
        .space = assay_space_restrict(&spec->space, ASSAY_SPACE_ALL),
        .written = spec->written,
        .undated = spec->undated,
    };
    return ASSAY_OK;
}

/* Adds a file, or bytes when data is not null: all of it or nothing. */
static enum assay_error add(struct assay_image_set *set, const struct assay_image_spec *spec,
                            const void *data, size_t size, struct assay_diag *diag)
{
    const size_t segments = set->segment_count;
    const size_t memory = set->memory_count;
    const uint64_t held = set->bytes_used;
    enum assay_error error = begin_image(set, spec, diag);
    if (error == ASSAY_OK) {
        error = data != NULL ? load_bytes(set, spec, data, size, diag) : load_path(set, spec, diag);
    }
    if (error == ASSAY_OK) {
        set->image_count++;
        return ASSAY_OK;
    }
    while (set->memory_count > memory) {
        free(set->memory[--set->memory_count]);
    }
    set->segment_count = segments;
    if (set->options.left != NULL) {
        *set->options.left += set->bytes_used - held;
    }
    set->bytes_used = held;
    assay_diag_path(diag, spec->path);
    return error;
}

enum assay_error assay_image_add(struct assay_image_set *set, const struct assay_image_spec *spec,
                                 struct assay_diag *diag)
{
    return add(set, spec, NULL, 0, diag);
}

enum assay_error assay_image_add_bytes(struct assay_image_set *set,
                                       const struct assay_image_spec *spec, const void *data,
                                       size_t size, struct assay_diag *diag)
{
    return add(set, spec, data != NULL ? data : assay_image_zeros, data != NULL ? size : 0, diag);
}
