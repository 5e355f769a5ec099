/* Folders for what tests write. */
#ifndef ASSAY_COMMON_TESTS_FOLDER_H
#define ASSAY_COMMON_TESTS_FOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>

/* Makes a new folder, whose path is then in `path`: in memory, if there is much of it, as to remove
 * thousands of files from a disk can take minutes. Whether it was made. */
static inline bool make_test_folder(char *path, size_t size)
{
    struct statvfs memory;
    const bool has_room =
        statvfs("/dev/shm", &memory) == 0 && memory.f_bavail * memory.f_frsize >= UINT64_C(4) << 30;
    snprintf(path, size, "%s/assay-test-XXXXXX", has_room ? "/dev/shm" : "/tmp");
    return mkdtemp(path) != NULL;
}

#endif
