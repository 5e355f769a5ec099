/* The vectors that are built into the program. */
#ifndef ASSAY_VALIDATOR_BUILTIN_H
#define ASSAY_VALIDATOR_BUILTIN_H

#include "validator/vector/corpus.h"
#include "validator/vector/vector.h"

/* Reads a vector of the corpus; its bases are in the program, too. */
enum assay_error assay_builtin_vector(const struct assay_corpus_text *text,
                                      struct assay_vector *vector, struct assay_diag *diag);

/* Whether a text is a vector, and not a base, which is in a folder whose name begins with '_'. */
bool assay_builtin_is_vector(const struct assay_corpus_text *text);

#endif
