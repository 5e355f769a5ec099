/* Files that are opened without waiting for another program. */
#ifndef ASSAY_COMMON_FILE_H
#define ASSAY_COMMON_FILE_H

#include <stdio.h>

#include "common/error.h"

/* Opens a file to read it. What is no regular file is refused, so that a named pipe, which nobody
 * may ever write to, or a link to a device without end, cannot hold the program up. Below /dev and
 * /proc everything is opened: what a shell hands over, as `<(COMMAND)` or /dev/stdin, is there.
 *
 *   ASSAY_NOT_FOUND      there is no such file
 *   ASSAY_NOT_READABLE   it cannot be opened, is a directory, a pipe, a socket or a device
 *   ASSAY_NO_MEMORY
 *
 * The message does not have the path. The caller closes the file. */
enum assay_error assay_file_open(const char *path, FILE **file, struct assay_diag *diag);

#endif
