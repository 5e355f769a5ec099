/* A program image, as an ELF file if it begins as one: added by each reading, sealed, and read
 * where its segments may begin and end. What is shown must lie in memory. */
#include "image/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/target.h"

/* Reads all bytes that are shown from an address on, up to a limit. */
static unsigned touch(struct assay_image_cursor *cursor, uint64_t address)
{
    enum { LIMIT = 1 << 16 };
    unsigned sum = 0;
    size_t available;
    const uint8_t *bytes = assay_image_at(cursor, address, &available);
    if ((bytes == NULL) != (available == 0)) {
        abort();
    }
    for (size_t i = 0; i < available && i < LIMIT; i++) {
        sum += bytes[i];
    }
    return sum + (available > 0 ? bytes[available - 1] : 0);
}

static void read_image(const char *path, const char *options, const uint8_t *data, size_t size)
{
    struct assay_image_set *set = NULL;
    struct assay_image_spec spec;
    struct assay_diag diag;
    char text[96];
    snprintf(text, sizeof text, "%s%s", path, options);
    if (assay_image_option(text, &spec, &diag) != ASSAY_OK ||
        assay_image_set_open(NULL, &set) != ASSAY_OK) {
        abort();
    }
    (void)assay_image_add(set, &spec, &diag);
    (void)assay_image_add(set, &spec, &diag);
    if (assay_image_set_seal(set, &diag) != ASSAY_OK) {
        abort(); /* a file agrees with itself */
    }
    struct assay_image_cursor cursor;
    assay_image_cursor_open(&cursor, set);
    unsigned sum = 0;
    for (size_t at = 0; at + 8 <= size && at < 1024; at += 4) {
        uint64_t address = 0;
        for (unsigned i = 0; i < 8; i++) {
            address |= (uint64_t)data[at + i] << 8 * i;
        }
        sum += touch(&cursor, address) + touch(&cursor, address & UINT32_MAX) +
               touch(&cursor, address - 1);
    }
    uint8_t buffer[64];
    sum += (unsigned)assay_image_copy(&cursor, sum, buffer, sizeof buffer);
    assay_image_set_free(set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[32];
    const int fd = memfd_create("image", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        return 0;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    read_image(path, "", data, size);
    read_image(path, "@0x7fffff00,bss=absent", data, size);
    read_image(path, "@0xffffffffffffff00,raw", data, size);
    close(fd);
    return 0;
}
