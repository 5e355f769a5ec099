/* The page table walks of a recorded execution on their way into a trace. */
#ifndef ASSAY_GENERATORS_STF_WALKS_H
#define ASSAY_GENERATORS_STF_WALKS_H

#include "generators/stf/from_execution.h"

/* Of an instruction, the first ones: those of one that makes no more than two accesses fit. */
enum { STF_WALKS_OF = 8 };

struct stf_walks_of {
    unsigned count;
    struct assay_walk list[STF_WALKS_OF];
};

void stf_walks_add(struct stf_walks_of *walks, const struct assay_walk *walk);

/* `from` has none afterwards. */
void stf_walks_move(struct stf_walks_of *to, struct stf_walks_of *from);

/* Whether what is traced has walks, which the header announces. If the recording cannot be read
 * twice the trace has none. */
bool stf_walks_traced(const struct assay_execution *execution,
                      const struct stf_generate_options *options);

#endif
