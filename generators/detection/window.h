/* A window of a recording: some instructions of its first thread as a recording of their own. */
#ifndef ASSAY_DETECTION_WINDOW_H
#define ASSAY_DETECTION_WINDOW_H

#include "io/sink.h"

/* The instructions of the first thread. */
enum assay_error detection_length(const char *path, uint64_t *instructions,
                                  struct assay_diag *diag);

/* Writes the instructions from number `first` on, at most `count`, with what is between them.
 */
enum assay_error detection_window(const char *path, uint64_t first, uint64_t count,
                                  struct assay_sink *sink, struct assay_diag *diag);

#endif
