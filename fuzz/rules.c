/* A rule file of a user, read on top of the built-in catalogue. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/target.h"
#include "validator/engine/catalogue.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct assay_loaded *loaded = NULL;
    struct assay_diag diag;
    char path[64];
    const int fd = memfd_create("rules", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        return 0;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const char *const files[] = {path};
    if (assay_catalogue_load(assay_formats[0], files, 1, assay_catalogues[0], &loaded, &diag) ==
        ASSAY_OK) {
        assay_catalogue_free(loaded);
    }
    close(fd);
    return 0;
}
