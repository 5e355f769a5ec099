/* A snapshot or trace package in an archive. It is unpacked to a private folder, which is removed
 * with the manifest. */
#ifndef ASSAY_SNAPSHOT_ARCHIVE_H
#define ASSAY_SNAPSHOT_ARCHIVE_H

#include "manifest/manifest.h"

/* Whether a path is that of an archive by its name, or of a buffer in one, capture.zip#NAME. */
bool cs_is_archive(const char *path);

/* Reads the snapshot of an archive as cs_snapshot_load does: the one that is in the fewest folders.
 * ASSAY_ABSENT: there is none; ASSAY_CONTRADICTION: there are two. Other errors are those of
 * unpacking (io/archive.h) and of the snapshot, whose files are named ARCHIVE/MEMBER. No file
 * outside of the archive can be named. */
enum assay_error cs_archive_load(const char *path, const struct assay_manifest_options *options,
                                 struct assay_manifest *manifest, struct assay_diag *diag);

#endif
