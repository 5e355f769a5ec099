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

struct assay_export;
struct assay_new_folder;
struct assay_results;

/* What is exported, and how much that was. */
struct assay_corpus_wanted {
    const struct assay_format *format; /* of which; null: of every format */
    uint64_t seeds;                    /* generated traces of each sort */
    size_t vectors, generated;
    size_t translated; /* vectors that were written as another profile, too */
    /* Of the vectors that could not be: an array of objects with name, format, profile, the profile
     * that it was to be (`to`), why not, and the rule that shows it. Owned by the caller. */
    json_t *untranslated;
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

/* Writes the files of one vector, whose trace is in memory, below `root`, in a folder that exists.
 * *entry is the entry of the index, owned by the caller. */
enum assay_error assay_corpus_export_vector(const char *root, const struct assay_corpus_text *text,
                                            const struct assay_vector *vector,
                                            const struct assay_sink *trace, json_t **entry,
                                            struct assay_diag *diag);

/* Writes the files of a trace of the vector, which is in memory, and lists them. */
enum assay_error assay_corpus_write_vector(const struct assay_export *e,
                                           const struct assay_vector *vector,
                                           const struct assay_sink *trace);

/* Writes the trace of a vector that was exported as one of another profile, where the format has a
 * translator, judges it, and adds it to the list of the index if it shows what the vector states;
 * otherwise it is one of the untranslated. `entry` is that of the vector. */
enum assay_error assay_corpus_export_translated(const char *root, const struct assay_vector *vector,
                                                const struct assay_sink *trace, const json_t *entry,
                                                struct assay_corpus_wanted *wanted, json_t *list,
                                                struct assay_diag *diag);

/* Writes the verdict on the vector, judged by its manifest and the readings that it sets. */
enum assay_error assay_corpus_verdict(const char *manifest, const char *name,
                                      const struct assay_vector *vector, struct assay_sink *sink,
                                      struct assay_diag *diag);

/* Judges a trace of the vector, which is in memory, by what the vector gives. `take` is called with
 * the results, which are valid until it returns. */
enum assay_error assay_corpus_judge(const struct assay_vector *vector, const char *name,
                                    const struct assay_sink *trace,
                                    void (*take)(void *context,
                                                 const struct assay_results *results),
                                    void *context, struct assay_diag *diag);

/* A JSON value with a line feed after it, which is taken; ASSAY_NO_MEMORY where it is null. */
enum assay_error assay_put_json(json_t *value, struct assay_sink *sink);

/* "ID=reading" of all that a vector and its streams set otherwise than by default. */
json_t *assay_corpus_readings(const struct assay_vector *vector);

#endif
