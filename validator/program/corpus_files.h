/* The files of an exported trace: the trace, its events, the verdict, and what belongs to them. */
#ifndef ASSAY_VALIDATOR_CORPUS_FILES_H
#define ASSAY_VALIDATOR_CORPUS_FILES_H

#include <jansson.h>

#include "validator/engine/check.h"
#include "validator/vector/vector.h"

enum { ASSAY_EXPORT_PATH = 4096 };

/* One trace while its files are written. */
struct assay_export {
    const char *root; /* folder of the corpus */
    const char
        *stem; /* of the files, relative to the root: "astf/context/ASTF-0031/ASTF-0031.pass.ids" */
    int stem_length;
    json_t *files;   /* what the index says of them */
    json_t *kinds;   /* of the events, of all streams: an object whose keys they are */
    json_t *dialect; /* an object: the `profile` that the trace was decoded by, and its `version` */
    json_t *features; /* of the configurations: an object whose keys they are */
    struct assay_diag *diag;
};

/* Begins without files; both lists are to be released by assay_export_end. */
void assay_export_begin(struct assay_export *e, const char *root, const char *stem,
                        struct assay_diag *diag);

void assay_export_end(struct assay_export *e);

/* Adds to an entry of the index what is known when the events were written: the profile and the
 * version that the trace was decoded by, the kinds of its events, the features of its
 * configuration, and its framing. */
void assay_export_describe(const struct assay_export *e, const struct assay_format *format,
                           unsigned framing, json_t *entry);

/* The last part of a stem, which begins the name of the trace. */
const char *assay_export_name(const char *stem);

/* The path of a file, of which `ending` comes after the stem: "assay.yaml", "0x10.events.jsonl". */
enum assay_error assay_export_path(const struct assay_export *e, const char *ending,
                                   char path[ASSAY_EXPORT_PATH]);

/* Adds a file that was written to the list of the index, as what it is: "trace", "manifest". */
enum assay_error assay_export_list(const struct assay_export *e, const char *what,
                                   const char *ending);

/* Writes what a sink in memory holds to a file and lists that. */
enum assay_error assay_export_file(const struct assay_export *e, const char *what,
                                   const char *ending, const struct assay_sink *content);

/* Writes the events of an input, and of each stream that it carries whose format is known. `open`
 * gives the bytes of the input, each time anew. */
enum assay_error
assay_export_all_events(const struct assay_export *e, const struct assay_input *input,
                        enum assay_error (*open)(const void *context, struct assay_source **source),
                        const void *context);

/* Judges the manifest by the readings of a vector, and writes the verdict. */
enum assay_error assay_export_verdict(const struct assay_export *e,
                                      const struct assay_vector *vector);

#endif
