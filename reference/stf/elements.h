/* The accesses of a vector instruction, compared with where its elements are. */
#ifndef ASSAY_STF_ELEMENTS_H
#define ASSAY_STF_ELEMENTS_H

#include "stf/model.h"

/* elements_known and element_astray of the cell of effects_known. Sets the cell of base_address
 * where the elements are known. */
uint64_t stf_model_elements(const struct stf_model *model, const struct stf_word *word,
                            uint64_t *cells);

#endif
