/* What the readers of manifests share: that of YAML in this folder, and that of CoreSight snapshots
 * in reference/snapshot. */
#ifndef ASSAY_MANIFEST_MANIFEST_READER_H
#define ASSAY_MANIFEST_MANIFEST_READER_H

#include "common/arena.h"
#include "common/yaml.h"
#include "manifest/manifest.h"

/* What a manifest owns. */
struct assay_manifest_memory {
    struct assay_arena arena;
    struct assay_yaml_file *files; /* that it was read from; the list is in the arena */
    size_t file_count, file_room;
    char *unpacked; /* a folder that goes with the manifest (io/archive.h), or null */
};

struct assay_manifest_reader {
    struct assay_arena *arena;
    const struct assay_manifest_options *options;
    const char *folder; /* of the manifest, as it was given */
    const char *root;   /* the same, resolved; null while it is not known */
    size_t image_count; /* of all lists */
    struct assay_diag *diag;
};

/* Gives a manifest its memory; null when there is none. */
struct assay_manifest_memory *assay_manifest_begin(struct assay_manifest *manifest);

/* A file becomes the manifest's, also when this fails. */
enum assay_error assay_manifest_keep(struct assay_manifest_memory *memory,
                                     const struct assay_yaml_file *file, struct assay_diag *diag);

/* The folder of the manifest. */
enum assay_error assay_manifest_root(struct assay_manifest_reader *r, const char *path);

/* The resolved path of the file that a node names. */
enum assay_error assay_manifest_resolve(const struct assay_manifest_reader *r,
                                        const struct assay_yaml *node, const char *what,
                                        const char **path);

/* A list of images, each a mapping. */
enum assay_error assay_manifest_read_images(struct assay_manifest_reader *r,
                                            const struct assay_yaml *node,
                                            struct assay_manifest_stream *stream);

#endif
