/* The corpus as files that other decoders and validators can be tested with: for each vector, and
 * for traces that are generated, the trace, the events and the verdict that are expected, and a
 * manifest of what belongs to it. */
#ifndef ASSAY_VALIDATOR_CORPUS_EXPORT_H
#define ASSAY_VALIDATOR_CORPUS_EXPORT_H

#include <jansson.h>

#include "validator/vector/corpus.h"
#include "validator/vector/vector.h"

/* Findings that are written of each rule. */
enum { ASSAY_EXPORT_MAX_FINDINGS = 1000 };

struct assay_new_folder;

/* What is exported, and how many vectors and generated traces that were. */
struct assay_corpus_wanted {
    const struct assay_format *format; /* of which; null: of every format */
    uint64_t seeds;                    /* generated traces of each sort */
    size_t vectors, generated;
};

/* Writes all that is wanted into a folder that does not exist yet, or is empty. It is written under
 * a temporary name and renamed, so that it is either complete or absent. */
enum assay_error assay_corpus_export(const char *folder, struct assay_corpus_wanted *wanted,
                                     struct assay_diag *diag);

/* Writes the traces that are generated below the folder, and adds them to the list of the index. */
enum assay_error assay_corpus_export_generated(const struct assay_new_folder *folder,
                                               struct assay_corpus_wanted *wanted, json_t *list,
                                               struct assay_diag *diag);

/* Makes the folders of a path below the root: "astf/golden" of "astf/golden/x.yaml". */
enum assay_error assay_corpus_make_folders(const char *root, const char *path,
                                           struct assay_diag *diag);

/* Writes the files of one vector below `root`, in a folder that exists. *entry is the entry of the
 * index, owned by the caller. */
enum assay_error assay_corpus_export_vector(const char *root, const struct assay_corpus_text *text,
                                            const struct assay_vector *vector, json_t **entry,
                                            struct assay_diag *diag);

/* Writes the verdict on the vector, judged by its manifest and the readings that it sets. */
enum assay_error assay_corpus_verdict(const char *manifest, const char *name,
                                      const struct assay_vector *vector, struct assay_sink *sink,
                                      struct assay_diag *diag);

/* A JSON value with a line feed after it, which is taken; ASSAY_NO_MEMORY where it is null. */
enum assay_error assay_put_json(json_t *value, struct assay_sink *sink);

/* "ID=reading" of all that a vector and its streams set otherwise than by default. */
json_t *assay_corpus_readings(const struct assay_vector *vector);

#endif
