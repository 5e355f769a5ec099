#include "io/replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_LINKS = 40, MOST_NAMES = 1000, LINK_TEXT = 4096 };

struct assay_replacement {
    char *target;    /* the path, with its last links followed */
    char *temporary; /* a path in the same folder */
    bool replaces;   /* there is a file, which must not be lost */
    bool named;      /* the new file is there */
};

/* The length of the part of a path that names the folder, with the slash. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* A new text: what `name` is in the folder of `path`, or `name` when that is absolute. */
static char *beside(const char *path, const char *name)
{
    char *joined = NULL;
    const int length = name[0] == '/' ? 0 : (int)folder_length(path);
    return asprintf(&joined, "%.*s%s", length, path, name) >= 0 ? joined : NULL;
}

char *assay_replacement_target(const char *path, int *error)
{
    char *target = strdup(path);
    char link[LINK_TEXT];
    for (int i = 0; target != NULL; i++) {
        const ssize_t n = readlink(target, link, sizeof link - 1);
        if (n < 0) {
            return target;
        }
        link[n] = '\0';
        char *next = i < MOST_LINKS ? beside(target, link) : NULL;
        *error = i < MOST_LINKS ? ENOMEM : ELOOP;
        free(target);
        target = next;
    }
    return NULL;
}

/* Another name to try, which nothing else has. */
static bool next_name(struct assay_replacement *r, int number)
{
    char name[64];
    snprintf(name, sizeof name, ".assay-%ld-%d.tmp", (long)getpid(), number);
    free(r->temporary);
    r->temporary = beside(r->target, name);
    return r->temporary != NULL;
}

/* The path by which a file without a name gets one; there is none where /proc is not mounted. */
enum { DESCRIPTOR_PATH = 40 };
static void descriptor_path(int fd, char path[DESCRIPTOR_PATH])
{
    snprintf(path, DESCRIPTOR_PATH, "/proc/self/fd/%d", fd);
}

/* A file without a name, which vanishes with the process, however that ends. EOPNOTSUPP: it could
 * not get a name. */
static int open_unnamed(const struct assay_replacement *r)
{
    char path[DESCRIPTOR_PATH];
    char *folder = beside(r->target, ".");
    int fd = folder != NULL ? open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666) : -1;
    free(folder);
    descriptor_path(fd, path);
    if (fd >= 0 && access(path, F_OK) != 0) {
        close(fd);
        errno = EOPNOTSUPP;
        fd = -1;
    }
    return fd;
}

/* Where there can be no such files. */
static int open_named(struct assay_replacement *r)
{
    int fd = -1;
    errno = EEXIST;
    for (int i = 0; fd < 0 && errno == EEXIST && i < MOST_NAMES; i++) {
        fd = next_name(r, i) ? open(r->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)
                             : -1;
    }
    r->named = fd >= 0;
    return fd;
}

struct assay_replacement *assay_replacement_open(const char *path, const struct stat *old, int *fd,
                                                 int *error)
{
    struct assay_replacement *r = calloc(1, sizeof *r);
    *error = ENOMEM;
    *fd = -1;
    if (r != NULL) {
        r->replaces = old != NULL;
        r->target = assay_replacement_target(path, error);
    }
    if (r == NULL || r->target == NULL) {
        free(r);
        return NULL;
    }
    /* A file that may not be written may not be replaced either. */
    if (old == NULL || access(r->target, W_OK) == 0) {
        *fd = open_unnamed(r);
        *fd = *fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL) ? open_named(r)
                                                                                     : *fd;
    }
    if (*fd < 0) {
        *error = errno;
        assay_replacement_close(r);
        return NULL;
    }
    if (old != NULL) {
        (void)fchmod(*fd, old->st_mode & 07777);
    }
    return r;
}

static bool give_name(struct assay_replacement *r, int fd)
{
    char path[DESCRIPTOR_PATH];
    descriptor_path(fd, path);
    errno = EEXIST;
    for (int i = 0; !r->named && errno == EEXIST && i < MOST_NAMES; i++) {
        r->named = next_name(r, i) &&
                   linkat(AT_FDCWD, path, AT_FDCWD, r->temporary, AT_SYMLINK_FOLLOW) == 0;
    }
    return r->named;
}

int assay_replacement_commit(struct assay_replacement *r, int fd)
{
    if ((r->replaces && fsync(fd) != 0) || !give_name(r, fd) ||
        rename(r->temporary, r->target) != 0) {
        return errno;
    }
    r->named = false;
    return 0;
}

void assay_replacement_close(struct assay_replacement *r)
{
    if (r != NULL) {
        if (r->named) {
            unlink(r->temporary);
        }
        free(r->temporary);
        free(r->target);
        free(r);
    }
}
