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

/* What belongs to a trace, in the folder of the manifest or below it. */
struct assay_generate_files {
    const char *manifest; /* that is written */
    const char *trace;
    const char *execution; /* the recorded execution that the trace was made of */
    const char *record;    /* what it is to be compared with in place of that; or null */
    const char *facts;     /* platform facts; or null */
};

/* Writes the manifest, and the image of the program that was recorded. A trace of an execution that
 * was repeated is compared with nothing. */
enum assay_error assay_generate_manifest(const struct assay_generator *generator,
                                         const struct assay_generate_settings *settings,
                                         const struct assay_generate_files *files,
                                         struct assay_diag *diag);

#endif
