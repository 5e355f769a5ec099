#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum assay_error fail_errno(struct assay_diag *diag, int why)
{
    return assay_fail(diag,
                      why == ENOENT   ? ASSAY_NOT_FOUND
                      : why == ENOMEM ? ASSAY_NO_MEMORY
                                      : ASSAY_NOT_READABLE,
                      ASSAY_NO_OFFSET, "cannot be read: %s", strerror(why));
}

static enum assay_error check_type(int fd, bool any, struct assay_diag *diag)
{
    struct stat status;
    if (fstat(fd, &status) != 0) {
        return fail_errno(diag, errno);
    }
    if (S_ISDIR(status.st_mode)) {
        return assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET, "is a directory");
    }
    if (!any && !S_ISREG(status.st_mode)) {
        assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET, "is no regular file");
        if (S_ISFIFO(status.st_mode)) {
            assay_diag_hint(diag, "a shell hands over what a command writes as <(COMMAND)");
        }
        return ASSAY_NOT_READABLE;
    }
    return ASSAY_OK;
}

enum assay_error assay_file_open(const char *path, FILE **file, struct assay_diag *diag)
{
    const bool any = strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (any ? 0 : O_NONBLOCK));
    *file = NULL;
    if (fd < 0) {
        return fail_errno(diag, errno);
    }
    const enum assay_error error = check_type(fd, any, diag);
    *file = error == ASSAY_OK ? fdopen(fd, "rb") : NULL;
    if (*file == NULL) {
        const int why = errno;
        close(fd);
        return error != ASSAY_OK ? error : fail_errno(diag, why);
    }
    return ASSAY_OK;
}
