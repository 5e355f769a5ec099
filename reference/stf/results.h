/* The values that an instruction wrote by the records of its group, compared with the results that
 * follow from its sources.
 */
#ifndef ASSAY_STF_RESULTS_H
#define ASSAY_STF_RESULTS_H

#include "isa/rv_compute.h"

struct stf_model;
struct stf_word;

/* A word whose computation was looked up. Zeroed it is of no instruction. */
struct stf_computed {
    uint32_t word;
    uint32_t isa; /* enum rv_isa */
    bool known;
    struct rv_computation computation;
};

/* The flags of event's cell that tell whether the results of an instruction are right, whose
 * effects are known; sets cells[INST(result)]. `unit` is its size_unit. */
uint64_t stf_model_results(struct stf_model *model, const struct stf_word *word, unsigned unit,
                           uint64_t *cells);

#endif
