/* Manifests (`*.assay.yaml`, schema assay-manifest/1): everything that belongs to one input. Its
 * bytes may be in several files, one after the other; a trace of packets needs the configuration of
 * its encoder and the program; a capture may carry several streams. A CoreSight snapshot is another
 * syntax of the same (snapshot/snapshot.h).
 */
#ifndef ASSAY_MANIFEST_MANIFEST_H
#define ASSAY_MANIFEST_MANIFEST_H

#include "common/error.h"
#include "image/image.h"
#include "model/framing.h"
#include "model/parameters.h"

enum {
    ASSAY_MANIFEST_MAX_FILES = 16384, /* of data */
    ASSAY_MANIFEST_MAX_STREAMS = 1024,
    ASSAY_MANIFEST_MAX_IMAGES = 16384, /* of all streams */
    ASSAY_CORESIGHT_ID_MAX = 0x6f      /* greatest trace id; the least one is 1 */
};

struct assay_yaml;
struct assay_format;
struct assay_facts;

/* A mapping in the manifest or in a file of the snapshot, or a file. Both are null if it was not
 * given. */
struct assay_manifest_table {
    const struct assay_yaml *map;
    const char *file;
};

/* The description of a stream. Strings are owned by the manifest. */
struct assay_manifest_stream {
    bool has_id;
    uint64_t id;                /* trace id, source id: as the framing distinguishes streams */
    const char *format;         /* or null: recognised by magic */
    const char *profile;        /* or null: as the stream declares */
    enum assay_framing framing; /* of `all`: of the input's bytes; of a stream: of its own */
    struct assay_manifest_table config;
    struct assay_manifest_table facts;
    const struct assay_image_spec *images; /* with resolved paths */
    size_t image_count;
    const struct assay_timeline *timeline; /* how they change, or null */
    const char *const *absent; /* images of a snapshot that do not exist: it is judged without */
    size_t absent_count;
    const char *unjudged;  /* of a snapshot: why it cannot be judged; or null */
    bool may_be_idle;      /* of a snapshot, which names all sources that there are: it can have
                              traced nothing into the buffer */
    const char *execution; /* the recorded execution of this stream, or null */
    bool has_thread;       /* `thread` was given: the number of the stream's thread in the recorded
                              execution */
    uint32_t thread;
    uint32_t line, column; /* where it is in the manifest */
};

struct assay_manifest {
    const char *path;
    const char *const *data;  /* paths of files, at least one, unless it has several `inputs` */
    const char *const *names; /* the same as the manifest writes them */
    size_t data_count;
    /* The names of the inputs that a snapshot of several buffers has, each a path that can be
     * loaded (snapshot/snapshot.h). If the path that was loaded is none of them, there is nothing
     * else in the manifest. A manifest in YAML has none. */
    const char *const *inputs;
    const bool *inputs_empty; /* of each of them whether its file has no bytes */
    size_t input_count;
    const char *const *files; /* of a snapshot: which it was read from, without duplicates */
    size_t file_count;
    const char *unpacked; /* the private folder that holds all files of an archive, as long as the
                             manifest is there; or null */
    struct assay_manifest_stream all;      /* what the manifest says at its top */
    uint32_t framing_line, framing_column; /* where its framing is said; 0 where it is not */
    /* The list `streams`. What one leaves out is as in `all`, but for the framing, which is RAW;
     * what it gives is instead of it. One with another format than `all` has neither profile nor
     * config from there; none has anything from there where that is of a format that carries
     * streams. Without the list the count is 0: then there is one stream, or those that the framing
     * tells, and `all` is said of them. */
    struct assay_manifest_stream *streams;
    size_t stream_count;
    void *memory; /* private */
};

struct assay_manifest_options {
    bool allow_outside;                        /* files may be outside of the manifest's folder */
    bool never_outside;                        /* no option permits that: hints name none */
    const struct assay_format *const *formats; /* that names are compared with, ended by null; null:
                                                  names are not looked at */
};

/* Whether the name of a file is that of a manifest: *.assay.yaml, a snapshot's, or an archive's, in
 * which a snapshot is. */
bool assay_is_manifest(const char *path);

/* Reads a manifest. options may be null.
 *
 * Names of files are relative to the folder of `path`. They are resolved, links included; one that
 * leads out of that folder is ASSAY_NOT_READABLE unless options allow it, and so is what is no
 * regular file; one that does not exist is ASSAY_NOT_FOUND. (A process that can change the folder
 * between this check and the reading of a file can redirect it.) Unknown keys, names and formats,
 * keys given twice, wrong types, empty lists and numbers out of range are errors. All of them give
 * file, line and column, and leave the manifest empty. */
enum assay_error assay_manifest_load(const char *path, const struct assay_manifest_options *options,
                                     struct assay_manifest *manifest, struct assay_diag *diag);

/* The same with the text in memory. */
enum assay_error assay_manifest_parse(const char *path, const char *text, size_t size,
                                      const struct assay_manifest_options *options,
                                      struct assay_manifest *manifest, struct assay_diag *diag);

/* Allowed for one that is zero-initialised. */
void assay_manifest_free(struct assay_manifest *manifest);

/* Sets parameters from the stream's config, if there is any. */
enum assay_error assay_manifest_configure(const struct assay_manifest_stream *stream,
                                          struct assay_parameter_values *values,
                                          struct assay_diag *diag);

/* Adds the stream's facts, if there are any. */
enum assay_error assay_manifest_facts(const struct assay_manifest *manifest,
                                      const struct assay_manifest_stream *stream,
                                      struct assay_facts *facts, struct assay_diag *diag);

/* Adds the stream's images to a set and seals it. */
enum assay_error assay_manifest_images(const struct assay_manifest_stream *stream,
                                       struct assay_image_set *set, struct assay_diag *diag);

#endif
