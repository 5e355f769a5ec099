/* The manifest of a trace that was made of a recorded execution. */
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

/* Writes the manifest of `trace`, and the image of the program that was recorded in `execution`.
 * The trace is to be compared with `record`, or where that is null with the execution, unless it is
 * repeated. All files are in the folder of the manifest, or below it. */
enum assay_error assay_generate_manifest(const struct assay_generator *generator,
                                         const struct assay_generate_settings *settings,
                                         const char *manifest, const char *trace,
                                         const char *execution, const char *record,
                                         struct assay_diag *diag);

#endif
