/* The corpus as files that other decoders and validators can be tested with: for each vector its
 * trace, the events and the verdict that are expected, and a manifest of what belongs to it. */
#ifndef ASSAY_VALIDATOR_CORPUS_EXPORT_H
#define ASSAY_VALIDATOR_CORPUS_EXPORT_H

#include <jansson.h>

#include "validator/vector/corpus.h"
#include "validator/vector/vector.h"

/* Findings that are written of each rule. */
enum { ASSAY_EXPORT_MAX_FINDINGS = 1000 };

/* Writes all vectors of a format (null: of every format) into a folder that does not exist yet, or
 * is empty. It is written under a temporary name and renamed, so that it is either complete or
 * absent. `count` is how many vectors there are. */
enum assay_error assay_corpus_export(const char *folder, const struct assay_format *format,
                                     size_t *count, struct assay_diag *diag);

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
