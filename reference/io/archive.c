#include "io/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "io/path.h"

struct unpacking {
    struct archive *archive;
    struct archive_entry *entry;
    const char *folder;
    char name[ASSAY_ARCHIVE_MAX_NAME + 1]; /* of the member, without parts "." */
    uint64_t bytes, most;                  /* written so far, and at most */
    size_t members, folders;               /* that were there, and that were made for them */
    void (*member)(void *context, const char *name);
    void *context;
    struct assay_diag *diag;
};

/* --- names of archives --- */

size_t assay_archive_length(const char *path)
{
    static const char *const suffixes[] = {".zip",     ".tar",    ".tgz",     ".tar.gz",
                                           ".tar.bz2", ".tar.xz", ".tar.zst", NULL};
    for (size_t at = 0; path[at] != '\0'; at++) {
        for (size_t i = 0; path[at] == '.' && suffixes[i] != NULL; i++) {
            const size_t length = strlen(suffixes[i]);
            const bool named = strncmp(path + at, suffixes[i], length) == 0;
            if (named && at > 0 && path[at - 1] != '/' && assay_path_ends(path, at + length)) {
                return at + length;
            }
        }
    }
    return 0;
}

/* --- members --- */

static enum assay_error refuse(const struct unpacking *u, enum assay_error error, const char *name,
                               const char *why)
{
    return assay_fail(u->diag, error, ASSAY_NO_OFFSET, "the member %.200s %s", name, why);
}

/* What libarchive says is wrong. */
static enum assay_error fail_reading(const struct unpacking *u)
{
    const char *why = archive_error_string(u->archive);
    return assay_fail(u->diag,
                      archive_errno(u->archive) == ENOMEM ? ASSAY_NO_MEMORY : ASSAY_CORRUPT,
                      ASSAY_NO_OFFSET, "it is no archive that can be read: %s",
                      why != NULL ? why : "it is cut off or damaged");
}

/* A name that leads through another member's file is the archive's fault, all else the system's. */
static enum assay_error fail_writing(const struct unpacking *u, const char *name)
{
    const int why = errno;
    const enum assay_error error = why == ENOMEM                     ? ASSAY_NO_MEMORY
                                   : why == ENOTDIR || why == EISDIR ? ASSAY_CONTRADICTION
                                                                     : ASSAY_WRITE_FAILED;
    assay_fail(u->diag, error, ASSAY_NO_OFFSET, "the member %.200s cannot be unpacked: %s", name,
               strerror(why));
    if (error == ASSAY_WRITE_FAILED) {
        assay_diag_hint(u->diag, "TMPDIR names the folder");
    }
    return error;
}

/* Copies the parts of a name, without those that say nothing. */
static enum assay_error read_name(struct unpacking *u, const char *given)
{
    size_t size = 0;
    size_t parts = 0;
    if (given[0] == '/') {
        return refuse(u, ASSAY_NOT_READABLE, given, "has an absolute name");
    }
    for (const char *part = given; *part != '\0';) {
        const size_t length = strcspn(part, "/");
        if (length == 2 && part[0] == '.' && part[1] == '.') {
            return refuse(u, ASSAY_NOT_READABLE, given, "leads out of the archive by \"..\"");
        }
        if (length > 0 && !(length == 1 && part[0] == '.')) {
            if (size + 1 + length >= sizeof u->name) {
                return refuse(u, ASSAY_LIMIT, given, "has a name that is too long");
            }
            u->name[size] = '/';
            size += size > 0;
            memcpy(u->name + size, part, length);
            size += length;
            if (parts++ > ASSAY_ARCHIVE_MAX_DEPTH) {
                return refuse(u, ASSAY_LIMIT, given, "is in too many folders");
            }
        }
        part += length + (part[length] == '/');
    }
    u->name[size] = '\0';
    return ASSAY_OK;
}

static enum assay_error fail_members(const struct unpacking *u, const char *what)
{
    return assay_fail(u->diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "it has more than %d %s",
                      ASSAY_ARCHIVE_MAX_MEMBERS, what);
}

static enum assay_error check_entry(struct unpacking *u)
{
    const char *given = archive_entry_pathname(u->entry);
    given = given != NULL ? given : archive_entry_pathname_utf8(u->entry);
    if (given == NULL) {
        return assay_fail(u->diag, ASSAY_CORRUPT, ASSAY_NO_OFFSET, "a member has no valid name");
    }
    if (++u->members > ASSAY_ARCHIVE_MAX_MEMBERS) {
        return fail_members(u, "members");
    }
    if (archive_entry_hardlink(u->entry) != NULL || archive_entry_symlink(u->entry) != NULL) {
        return refuse(u, ASSAY_NOT_READABLE, given, "is a link");
    }
    if (archive_entry_filetype(u->entry) != AE_IFREG &&
        archive_entry_filetype(u->entry) != AE_IFDIR) {
        return refuse(u, ASSAY_NOT_READABLE, given, "is no regular file");
    }
    if (archive_entry_is_encrypted(u->entry) != 0) {
        return refuse(u, ASSAY_UNSUPPORTED, given, "is encrypted");
    }
    return read_name(u, given);
}

