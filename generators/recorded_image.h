/* The memory of a recorded program as far as it was executed: an image for traces that give
 * addresses only. */
#ifndef ASSAY_GENERATORS_RECORDED_IMAGE_H
#define ASSAY_GENERATORS_RECORDED_IMAGE_H

#include "execution/execution.h"
#include "io/sink.h"

/* Reads the execution to its end and writes the instructions of all threads as an ELF file of fixed
 * addresses, in which what was not executed is absent. (Where that would be more segments than an
 * image can have, the nearest ones are joined, with zeros between them.) The execution and the sink
 * stay the caller's. ASSAY_UNSUPPORTED: two instructions were executed at the same address.
 * ASSAY_LIMIT: the program is too large. */
enum assay_error assay_recorded_image(struct assay_execution *execution, struct assay_sink *sink,
                                      struct assay_diag *diag);

#endif
