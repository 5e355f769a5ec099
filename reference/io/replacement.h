/* A new file that replaces an existing one, or is created, only when it is complete. */
#ifndef ASSAY_COMMON_REPLACEMENT_H
#define ASSAY_COMMON_REPLACEMENT_H

#include <sys/stat.h>

struct assay_replacement;

/* Resolves links: returns the path to which `path` leads, as a new string that the caller frees;
 * its target need not exist. Null, with errno in *error, when links form a loop or memory is out.
 * */
char *assay_replacement_target(const char *path, int *error);

/* Opens a replacement for writing; `old` describes the file at the path, or is null. Null, with
 * errno in *error, when it fails. Otherwise the caller closes *fd, before the replacement is
 * closed. */
struct assay_replacement *assay_replacement_open(const char *path, const struct stat *old, int *fd,
                                                 int *error);

/* Renames the file, which is complete and still open, to its path: 0, or an errno. */
int assay_replacement_commit(struct assay_replacement *replacement, int fd);

/* Frees the replacement; a file that was not committed is deleted. Null is allowed. */
void assay_replacement_close(struct assay_replacement *replacement);

#endif
