/* Traces of random programs, for formats that are generated from recorded executions. */
#ifndef ASSAY_GENERATORS_RANDOM_MODEL_H
#define ASSAY_GENERATORS_RANDOM_MODEL_H

#include "generators/generator.h"
#include "generators/random/program.h"

/* Instructions: without a limit, and the most. */
enum { ASSAY_RANDOM_LENGTH = 10000, ASSAY_RANDOM_LENGTH_MOST = 100000000 };

/* The models of formats that trace RISC-V. */
extern const struct assay_model assay_random_riscv_models[];

/* assay_model_make, of a model without `make`. The limit is that of the program, and the seed is
 * also the generator's. */
enum assay_error assay_random_model(const struct assay_generator *generator,
                                    const struct assay_model *model,
                                    const struct assay_generate_settings *settings,
                                    struct assay_sink *trace, struct assay_sink *execution,
                                    struct assay_generated *generated, struct assay_diag *diag);

#endif
