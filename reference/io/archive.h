/* Archives, zip and tar with or without compression, unpacked to a private folder. Built on
 * libarchive. What an archive says is not trusted: it cannot write outside of the folder, and
 * number and size of its members are limited. */
#ifndef ASSAY_COMMON_ARCHIVE_H
#define ASSAY_COMMON_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum {
    ASSAY_ARCHIVE_MAX_MEMBERS = 8192, /* with the folders that they are in */
    ASSAY_ARCHIVE_MAX_DEPTH = 64,     /* folders that a member is in, one in the other */
    ASSAY_ARCHIVE_MAX_NAME = 1024,    /* bytes of a member's name */
    ASSAY_ARCHIVE_MAX_RATIO = 1000    /* bytes that a byte of the archive may give */
};

#define ASSAY_ARCHIVE_MAX_BYTES ((uint64_t)4 << 30)
#define ASSAY_ARCHIVE_ANY_RATIO                                                                    \
    ((uint64_t)64 << 20) /* up to so many bytes the ratio is not limited */

/* How long a path is up to the end of an archive's name (.zip, .tar, .tgz, .tar.gz and so on), if
 * it ends there (assay_path_ends); else 0. */
size_t assay_archive_length(const char *path);

/* Unpacks an archive to a new folder in that of temporary files, which only the user can read, and
 * tells the name of each file. *folder is its resolved path, to be removed by assay_archive_remove;
 * after an error there is none.
 *
 *   ASSAY_NOT_FOUND, ASSAY_NOT_READABLE: as assay_source_open; or a member is no regular file and
 * no directory, or its name is absolute or has a part ".."
 *
 *   ASSAY_DUPLICATE: two members have one name
 *
 *   ASSAY_CONTRADICTION: a member is in a folder that is another member's file
 *
 *   ASSAY_LIMIT: more members or bytes than allowed, or out of proportion to the archive
 *
 *   ASSAY_CORRUPT, ASSAY_UNSUPPORTED (it is encrypted), ASSAY_WRITE_FAILED, ASSAY_NO_MEMORY */
enum assay_error assay_archive_unpack(const char *path,
                                      void (*member)(void *context, const char *name),
                                      void *context, char **folder, struct assay_diag *diag);

/* Removes the folder with all that is in it, and frees the text. Null is allowed. */
void assay_archive_remove(char *folder);

#endif
