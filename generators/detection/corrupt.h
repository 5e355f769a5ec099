/* Applies a kind of corruption to a trace. */
#ifndef ASSAY_DETECTION_CORRUPT_H
#define ASSAY_DETECTION_CORRUPT_H

#include "subject.h"

/* Corrupts a trace of the list that the seed chooses, of those where the kind can be tried, in a
 * place that the seed chooses, and writes the stored bytes to *sink, which is opened and becomes
 * the caller's. *subject is the trace; null when there is no place, or the change changes nothing
 * wherever it was tried. */
enum assay_error detection_corrupt(const struct detection_subjects *subjects,
                                   const struct detection_table *table, size_t kind, uint64_t *seed,
                                   struct assay_sink *sink,
                                   const struct detection_subject **subject,
                                   struct assay_diag *diag);

/* The seed of a trial of a kind. */
uint64_t detection_seed(uint64_t seed, size_t kind, unsigned trial);

#endif
