#include "io/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool assay_path_stays(const char *path)
{
    for (const char *p = path; *p != '\0';) {
        const size_t size = strcspn(p, "/");
        if (size == 0 || (size == 2 && p[0] == '.' && p[1] == '.')) {
            return false;
        }
        p += size + (p[size] == '/');
    }
    return path[0] != '\0';
}

const char *assay_path_part(const char *path, size_t *size)
{
    for (*size = strcspn(path, "/"); *size == 0 || (*size == 1 && path[0] == '.');
         *size = strcspn(path, "/")) {
        if (path[*size] == '\0') {
            *size = 0;
            break;
        }
        path += *size + 1;
    }
    return path;
}

void assay_path_tidy(char *path)
{
    char *const start = path + (path[0] == '/');
    char *out = start;
    size_t size = 0;
    for (const char *p = assay_path_part(start, &size); size > 0;) {
        const char *next = p + size;
        if (out != start) {
            *out++ = '/';
        }
        memmove(out, p, size);
        out += size;
        p = assay_path_part(next, &size);
    }
    if (out == path && path[0] != '\0') {
        *out++ = '.';
    }
    *out = '\0';
}

bool assay_path_ends(const char *path, size_t length)
{
    return path[length] == '\0' || (path[length] == '#' && access(path, F_OK) != 0);
}

size_t assay_path_file_length(const char *path)
{
    char file[PATH_MAX];
    for (const char *at = strchr(path, '#'); at != NULL; at = strchr(at + 1, '#')) {
        const size_t length = (size_t)(at - path);
        if (length < sizeof file && assay_path_ends(path, length)) {
            memcpy(file, path, length);
            file[length] = '\0';
            if (access(file, F_OK) == 0) {
                return length;
            }
        }
    }
    return strlen(path);
}

bool assay_path_is_below(const char *root, const char *path)
{
    const size_t length = strlen(root);
    return strncmp(path, root, length) == 0 && (path[length] == '/' || strcmp(root, "/") == 0);
}

const char *assay_temporary_folder(void)
{
    const char *given = getenv("TMPDIR");
    return given != NULL && given[0] != '\0' ? given : "/tmp";
}

FILE *assay_temporary_file(void)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/assay-XXXXXX", assay_temporary_folder()) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    const int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) {
        return NULL;
    }
    unlink(path);
    FILE *file = fdopen(fd, "w+");
    if (file == NULL) {
        const int why = errno;
        close(fd);
        errno = why;
    }
    return file;
}
