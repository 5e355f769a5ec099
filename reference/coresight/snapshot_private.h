/* What the files of the snapshot reader share. */
#ifndef ASSAY_CORESIGHT_SNAPSHOT_PRIVATE_H
#define ASSAY_CORESIGHT_SNAPSHOT_PRIVATE_H

#include "coresight/snapshot.h"
#include "manifest/manifest_reader.h"

struct cs_device {
    const char *name;
    const char *type;              /* "" if it is not given */
    const struct assay_yaml *root; /* of its file */
};

struct cs_snapshot {
    struct assay_manifest_reader reader;
    struct assay_manifest_memory *memory;
    struct assay_manifest *manifest;
    size_t file_room; /* of manifest->files */
    struct cs_device *devices;
    size_t device_count;
    const struct assay_yaml *trace; /* the root of the file about buffers */
};

/* The device that a node names; null, and an error, where there is none. */
const struct cs_device *cs_snapshot_device(const struct cs_snapshot *s,
                                           const struct assay_yaml *node, const char *name);

/* Describes the stream of a trace source: format, configuration, images, and id. `name` is the node
 * by which trace.ini names the source. */
enum assay_error cs_snapshot_stream(struct cs_snapshot *s, const struct assay_yaml *name,
                                    struct assay_manifest_stream *stream);

#endif
