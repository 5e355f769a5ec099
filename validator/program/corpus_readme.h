/* The README of an exported corpus, in parts; null ends them. A text for people who write decoders
 * and validators. */
#ifndef ASSAY_VALIDATOR_CORPUS_README_H
#define ASSAY_VALIDATOR_CORPUS_README_H

extern const char *const assay_corpus_readme[];

#endif