static bool make_folder_of(struct unpacking *u, const char *path)
{
    const bool made = mkdir(path, 0700) == 0;
    u->folders += made;
    return made || errno == EEXIST;
}

/* Makes the folders that the path of a member leads through. Those that are there are looked for
 * from the innermost one on, so that the work is about as much as what is made; what cannot be made
 * shows when the file is created. */
static void make_folders(struct unpacking *u, char *path)
{
    const size_t root = strlen(u->folder);
    const size_t end = strlen(path);
    size_t at = end;
    do {
        at = (size_t)(strrchr(path, '/') - path);
        path[at] = '\0';
    } while (at > root && !make_folder_of(u, path) && errno == ENOENT);
    for (; at < end; at = strlen(path)) {
        path[at] = '/';
        if (strlen(path) < end) {
            (void)make_folder_of(u, path);
        }
    }
}

static enum assay_error write_all(const struct unpacking *u, int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno != EINTR) {
            return fail_writing(u, u->name);
        }
        bytes += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return ASSAY_OK;
}

static enum assay_error copy_data(struct unpacking *u, int fd)
{
    enum { PIECE = 65536 };
    char bytes[PIECE];
    for (;;) {
        const la_ssize_t size = archive_read_data(u->archive, bytes, sizeof bytes);
        if (size <= 0) {
            return size == 0 ? ASSAY_OK : fail_reading(u);
        }
        u->bytes += (uint64_t)size;
        if (u->bytes > u->most) {
            assay_fail(
                u->diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                "it holds more than the %llu MiB that are unpacked of an archive of its size",
                (unsigned long long)(u->most >> 20));
            assay_diag_hint(u->diag, "unpack it, and name the folder");
            return ASSAY_LIMIT;
        }
        const enum assay_error error = write_all(u, fd, bytes, (size_t)size);
        if (error != ASSAY_OK) {
            return error;
        }
    }
}

static enum assay_error unpack_file(struct unpacking *u)
{
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/%s", u->folder, u->name);
    if (length < 0 || (size_t)length >= sizeof path || u->name[0] == '\0') {
        return refuse(u, ASSAY_LIMIT, u->name, "has a name that cannot be used");
    }
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int fd = open(path, flags, 0600);
    if (fd < 0 && errno == ENOENT) {
        make_folders(u, path);
        if (u->members + u->folders > ASSAY_ARCHIVE_MAX_MEMBERS) {
            return fail_members(u, "members and folders");
        }
        fd = open(path, flags, 0600);
    }
    if (fd < 0) {
        return errno == EEXIST ? refuse(u, ASSAY_DUPLICATE, u->name, "is there twice")
                               : fail_writing(u, u->name);
    }
    enum assay_error error = copy_data(u, fd);
    if (close(fd) != 0 && error == ASSAY_OK) {
        error = fail_writing(u, u->name);
    }
    if (error == ASSAY_OK) {
        u->member(u->context, u->name);
    }
    return error;
}

static enum assay_error unpack_members(struct unpacking *u)
{
    for (;;) {
        const int result = archive_read_next_header(u->archive, &u->entry);
        if (result == ARCHIVE_EOF) {
            return ASSAY_OK;
        }
        if (result != ARCHIVE_OK && result != ARCHIVE_WARN) {
            return fail_reading(u);
        }
        enum assay_error error = check_entry(u);
        if (error == ASSAY_OK && archive_entry_filetype(u->entry) == AE_IFREG) {
            error = unpack_file(u);
        }
        if (error != ASSAY_OK) {
            return error;
        }
    }
}

/* --- the archive --- */

