/* What those who write manifests share. */
#ifndef ASSAY_MANIFEST_MANIFEST_WRITE_H
#define ASSAY_MANIFEST_MANIFEST_WRITE_H

#include "io/sink.h"

/* A text in quotes, as YAML reads it back. A byte that is no UTF-8, which YAML does not have,
 * becomes the character of its number. */
void assay_manifest_put_quoted(struct assay_sink *sink, const char *text, size_t length);

/* The name of a file, relative to the folder of the manifest. ASSAY_USAGE: the file is not in that
 * folder or below it, or is no file ("-"), or its name is no UTF-8. */
enum assay_error assay_manifest_put_name(struct assay_sink *sink, const char *manifest,
                                         const char *path, struct assay_diag *diag);

#endif
