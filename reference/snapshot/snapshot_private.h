/* What the files of the snapshot reader share. */
#ifndef ASSAY_SNAPSHOT_SNAPSHOT_PRIVATE_H
#define ASSAY_SNAPSHOT_SNAPSHOT_PRIVATE_H

#include "manifest/manifest_reader.h"
#include "snapshot/snapshot.h"

/* The format of a buffer with the data of a trace port. */
#define CS_FORMAT_OF_PORT "dstream_coresight"

struct cs_device {
    const char *name;
    const char *type;              /* "" if it is not given */
    const struct assay_yaml *root; /* of its file */
};

struct cs_buffer {
    const char *name;
    const struct assay_yaml *file;  /* the name of its file */
    const struct assay_yaml *about; /* of a snapshot its section, of a package the metadata */
};

/* How a snapshot that was unpacked is shown: not by the folder that it is in for a while. */
struct cs_shown {
    const char *folder;  /* what it was unpacked to, resolved */
    const char *archive; /* the path of its archive, in place of the folder */
    const char *path;    /* the same with the name of a buffer, if one is named */
};

/* A snapshot while it is read. */
struct cs_snapshot {
    const struct cs_shown *shown; /* or null: by its own paths */
    struct assay_manifest_reader reader;
    struct assay_manifest_memory *memory;
    struct assay_manifest *manifest;
    size_t file_room;              /* of manifest->files */
    const struct assay_yaml *root; /* of the file that is named */
    struct cs_buffer *buffers;     /* room for CS_SNAPSHOT_MAX_BUFFERS */
    size_t buffer_count;
    /* These a package does not have. */
    struct cs_device *devices;
    size_t device_count;
    const struct assay_yaml *trace; /* the root of the file about buffers */
};

/* What a snapshot of devices and a package differ in. */
struct cs_snapshot_kind {
    const char *file; /* its name */
    /* Adds the buffers that there are. */
    enum assay_error (*list)(struct cs_snapshot *s);
    /* Sets the framing of one, and adds its streams. */
    enum assay_error (*read)(struct cs_snapshot *s, const struct cs_buffer *buffer);
};

extern const struct cs_snapshot_kind cs_snapshot_of_devices, cs_snapshot_of_package;

/* cs_snapshot_load of what was unpacked. */
enum assay_error cs_snapshot_load_shown(const char *path, const struct cs_shown *shown,
                                        const struct assay_manifest_options *options,
                                        struct assay_manifest *manifest, struct assay_diag *diag);

enum assay_error cs_snapshot_no_memory(const struct cs_snapshot *s);

/* What messages call a file; null when memory is out. */
const char *cs_snapshot_shown(const struct cs_snapshot *s, const char *path);

/* Notes that a file was read: of an archive only that. */
enum assay_error cs_snapshot_note_file(struct cs_snapshot *s, const char *path);

/* Reads a file of the snapshot, which becomes the manifest's. */
enum assay_error cs_snapshot_read(struct cs_snapshot *s, const char *path,
                                  const struct assay_yaml **root);

/* A section or key that has to be there: `map` is the section, or the file's root. */
enum assay_error cs_snapshot_need(const struct cs_snapshot *s, const struct assay_yaml *map,
                                  const char *key, const struct assay_yaml **value);

/* Adds a buffer; `node` is the place of what is wrong with it. */
enum assay_error cs_snapshot_add_buffer(struct cs_snapshot *s, const struct assay_yaml *node,
                                        const struct cs_buffer *buffer);

/* Sets the framing by the name of a buffer's format: one of two lists, each ended by null, or that
 * of a trace port, if there is one. */
enum assay_error cs_snapshot_framing(struct cs_snapshot *s, const struct assay_yaml *format,
                                     const char *const *raw, const char *const *frames,
                                     const char *port);

/* The next name of a list with commas, without blanks around it; false at the end. A comma may
 * follow the last one. */
bool cs_next_name(const char **at, const char **name, size_t *length);

/* Whether a node is a list that has the name. */
bool cs_lists_name(const struct assay_yaml *node, const char *wanted);

/* A format of the options by its name, or null. */
const struct assay_format *cs_find_format(const struct cs_snapshot *s, const char *name);

/* Begins the stream of a source of the buffer: in frames one of several, else the input's own.
 * `node` is where it is named. Once it is described it is ended. */
enum assay_error cs_snapshot_begin_stream(struct cs_snapshot *s, const struct assay_yaml *node,
                                          struct assay_manifest_stream **stream);
enum assay_error cs_snapshot_end_stream(struct cs_snapshot *s, const struct assay_yaml *node,
                                        const struct assay_manifest_stream *stream);

/* The images of a stream while they are gathered. */
struct cs_images {
    struct assay_image_spec *list;
    const char **absent; /* what the stream is judged without */
    size_t count, room, absent_count, absent_room;
    const struct assay_timeline *timeline; /* how they change, or null */
};

/* Adds an image; `node` is what names it. */
enum assay_error cs_images_add(struct cs_snapshot *s, struct cs_images *images,
                               const struct assay_yaml *node, const struct assay_image_spec *spec);

/* Adds the name, in the folder, of an image that is not there. */
enum assay_error cs_images_add_absent(const struct cs_snapshot *s, struct cs_images *images,
                                      const char *name);

struct cs_source {
    const char *name;
    const char *type;                   /* its protocol */
    const struct assay_yaml *registers; /* or null */
    const struct assay_yaml *dumps;     /* a file with sections about memory; or null */
    const struct cs_images *images;     /* of the same memory; or null */
};

/* Describes the stream of a trace source: format, configuration and images, and the id if a
 * register tells it. */
enum assay_error cs_snapshot_describe(struct cs_snapshot *s, const struct cs_source *source,
                                      struct assay_manifest_stream *stream);

/* Checks the items of a stream in the metadata of a package (section 6.3.1): the format's name, the
 * values, that registers are as wide as they can be, and that they do not contradict what items
 * say.
 */
enum assay_error cs_package_check_items(const struct cs_snapshot *s,
                                        const struct assay_yaml *section);

#endif
