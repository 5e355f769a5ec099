/* Texts for a terminal. */
#ifndef ASSAY_VALIDATOR_PROGRAM_WRAPPED_H
#define ASSAY_VALIDATOR_PROGRAM_WRAPPED_H

#include "io/sink.h"

enum { ASSAY_WRAPPED_WIDTH = 96 };

/* Writes a text of `size` bytes wrapped at its blanks, the first line after `first` blanks, the
 * others after `indent`. */
void assay_put_wrapped(struct assay_sink *sink, const char *text, size_t size, size_t first,
                       size_t indent);

#endif
