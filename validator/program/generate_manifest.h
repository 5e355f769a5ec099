/* The manifest of a trace that was generated. */
#ifndef ASSAY_VALIDATOR_PROGRAM_GENERATE_MANIFEST_H
#define ASSAY_VALIDATOR_PROGRAM_GENERATE_MANIFEST_H

#include "generators/generator.h"

enum { ASSAY_GENERATE_PATH_MOST = 4096 };

/* What an image of the program is called: NAME.elf beside NAME.assay.yaml. Empty where the format
 * has no use for one. ASSAY_USAGE: the manifest is not called so. ASSAY_LIMIT: its name is too
 * long.
 */
enum assay_error assay_generate_image_name(const struct assay_generator *generator,
                                           const char *manifest,
                                           char path[ASSAY_GENERATE_PATH_MOST],
                                           struct assay_diag *diag);

enum { ASSAY_GENERATE_ENDING = 32 };

/* What the files of a capture's stream are called, after the stem NAME of NAME.assay.yaml and a
 * dot: its recorded execution and its image. */
void assay_generate_source_endings(const struct assay_model_source *source,
                                   char execution[ASSAY_GENERATE_ENDING],
                                   char image[ASSAY_GENERATE_ENDING]);

/* The files that the manifest of a capture names for a stream, with their folder. The manifest's
 * name ends as it must. ASSAY_LIMIT: its name is too long. */
struct assay_generate_source_files {
    char execution[ASSAY_GENERATE_PATH_MOST];
    char image[ASSAY_GENERATE_PATH_MOST];
};

enum assay_error assay_generate_source_files(const struct assay_model_source *source,
                                             const char *manifest,
                                             struct assay_generate_source_files *files,
                                             struct assay_diag *diag);

/* What belongs to a trace, in the folder of the manifest or below it. */
struct assay_generate_files {
    const char *manifest; /* that is written */
    const char *trace;
    const char *execution; /* the recorded execution that the trace was made of; not of a capture */
    const struct assay_execution *recording; /* that, open; null: its file is opened */
    bool chosen;                             /* its thread was asked for, be it the first */
    const char *record; /* what it is to be compared with in place of that; or null */
    const char *facts;  /* platform facts; or null */
};

/* Writes the manifest, and the image of the program that was recorded; of a model that makes a
 * capture (`model` is null of an execution) the recorded execution and the image of each stream. A
 * trace of an execution that was repeated is compared with nothing. */
enum assay_error assay_generate_manifest(const struct assay_generator *generator,
                                         const struct assay_model *model,
                                         const struct assay_generate_settings *settings,
                                         const struct assay_generate_files *files,
                                         struct assay_diag *diag);

#endif
