/* Files in memory, by paths: for what is read by the name of a file. */
#ifndef ASSAY_FUZZ_FILES_H
#define ASSAY_FUZZ_FILES_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/target.h"

/* A file, the same one in each run of the target. */
struct memory_file {
    int fd;
    char path[32];
};

static inline const char *memory_file_write(struct memory_file *file, const void *data, size_t size)
{
    if (file->path[0] == '\0') {
        file->fd = memfd_create("fuzz", MFD_CLOEXEC);
        require(file->fd >= 0);
        snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->fd);
    }
    require(ftruncate(file->fd, 0) == 0);
    require(pwrite(file->fd, data, size, 0) == (ssize_t)size);
    return file->path;
}

/* A part of an input: up to the next byte 1, or to the end. */
struct part {
    const char *text;
    size_t size;
};

static inline struct part next_part(struct part *rest)
{
    const char *end = rest->size > 0 ? memchr(rest->text, 1, rest->size) : NULL;
    const struct part part = {rest->text, end != NULL ? (size_t)(end - rest->text) : rest->size};
    const size_t taken = part.size + (end != NULL);
    rest->text += taken;
    rest->size -= taken;
    return part;
}

#endif
