/* Paths: whether they stay in a folder, and where temporary files are. */
#ifndef ASSAY_COMMON_PATH_H
#define ASSAY_COMMON_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Whether a path, as it is written, is that of something below the folder that it is relative to:
 * it is not empty or absolute, and no part of it is empty or "..". A link can still lead out of
 * there: assay_path_is_below. */
bool assay_path_stays(const char *path);

/* The first part of a path that is neither empty nor ".", with its size; the size is 0 where there
 * is none. */
const char *assay_path_part(const char *path, size_t *size);

/* Removes parts "." and empty ones of a path, in place, so that "./a/./b/" becomes "a/b". A
 * relative path without other parts becomes ".". */
void assay_path_tidy(char *path);

/* Whether a path ends at `length` but for "#" and the name of a buffer. A file or folder that has
 * all of it for its name is that, and no buffer. */
bool assay_path_ends(const char *path, size_t length);

/* How long the path of the file is that a path names, without "#" and the name of a buffer in it.
 */
size_t assay_path_file_length(const char *path);

/* Whether a path is below the folder `root`, where both are as realpath gives them. */
bool assay_path_is_below(const char *root, const char *path);

/* The folder of temporary files: TMPDIR of the environment, otherwise /tmp. */
const char *assay_temporary_folder(void);

/* A new file there that has no name and is gone once it is closed. Null, with errno, if there can
 * be none. */
FILE *assay_temporary_file(void);

#endif
