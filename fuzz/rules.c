/* A rule file of a user, read on top of the built-in catalogue of each format. */
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
    for (size_t i = 0; assay_catalogues[i] != NULL; i++) {
        if (assay_catalogue_load(assay_catalogues[i]->format, files, 1, assay_catalogues[i],
                                 &loaded, &diag) == ASSAY_OK) {
            assay_catalogue_free(loaded);
        }
    }
    close(fd);
    return 0;
}
