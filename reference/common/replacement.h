/* A new file that takes the place of another one, or of none, when it is complete. */
#ifndef ASSAY_COMMON_REPLACEMENT_H
#define ASSAY_COMMON_REPLACEMENT_H

#include <sys/stat.h>

struct assay_replacement;

/* A new text: where a path leads if it is a link, also one that leads to nothing yet. Null and
 * *error, of the system, when it leads to itself or memory is out. */
char *assay_replacement_target(const char *path, int *error);

/* Opens one for writing; `old` is what is at the path, or null. Null and *error, of the system,
 * when it fails. Else *fd is the caller's to close, before the replacement is. */
struct assay_replacement *assay_replacement_open(const char *path, const struct stat *old, int *fd,
                                                 int *error);

/* Puts the file, which is complete and still open, in its place: 0, or an error of the system. */
int assay_replacement_commit(struct assay_replacement *replacement, int fd);

/* Frees it; what was not committed is gone. Null is allowed. */
void assay_replacement_close(struct assay_replacement *replacement);

#endif
