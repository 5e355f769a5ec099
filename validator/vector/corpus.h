/* The vectors of the corpus and their bases, as texts in the program: `assay rules show` dumps
 * them.
 */
#ifndef ASSAY_VALIDATOR_CORPUS_H
#define ASSAY_VALIDATOR_CORPUS_H

#include <stddef.h>

struct assay_corpus_text {
    const char *name; /* "corpus/astf/context/ASTF-0031/ASTF-0031.pass.ids.yaml" */
    const char *text;
    size_t size;
};

extern const struct assay_corpus_text assay_corpus[];
extern const size_t assay_corpus_count;

#endif