static enum assay_error open_archive(struct unpacking *u, const char *path)
{
    enum { BLOCK = 65536 };
    struct stat st;
    if (stat(path, &st) != 0) {
        return assay_fail(u->diag, errno == ENOENT ? ASSAY_NOT_FOUND : ASSAY_NOT_READABLE,
                          ASSAY_NO_OFFSET, "cannot be read: %s", strerror(errno));
    }
    if (!S_ISREG(st.st_mode)) {
        return assay_fail(u->diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET, "is no regular file");
    }
    const uint64_t size = (uint64_t)st.st_size;
    u->most = size < ASSAY_ARCHIVE_MAX_BYTES / ASSAY_ARCHIVE_MAX_RATIO
                  ? size * ASSAY_ARCHIVE_MAX_RATIO
                  : ASSAY_ARCHIVE_MAX_BYTES;
    u->most = u->most > ASSAY_ARCHIVE_ANY_RATIO ? u->most : ASSAY_ARCHIVE_ANY_RATIO;
    u->archive = archive_read_new();
    if (u->archive == NULL) {
        return assay_fail(u->diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    const bool known = archive_read_support_format_tar(u->archive) >= ARCHIVE_WARN &&
                       archive_read_support_format_zip(u->archive) >= ARCHIVE_WARN &&
                       archive_read_support_filter_gzip(u->archive) >= ARCHIVE_WARN &&
                       archive_read_support_filter_bzip2(u->archive) >= ARCHIVE_WARN &&
                       archive_read_support_filter_xz(u->archive) >= ARCHIVE_WARN &&
                       archive_read_support_filter_zstd(u->archive) >= ARCHIVE_WARN;
    return known && archive_read_open_filename(u->archive, path, BLOCK) == ARCHIVE_OK
               ? ASSAY_OK
               : fail_reading(u);
}

/* libarchive compares neither the checksum nor the size at the end of a gzip stream. What comes
 * after the archive in it is not read for long. */
static enum assay_error check_gzip(const struct unpacking *u, const char *path)
{
    enum {
        OF_MEMBER = 1 << 14, /* bytes of a member besides its contents, at the most */
        BLOCKS = 1 << 20     /* at the end of an archive, likewise */
    };
    uint8_t bytes[BUFSIZ];
    uint64_t left = 2 * u->bytes + (u->members + 1) * OF_MEMBER + BLOCKS;
    const gzFile file = gzopen(path, "rb");
    if (file == NULL) {
        return assay_fail(u->diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET, "cannot be read: %s",
                          strerror(errno));
    }
    int size = gzdirect(file) == 0;
    while (size > 0 && (uint64_t)size <= left) {
        left -= (uint64_t)size;
        size = gzread(file, bytes, sizeof bytes);
    }
    const bool closed = gzclose_r(file) == Z_OK;
    if (size > 0) {
        return assay_fail(u->diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                          "it goes on after the end of the archive");
    }
    return size == 0 && closed
               ? ASSAY_OK
               : assay_fail(u->diag, ASSAY_CORRUPT, ASSAY_NO_OFFSET,
                            "it is no archive that can be read: its gzip checksum is wrong");
}

/* libarchive converts names to the character set of the locale, where those of a zip can be lost.
 */
static locale_t use_utf8(void)
{
    const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    return utf8 != (locale_t)0 ? uselocale(utf8) : (locale_t)0;
}

static void use_again(locale_t before)
{
    if (before != (locale_t)0) {
        freelocale(uselocale(before));
    }
}

/* A new folder that only the user can read; owned. */
static enum assay_error make_folder(const struct unpacking *u, char **folder)
{
    char name[PATH_MAX];
    const int length =
        snprintf(name, sizeof name, "%s/assay-unpacked-XXXXXX", assay_temporary_folder());
    if (length < 0 || (size_t)length >= sizeof name || mkdtemp(name) == NULL) {
        assay_fail(u->diag, ASSAY_WRITE_FAILED, ASSAY_NO_OFFSET,
                   "no folder can be made to unpack it: %s", strerror(errno));
        assay_diag_hint(u->diag, "TMPDIR names the folder");
        return ASSAY_WRITE_FAILED;
    }
    *folder = realpath(name, NULL);
    if (*folder == NULL) {
        rmdir(name);
        return assay_fail(u->diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    return ASSAY_OK;
}

enum assay_error assay_archive_unpack(const char *path,
                                      void (*member)(void *context, const char *name),
                                      void *context, char **folder, struct assay_diag *diag)
{
    struct unpacking u = {.member = member, .context = context, .diag = diag};
    *folder = NULL;
    const locale_t before = use_utf8();
    enum assay_error error = open_archive(&u, path);
    error = error != ASSAY_OK ? error : make_folder(&u, folder);
    u.folder = *folder;
    error = error != ASSAY_OK ? error : unpack_members(&u);
    archive_read_free(u.archive);
    use_again(before);
    error = error != ASSAY_OK ? error : check_gzip(&u, path);
    if (error != ASSAY_OK) {
        assay_archive_remove(*folder);
        *folder = NULL;
        assay_diag_path(diag, path);
    }
    return error;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    (void)remove(path); /* what cannot be removed keeps its folder */
    return 0;
}

void assay_archive_remove(char *folder)
{
    enum { OPEN_FOLDERS = 16 };
    if (folder != NULL) {
        (void)nftw(folder, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
        free(folder);
    }
}
